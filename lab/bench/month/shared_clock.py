"""Time shared by two processes: a process moves the clock, and the other reads the time."""

from __future__ import annotations

import mmap
import struct
from datetime import UTC, datetime
from pathlib import Path

_FORM = struct.Struct("d")


class SharedClock:
    """Seconds since 1970, in a file mapped by both processes."""

    def __init__(self, path: Path) -> None:
        """Open the file, created with the start of 1970 as its time if missing."""
        with path.open("a+b") as file:
            file.truncate(_FORM.size)
            self._bytes = mmap.mmap(file.fileno(), _FORM.size)

    def __call__(self) -> float:
        """Read the seconds."""
        seconds: float = _FORM.unpack(self._bytes)[0]
        return seconds

    def set(self, now: datetime) -> None:
        """Move the clock."""
        self._bytes[:] = _FORM.pack(now.timestamp())

    def now(self) -> datetime:
        """Read the time, aware UTC."""
        return datetime.fromtimestamp(self(), UTC)
