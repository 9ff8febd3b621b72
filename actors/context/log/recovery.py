"""Recovery at start-up, from what an earlier life left: which windows are unfinished, and what was seen last."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from actors.context.log.scan import newest_logs, read_tail_state
from domain.log.event import Kind
from domain.log.tail import TailState
from messages.base import Window

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recovery:
    """The result of looking at the end of every newest log."""

    unfinished: tuple[Window, ...]
    """Windows that may owe somebody an answer; being wrong here costs only a look."""
    last_seen: Mapping[str, str]
    """Window key (`<surface>/<id>`) -> the greatest Discord message id in its logs; 0 for none."""


def survey(root: Path) -> Recovery:
    """Look at the end of every window's newest log below the data root."""
    unfinished: list[Window] = []
    last_seen: dict[str, str] = {}
    for window, path in newest_logs(root / "logs"):
        try:
            state = read_tail_state(path)
        except OSError as error:
            log.warning("%s cannot be read: %s", path, error.strerror)
            continue
        last_seen[window.address.key] = str(state.last_message_id)
        if not is_settled(state):
            unfinished.append(window)
    return Recovery(unfinished=tuple(unfinished), last_seen=last_seen)


def is_settled(state: TailState) -> bool:
    """Whether a log certainly ends with nothing left to do.

    So it does with no event at all, and with a delivery or a message that was only overheard where nothing was open.
    """
    if not state.is_known:
        return False
    if state.last is None:
        return True
    return state.last.kind in (Kind.DELIVERY, Kind.USER) and state.last.meta_dict().get("open") == 0
