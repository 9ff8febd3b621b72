"""File of the watermarks, below the data root: read once, then only added to; written in a thread of its own."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from actors.kernel import Bulkhead
from actors.linux.disk import Disk, RealDisk, put_whole
from domain.log.watermark import FILE_NAME, Watermark, line_of, watermarks_in

log = logging.getLogger(__name__)

_LANE = "watermarks"
_WRITE_S = 60.0
_SUPERFLUOUS_LINES = 20_000
"""Lines that newer ones have replaced, beyond which the file is written anew."""


def load_watermarks(root: Path, disk: Disk | None = None) -> Mapping[int, Watermark]:
    """Channel id -> watermark, as an earlier life left them; none where there is no file.

    A file of which most has been replaced is written anew. An unreadable file counts as missing: then more is read of
    Discord's history than need be, and no window answers a logged message again.
    """
    path = root / FILE_NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        log.error("%s cannot be read, so history is read back: %s", path, error.strerror)
        return {}
    watermarks = watermarks_in(data)
    if data.count(b"\n") > 2 * len(watermarks) + _SUPERFLUOUS_LINES:
        with suppress(OSError):  # The old file stays, and says the same.
            rewrite(path, watermarks, disk or RealDisk())
    return watermarks


class WatermarkFile:
    """Writer of the file; lives on the loop, which never waits for the disk itself."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        """Nothing is written yet.

        Args:
            root: The data root.
            disk: Disk to write to; None for the real disk.
        """
        self._path = Path(f"{root}/{FILE_NAME}")
        self._disk = disk or RealDisk()
        self._threads = Bulkhead("discord-watermarks", at_once=1)
        self._is_named = False
        """True if the file's name is on the disk."""
        self._added = 0
        """Lines that were added since it was written anew."""

    async def write(self, watermarks: Mapping[int, Watermark]) -> None:
        """Add lines, and return when they survive a power loss.

        Args:
            watermarks: Channel id -> what is to be kept of it.

        Raises:
            OSError: they may not be there; TimeoutError is one.
        """
        await self._threads.run(_LANE, _WRITE_S, self._add, _lines(watermarks))
        self._added += len(watermarks)

    def is_long(self, count: int) -> bool:
        """True if most added lines have been replaced, with `count` channels named; the file is used for months."""
        return self._added > 2 * count + _SUPERFLUOUS_LINES

    async def rewrite(self, watermarks: Mapping[int, Watermark]) -> None:
        """Write the file anew.

        Args:
            watermarks: All that it says.

        Raises:
            OSError: the old one stays, or may.
        """
        self._added = 0  # Where that fails it is not tried again at once.
        await self._threads.run(_LANE, _WRITE_S, rewrite, self._path, watermarks, self._disk)

    def _add(self, lines: bytes) -> None:
        fd = self._disk.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW)
        try:
            data = b"\n" + lines  # What was cut short must not swallow the first line.
            if (written := self._disk.write(fd, data)) != len(data):
                raise OSError(f"only {written} of {len(data)} bytes could be written: the disk or a quota is full")
            self._disk.sync(fd)
        finally:
            os.close(fd)
        if not self._is_named:
            self._disk.sync_folder(self._path.parent)
            self._is_named = True


def rewrite(path: Path, watermarks: Mapping[int, Watermark], disk: Disk) -> None:
    """Put a file in the place of the one at `path` that says `watermarks` and nothing else.

    Raises:
        OSError: the old one stays, or may.
    """
    put_whole(disk, path, _lines(watermarks))


def _lines(watermarks: Mapping[int, Watermark]) -> bytes:
    return b"".join(line_of(channel_id, watermark) for channel_id, watermark in watermarks.items())
