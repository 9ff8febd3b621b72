"""Watermark of the last look at the file: the time of an empty file, kept only if what was missed is made up for."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from actors.linux.private_folder import make_private

NAME = "last-look"


class Watermark:
    """Remembers one instant and nothing of what was said then."""

    def __init__(self, folder: Path, catchup_hours: float) -> None:
        """The watermark in a folder.

        Args:
            folder: Made when needed.
            catchup_hours: 0 for not remembering.
        """
        self._path = folder / NAME
        self.catchup = timedelta(hours=catchup_hours)

    def read(self) -> datetime | None:
        """The instant; None when it is not known."""
        if not self.catchup:
            return None
        try:
            return datetime.fromtimestamp(self._path.stat().st_mtime, UTC)
        except FileNotFoundError:
            return None

    def write(self, now: datetime) -> None:
        """Remember `now`."""
        if self.catchup:
            make_private(self._path.parent)
            self._path.touch(mode=0o600)
            os.utime(self._path, (now.timestamp(), now.timestamp()))
