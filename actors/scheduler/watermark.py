"""Watermarks of looks at the file: the times of two empty files, for the process after this one."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

NAME = "last-look"
FURTHEST = "furthest-look"
"""Latest time of any look; older than the last look, or absent, unless a look was later than the last one."""


class Watermark:
    """Store of two instants, without the reminders of these times."""

    def __init__(self, folder: Path) -> None:
        """Watermark in a folder made when needed."""
        self._folder = folder

    def read(self) -> datetime | None:
        """Time of the last look; None if unknown.

        Raises:
            OSError: the time cannot be read.
        """
        return self._read(NAME)

    def read_furthest(self) -> datetime | None:
        """Latest time of any look, perhaps by a clock that was ahead; None if unknown.

        Raises:
            OSError: the time cannot be read.
        """
        return max((each for each in (self._read(NAME), self._read(FURTHEST)) if each is not None), default=None)

    def write(self, now: datetime, furthest: datetime) -> None:
        """Store both, unsynced: a slightly old instant leads to a look for earlier posts, not to repeated posts.

        Args:
            now: Time of the last look.
            furthest: Latest time of any look; safe before a last look that is earlier.

        Raises:
            OSError: a time cannot be stored.
        """
        if furthest > now:
            self._write(FURTHEST, furthest)
        self._write(NAME, now)

    def _read(self, name: str) -> datetime | None:
        try:
            return datetime.fromtimestamp(os.stat(self._folder / name).st_mtime, UTC)  # noqa: PTH116
        except FileNotFoundError:
            return None
        except (ValueError, OverflowError):  # a year that no clock of ours shows
            return None

    def _write(self, name: str, at: datetime) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        fd = os.open(
            self._folder / name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600
        )
        try:
            os.utime(fd, (at.timestamp(), at.timestamp()))
        finally:
            os.close(fd)
