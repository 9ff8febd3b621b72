"""Journal of imports: progress in each place, a line for each step, safely on the disk behind its log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from actors.importer.progress import Reading
from actors.linux.disk import Disk
from actors.linux.notebook import Notebook
from messages.base import Window, make_ready

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


_DECODER = msgspec.json.Decoder(_Line)


class ImportJournal:
    """Notebook of imports: the last line about a window counts."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        """Begin without reading.

        Args:
            root: The data root.
            disk: Disk to write to; None for the real disk.
        """
        self._book = Notebook(root / PLACE, disk, self._lines)
        self.state: State = "none"
        self.readings: dict[Window, Reading] = {}
        self.exported: set[Window] = set()
        """Windows with messages of exports."""

    def load(self) -> None:
        """Read the file before any note, and rewrite the file with its last lines only.

        Raises:
            OSError: the file cannot be read or written.
        """
        if self._book.records(lambda text: self._take(_DECODER.decode(text))):
            self._book.rewrite()

    def note_state(self, state: State) -> None:
        """Note the state of the import: reading, resting or done.

        Raises:
            OSError: the state is not on the disk.
        """
        self._append((_Line(state=state),))
        self.state = state

    def note(self, readings: Iterable[Reading]) -> None:
        """Note the progress in windows.

        Raises:
            OSError: the progress is not on the disk.
        """
        readings = list(readings)
        self._append(map(_line, readings))
        self.readings |= {each.window: each for each in readings}

    def note_exported(self, windows: Iterable[Window]) -> None:
        """Note windows with messages of exports.

        Raises:
            OSError: the note is not on the disk.
        """
        fresh = set(windows) - self.exported
        self._append(_Line(window=window.address.key, exported=True) for window in fresh)
        self.exported |= fresh

    @property
    def past(self) -> tuple[Window, ...]:
        """Windows that may have imported logs: before a kill, a log is written earlier than the note of its count."""
        read = (window for window, each in self.readings.items() if each.stored or each.read or each.after)
        return (*self.exported, *read)

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

    def _append(self, lines: Iterable[_Line]) -> None:
        if encoded := [_encode(each) for each in lines]:
            self._book.append(*encoded, is_durable=True)

    def _lines(self) -> Iterator[bytes]:
        """Lines that say all; no line before the first note."""
        exported = (_Line(window=window.address.key, exported=True) for window in self.exported)
        state = [] if self.state == "none" else [_Line(state=self.state)]
        return map(_encode, (*state, *map(_line, self.readings.values()), *exported))


def _encode(line: _Line) -> bytes:
    return msgspec.json.encode(line) + b"\n"


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
