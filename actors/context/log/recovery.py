"""Recovery at start-up, from what an earlier life left: which windows are unfinished, and what was seen last."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from actors.context.log.scan import newest_name, read_tail_state, window_folders
from domain.log.event import Kind
from domain.log.tail import TailState
from messages.base import Window

log = logging.getLogger(__name__)

_SIDE_BY_SIDE = 2
"""More of them cost more for the turns that they take than they bring, where the files are in memory already."""
_PIECE = 1024
"""Windows that one thread looks at before it takes the next."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The result of looking at the end of every newest log."""

    unfinished: tuple[Window, ...]
    """Windows that may owe somebody an answer; being wrong here costs only a look."""
    last_seen: Mapping[str, str]
    """Window key (`<surface>/<id>`) -> the greatest Discord message id in its logs; 0 for none."""


class CalledOffError(Exception):
    """The survey was told to end before it was done."""


def survey(root: Path, is_called_off: Callable[[], bool] = lambda: False) -> Recovery:
    """Look at the end of every window's newest log below the data root.

    Some are looked at side by side, as most of the time goes into waiting for the disk.

    Args:
        root: The data root.
        is_called_off: Asked now and then whether to end without a result.

    Raises:
        CalledOffError: it was.
        OSError: a folder can't be read.
    """
    unfinished: list[Window] = []
    last_seen: dict[str, str] = {}
    for window, state in _ends(window_folders(root / "logs"), is_called_off):
        last_seen[window.address.key] = str(state.last_message_id)
        if not is_settled(state):
            unfinished.append(window)
    return Recovery(unfinished=tuple(unfinished), last_seen=last_seen)


def _ends(
    folders: Iterator[tuple[Window, str]], is_called_off: Callable[[], bool]
) -> Iterator[tuple[Window, TailState]]:
    """How the newest log of each window ends, in the order of `folders`."""
    pieces = iter(lambda: list(islice(folders, _PIECE)), [])
    first = next(pieces, [])
    if len(first) < _PIECE:  # not worth a thread
        yield from _ends_of(first)
        return
    with ThreadPoolExecutor(_SIDE_BY_SIDE, "survey") as pool:
        looks = deque([pool.submit(_ends_of, first)])
        while looks:  # no more of them than the threads need, so that an end is one at once
            if is_called_off():
                raise CalledOffError
            while len(looks) < 2 * _SIDE_BY_SIDE and (piece := next(pieces, None)) is not None:
                looks.append(pool.submit(_ends_of, piece))
            yield from looks.popleft().result()


def _ends_of(folders: list[tuple[Window, str]]) -> list[tuple[Window, TailState]]:
    """How the newest log of each window ends, for those that have one."""
    found = []
    for window, folder in folders:
        if (name := newest_name(folder)) is None:
            continue
        try:
            found.append((window, read_tail_state(f"{folder}/{name}")))
        except OSError as error:
            log.warning("%s/%s cannot be read: %s", folder, name, error.strerror)
    return found


def is_settled(state: TailState) -> bool:
    """Whether a log certainly ends with nothing left to do.

    So it does with no event at all, and with a delivery or a message that was only overheard where nothing was open.
    """
    if not state.is_known:
        return False
    if state.last is None:
        return True
    return state.last.kind in (Kind.DELIVERY, Kind.USER) and state.last.meta_dict().get("open") == 0
