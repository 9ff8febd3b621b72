"""Output pipe: receives the output of a command and all its children."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable
from contextlib import suppress

READ_BYTES = 64 * 1024
FLOOD_READ_BYTES = 256 * 1024
"""Bytes of a flood read at once, and the pipe's capacity if the kernel grants it."""
READS_AT_ONCE = 4
"""Reads after which other commands get a chance."""
FLOOD_BYTES = 1024 * 1024
FLOOD_PAUSE_S = 0.001
"""Pause between reads from a flooding command: 256 MB a second, in a small part of the loop's time."""


class OutputPipe:
    """Both ends of a pipe; the writing end is for the command, and must be closed here once the command has it."""

    def __init__(self) -> None:
        self._readable, self._writable = os.pipe()
        os.set_blocking(self._readable, False)

    @property
    def writing_end(self) -> int:
        """Descriptor for the command's output."""
        return self._writable

    def close_writing_end(self) -> None:
        """Leave the pipe to the command; a second call has no effect."""
        if self._writable >= 0:
            os.close(self._writable)
            self._writable = -1

    def close(self) -> None:
        """Close the ends still open here; a second call has no effect."""
        self.close_writing_end()
        if self._readable >= 0:
            os.close(self._readable)
            self._readable = -1

    async def read(self, take: Callable[[bytes], None]) -> None:
        """Give all output to `take`, until every possible writer has closed the pipe."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(self._readable, readable.set)
        total = 0
        try:
            while True:
                await readable.wait()
                if is_flood := total > FLOOD_BYTES:
                    loop.remove_reader(self._readable)  # or the loop would look at it all the time
                    await asyncio.sleep(FLOOD_PAUSE_S)
                    loop.add_reader(self._readable, readable.set)
                readable.clear()
                for _ in range(1 if is_flood else READS_AT_ONCE):
                    try:
                        piece = os.read(self._readable, FLOOD_READ_BYTES if is_flood else READ_BYTES)
                    except BlockingIOError:
                        break
                    if not piece:
                        return
                    if total <= FLOOD_BYTES < total + len(piece):
                        self._widen()
                    total += len(piece)
                    take(piece)
        finally:
            loop.remove_reader(self._readable)

    def _widen(self) -> None:
        """Let the pipe hold more: a flood then comes in fewer pieces."""
        with suppress(OSError):  # its user has too much in pipes already
            fcntl.fcntl(self._readable, fcntl.F_SETPIPE_SZ, FLOOD_READ_BYTES)
