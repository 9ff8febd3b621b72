"""File of the watermarks, below the data root: a notebook, read once and written in a thread of its own."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from actors.kernel import Bulkhead
from actors.linux.disk import Disk
from actors.linux.notebook import LONG_BYTES, Notebook
from domain.log.watermark import FILE_NAME, Watermark, line_of, parse_line

log = logging.getLogger(__name__)

_LANE = "watermarks"
_WRITE_S = 60.0


def load_watermarks(root: Path) -> dict[int, Watermark]:
    """Channel id -> watermark, as an earlier life left them; empty for a missing or unreadable file.

    Without watermarks more of Discord's history is read, and no window answers a logged message again.
    """
    try:
        return dict(Notebook(root / FILE_NAME).records(parse_line))
    except OSError as error:
        log.error("%s cannot be read, so history is read back: %s", root / FILE_NAME, error.strerror)
        return {}


class WatermarkFile:
    """Writer of the file; lives on the loop and leaves waiting for the disk to a thread."""

    def __init__(
        self,
        root: Path,
        disk: Disk | None = None,
        watermarks: Mapping[int, Watermark] | None = None,
        *,
        long_bytes: int = LONG_BYTES,
    ) -> None:
        """Begin without writing.

        Args:
            root: The data root.
            disk: Disk to write to; None for the real disk.
            watermarks: Content of the file, as `load_watermarks` read it; None for an empty file.
            long_bytes: Size from which the file is compacted.
        """
        self._written = dict(watermarks or {})
        """Channel id -> watermark in the file."""
        self._book = Notebook(Path(root) / FILE_NAME, disk, self._lines, long_bytes=long_bytes)
        self._threads = Bulkhead("discord-watermarks", at_once=1)

    def says(self, channel_id: int, watermark: Watermark) -> bool:
        """True if the file holds this watermark already."""
        return self._written.get(channel_id) == watermark

    def forget(self, channel_id: int) -> None:
        """Leave out a channel at the next compaction."""
        self._written.pop(channel_id, None)

    async def write(self, watermarks: Mapping[int, Watermark]) -> None:
        """Add watermarks by channel id, and return when all survive a power loss.

        Raises:
            OSError: the watermarks may be missing; TimeoutError is a subclass.
        """
        lines = [line_of(channel_id, watermark) for channel_id, watermark in watermarks.items()]
        await self._threads.run(_LANE, _WRITE_S, partial(self._book.append, *lines, is_durable=True))
        self._written.update(watermarks)

    def _lines(self) -> list[bytes]:
        watermarks = self._written.copy()  # at once: the loop goes on meanwhile
        return [line_of(channel_id, watermark) for channel_id, watermark in watermarks.items()]
