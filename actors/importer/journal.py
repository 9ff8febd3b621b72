"""Journal of imports: progress in each place, a line for each step, safely on the disk behind its log."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from actors.importer.progress import Reading
from actors.linux.disk import Disk, RealDisk, make_folders, put_whole, write_all
from actors.linux.regular_file import open_regular, read_regular
from messages.base import Window, make_ready

log = logging.getLogger(__name__)

PLACE = Path("imports") / "discord.jsonl"
State = Literal["none", "reading", "stopped", "done"]


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line: the state of the import, or the progress in a window."""

    state: State | None = None
    window: str = ""
    top: int = 0
    after: int = 0
    before: int = 0
    kept: int = 0
    read: int = 0
    done: bool = False
    exported: bool = False
    """True if the line says only: the window has messages of an export."""


class ImportJournal:
    """The file below a data root. The last line about a window counts; an incomplete line is ignored."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        self._path = root / PLACE
        self._disk = disk or RealDisk()
        self.state: State = "none"
        self.readings: dict[Window, Reading] = {}
        self.exported: set[Window] = set()
        """Windows with messages of exports."""

    def load(self) -> None:
        """Read the file, and rewrite the file with its last lines only.

        Raises:
            OSError: the file cannot be read or written.
        """
        try:
            data = read_regular(self._path)
        except FileNotFoundError:
            return
        for text in data.splitlines():
            try:
                line = msgspec.json.decode(text, type=_Line)
                self._take(line)
            except (msgspec.DecodeError, ValueError):
                log.warning("%s: an unreadable line of %d bytes is skipped", self._path, len(text))
        exported = (_Line(window=window.address.key, exported=True) for window in self.exported)
        lines = (_Line(state=self.state), *map(_line, self.readings.values()), *exported)
        put_whole(self._disk, self._path, b"".join(msgspec.json.encode(each) + b"\n" for each in lines))

    def note_state(self, state: State) -> None:
        """Note the state of the import: reading, resting or done.

        Raises:
            OSError: the state is not on the disk.
        """
        self._append([_Line(state=state)])
        self.state = state

    def note(self, readings: Iterable[Reading]) -> None:
        """Note the progress in windows.

        Raises:
            OSError: the progress is not on the disk.
        """
        readings = list(readings)
        self._append([_line(each) for each in readings])
        self.readings |= {each.window: each for each in readings}

    def note_exported(self, windows: Iterable[Window]) -> None:
        """Note windows with messages of exports.

        Raises:
            OSError: the note is not on the disk.
        """
        fresh = set(windows) - self.exported
        self._append([_Line(window=window.address.key, exported=True) for window in fresh])
        self.exported |= fresh

    @property
    def past(self) -> tuple[Window, ...]:
        """Windows with imported logs."""
        return (*self.exported, *(window for window, each in self.readings.items() if each.stored))

    def _take(self, line: _Line) -> None:
        self.state = line.state or self.state
        if line.exported:
            self.exported.add(Window.from_key(line.window))
        elif line.window:
            window = Window.from_key(line.window)
            self.readings[window] = Reading(
                window=window,
                top=line.top,
                after=line.after,
                before=line.before,
                stored=line.kept,
                read=line.read,
                is_done=line.done,
            )

    def _append(self, lines: list[_Line]) -> None:
        if not lines:
            return
        if not self._path.parent.is_dir():
            make_folders(self._disk, self._path.parent)
        if not self._path.exists():
            put_whole(self._disk, self._path, b"")
        fd = open_regular(self._path, os.O_WRONLY | os.O_APPEND, opens=self._disk.open)
        try:
            write_all(self._disk, fd, b"".join(msgspec.json.encode(each) + b"\n" for each in lines))
        finally:
            os.close(fd)


def _line(reading: Reading) -> _Line:
    return _Line(
        window=reading.window.address.key,
        top=reading.top,
        after=reading.after,
        before=reading.before,
        kept=reading.stored,
        read=reading.read,
        done=reading.is_done,
    )


make_ready(__name__)
