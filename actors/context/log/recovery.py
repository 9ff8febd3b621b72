"""Recovery at start-up, from the state left by an earlier life: unfinished windows, and the last messages seen."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from actors.context.log.ends import EndsFile, SettledEnd, end_of, is_same
from actors.context.log.scan import newest_name, read_tail_state, window_folders
from domain.log.event import Kind
from domain.log.tail import TailState
from messages.base import Window

log = logging.getLogger(__name__)

_SIDE_BY_SIDE = 2
"""Threads at once; with files in memory already, more threads cost more than they gain."""
PIECE = 1024
"""Windows in a thread's piece of work."""
Read = Callable[[str], TailState]


@dataclass(frozen=True, slots=True)
class Recovery:
    """The result of looking at the end of every newest log."""

    unfinished: tuple[Window, ...]
    """Windows that may have an unanswered turn; a wrong entry costs only a look."""
    last_seen: Mapping[str, str]
    """Window key (`<surface>/<id>`) -> the greatest Discord message id in its logs; 0 without a message."""


@dataclass(frozen=True, slots=True)
class _Look:
    """State of a window's newest log."""

    window: Window
    key: str
    last_message_id: int
    settled: SettledEnd | None
    """End of a settled log; None for a log that may be unsettled."""


class CalledOffError(Exception):
    """The survey was called off before its end."""


def survey(
    root: Path,
    is_called_off: Callable[[], bool] = lambda: False,
    *,
    keeps_ends: bool = False,
    piece: int = PIECE,
    read: Read = read_tail_state,
) -> Recovery:
    """Look at the end of every window's newest log below the data root.

    Several logs are read in parallel, as most of the time goes into waiting for the disk.

    Args:
        root: The data root.
        is_called_off: Asked now and then; True ends the survey without a result.
        keeps_ends: True to skip logs unchanged and settled since the last such look, and to note the logs settled
            now. Only for the holder of the data root, before the first write.
        piece: Windows in a thread's piece of work.
        read: Reads the end of a log.

    Raises:
        CalledOffError: the survey was called off.
        OSError: a folder can't be read.
    """
    file = EndsFile(root)
    known = file.load() if keeps_ends else {}
    look_at = partial(_looks_at, known=known, read=read)
    looks = list(_looks(window_folders(root / "logs"), look_at, piece, is_called_off))
    if keeps_ends and (ends := {look.key: look.settled for look in looks if look.settled is not None}) != known:
        file.save(ends)
    return Recovery(
        unfinished=tuple(look.window for look in looks if look.settled is None),
        last_seen={look.key: str(look.last_message_id) for look in looks},
    )


def _looks(
    folders: Iterator[tuple[Window, str]],
    look_at: Callable[[list[tuple[Window, str]]], list[_Look]],
    piece: int,
    is_called_off: Callable[[], bool],
) -> Iterator[_Look]:
    """End of the newest log of each window, in the order of `folders`."""
    pieces = iter(lambda: list(islice(folders, piece)), [])
    first = next(pieces, [])
    if len(first) < piece:  # not worth a thread
        yield from look_at(first)
        return
    with ThreadPoolExecutor(_SIDE_BY_SIDE, "survey") as pool:
        looks = deque([pool.submit(look_at, first)])
        while looks:  # no more of them than the threads need, so that an end is one at once
            if is_called_off():
                raise CalledOffError
            while len(looks) < 2 * _SIDE_BY_SIDE and (more := next(pieces, None)) is not None:
                looks.append(pool.submit(look_at, more))
            yield from looks.popleft().result()


def _looks_at(folders: list[tuple[Window, str]], known: Mapping[str, SettledEnd], read: Read) -> list[_Look]:
    """End of the newest log of each window with a log."""
    ends = []
    for window, folder in folders:
        key = window.address.key
        if (end := known.get(key)) is not None and is_same(folder, end):
            ends.append(_Look(window, key, end.last_message_id, end))
        elif (name := newest_name(folder)) is not None:
            try:
                ends.append(_look_into(window, key, folder, name, read))
            except OSError as error:
                log.warning("%s/%s cannot be read: %s", folder, name, error.strerror)
    return ends


def _look_into(window: Window, key: str, folder: str, name: str, read: Read) -> _Look:
    end = end_of(folder, name)
    state = read(f"{folder}/{name}")
    settled = msgspec.structs.replace(end, last_message_id=state.last_message_id) if is_settled(state) else None
    return _Look(window, key, state.last_message_id, settled)


_CLOSING = (Kind.DELIVERY, Kind.USER, Kind.SYSTEM)


def is_settled(state: TailState) -> bool:
    """True if a log certainly ends without work left.

    This holds for a log without events, and for a log whose last event is a delivery, an overheard message or a posting
    of the runtime at a time without open work.
    """
    if not state.is_known:
        return False
    if state.last is None:
        return True
    return state.last.kind in _CLOSING and state.last.meta_dict().get("open") == 0
