"""Watermark of the last look at the file: the time of an empty file, for the process after this one."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

NAME = "last-look"


class Watermark:
    """Store of an instant, without the reminders of that time."""

    def __init__(self, folder: Path) -> None:
        """Watermark in a folder made when needed."""
        self._path = folder / NAME

    def read(self) -> datetime | None:
        """The instant; None if unknown.

        Raises:
            OSError: the instant cannot be read.
        """
        try:
            return datetime.fromtimestamp(os.stat(self._path).st_mtime, UTC)  # noqa: PTH116
        except FileNotFoundError:
            return None
        except (ValueError, OverflowError):  # a year that no clock of ours shows
            return None

    def write(self, now: datetime) -> None:
        """Store `now`, unsynced: a slightly old instant leads to a look for earlier posts, not to repeated posts.

        Raises:
            OSError: the time cannot be stored.
        """
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            os.utime(fd, (now.timestamp(), now.timestamp()))
        finally:
            os.close(fd)
