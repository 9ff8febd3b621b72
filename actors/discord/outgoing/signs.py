"""File of the signs of work at people's messages: signs left by a killed life are removed by the next.

A line is the id of a channel and of a message. New content overwrites the old without a sync: the file has to
outlive the process, and after a power loss an extra sign does no harm.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable
from pathlib import Path

from actors.kernel import Bulkhead
from actors.linux.disk import Disk
from actors.linux.notebook import NoteFolder

log = logging.getLogger(__name__)

FILE_NAME = "signs"
"""Below the data root."""
MOST_BYTES = 1 << 20
_LINE = re.compile(r"([0-9]{1,20}) ([0-9]{1,20})")
_LANE = "signs"
_WRITE_S = 10.0

Place = tuple[str, str]
"""Channel and message."""


def load_signs(root: Path) -> tuple[Place, ...]:
    """The places where an earlier life showed the sign of work; none where the file is missing or cannot be read."""
    data = NoteFolder(root, most_bytes=MOST_BYTES).read(FILE_NAME) or b""
    matches = (_LINE.fullmatch(line) for line in data.decode("ascii", "replace").splitlines())
    return tuple((match[1], match[2]) for match in matches if match is not None)


class SignFile:
    """Writer of the file; lives on the loop and leaves waiting for the disk to a thread."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        """Begin without writing.

        Args:
            root: The data root.
            disk: Disk to write to; None for the real disk.
        """
        self._notes = NoteFolder(root, disk, most_bytes=MOST_BYTES)
        self._threads = Bulkhead("discord-signs", at_once=1)
        self._writing = asyncio.Lock()
        self._places: frozenset[Place] = frozenset()
        self._written: frozenset[Place] | None = None
        """Content of the file; None before the first write of this life."""
        self._is_failing = False

    async def keep(self, places: Iterable[Place]) -> None:
        """Make the file contain exactly these places; return afterwards, or after a failure (logged once)."""
        self._places = frozenset(places)
        async with self._writing:
            if (now := self._places) == self._written:  # another call has written them too
                return
            try:
                await self._threads.run(_LANE, _WRITE_S, self._write, now)
            except OSError as error:
                if not self._is_failing:
                    log.warning("%s cannot be written, so a kill may leave signs of work: %s", FILE_NAME, error)
                self._is_failing, self._written = True, None  # what was given up may yet be written
            else:
                self._written, self._is_failing = now, False

    def _write(self, places: frozenset[Place]) -> None:
        lines = "".join(f"{channel_id} {message_id}\n" for channel_id, message_id in sorted(places))
        self._notes.put(FILE_NAME, lines.encode("ascii"), is_durable=False)
