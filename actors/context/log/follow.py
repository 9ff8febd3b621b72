"""Follower of logs: the last events, and new events while a client watches. Read-only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from actors.context.log.scan import log_names, window_folders
from actors.linux.regular_file import open_regular
from domain.log.event import Event
from domain.log.parser import Gap, LogState, ParsedLog, parse
from domain.log.window import log_folder
from messages.base import Window

NEWEST_LOGS = 16
"""Most logs, of all windows, to search for the last events."""
_CHUNK_BYTES = 1024 * 1024


class Line(NamedTuple):
    """Event of a window, or a place without an event in its log."""

    window: Window
    what: Event | Gap


class LogFollower:
    """Reader that follows one window, or all windows, over the ends of their logs."""

    def __init__(self, logs_root: Path, window: Window | None = None) -> None:
        """Follow the logs below `logs_root`, the `logs` folder of a data root; with `window` only the window's logs.

        Raises:
            ValueError: `window` keeps no logs.
        """
        self._root = logs_root
        self._window = window
        self._folder = None if window is None else logs_root.parent / log_folder(window)
        self._sizes: dict[str, int] = {}
        """Size of each log at the last look."""
        self._offsets: dict[str, int] = {}
        """Bytes of each log reported so far."""
        self._states: dict[str, LogState] = {}

    def last(self, count: int) -> list[Line]:
        """The last `count` events, oldest first; from now on `more` returns later events.

        Raises:
            OSError: the logs cannot be read.
        """
        files = sorted(self._files(), reverse=True, key=lambda each: (each[2].st_mtime_ns, each[1]))
        for _, path, status in files:
            self._sizes[path] = self._offsets[path] = status.st_size
        lines: list[Line] = []
        for number, (window, path, _) in enumerate(files):
            if self._window is not None and len(lines) >= count:
                break
            if self._window is None and number >= NEWEST_LOGS:
                break
            lines += self._read(path, window, 0)
        lines.sort(key=_moment)
        return [line for line in lines if isinstance(line.what, Event)][-count:] if count else []

    def more(self) -> list[Line]:
        """Lines written since the last call, in the order of their time.

        Raises:
            OSError: the logs cannot be read.
        """
        lines: list[Line] = []
        for window, path, status in self._files():
            size, offset = self._sizes.get(path, 0), self._offsets.get(path, 0)
            if status.st_size != size:
                lines += self._read(path, window, offset if status.st_size > size else 0)
        return sorted(lines, key=_moment)

    def _files(self) -> Iterator[tuple[Window, str, os.stat_result]]:
        folders: Iterable[tuple[Window, str]]
        if self._window is not None and self._folder is not None:
            folders = ((self._window, str(self._folder)),)
        else:
            folders = window_folders(self._root)
        for window, folder in folders:
            for name in log_names(Path(folder)):
                path = f"{folder}/{name}"
                try:
                    yield window, path, os.stat(path)  # noqa: PTH116
                except FileNotFoundError:  # its window was just removed
                    continue

    def _read(self, path: str, window: Window, start: int) -> Iterator[Line]:
        """Lines behind the first `start` bytes, reported before."""
        state = self._states.get(path)
        if state is None or state.offset > start:
            state = LogState()
        data = _bytes(path, state.offset)
        log = parse(data, state)
        self._states[path], self._offsets[path] = log.state, log.state.offset
        self._sizes[path] = state.offset + len(data)
        yield from (Line(window, what) for what, offset in _parts(log) if offset >= start)


def _parts(log: ParsedLog) -> Iterator[tuple[Event | Gap, int]]:
    """Events and damage with their offsets; an unfinished write is no damage."""
    yield from ((each.event, each.offset) for each in log.events)
    yield from ((gap, gap.offset) for gap in log.damage)


def _moment(line: Line) -> float:
    return line.what.at.timestamp() if isinstance(line.what, Event) else float("inf")


def _bytes(path: str, start: int) -> bytes:
    fd = open_regular(Path(path))
    try:
        data = bytearray()
        while chunk := os.pread(fd, _CHUNK_BYTES, start + len(data)):
            data += chunk
        return bytes(data)
    finally:
        os.close(fd)
