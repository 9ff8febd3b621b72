"""Output pipe: what a command and all its children write to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

READ_BYTES = 64 * 1024
READS_AT_ONCE = 4
"""Reads after which other commands get a chance."""


class OutputPipe:
    """Both ends of a pipe; the writing one is for the command and is to be closed here once the command has it."""

    def __init__(self) -> None:
        self._readable, self._writable = os.pipe()
        os.set_blocking(self._readable, False)

    @property
    def writing_end(self) -> int:
        """What the command writes to."""
        return self._writable

    def close_writing_end(self) -> None:
        """Leave the pipe to the command; again, nothing more."""
        if self._writable >= 0:
            os.close(self._writable)
            self._writable = -1

    def close(self) -> None:
        """Close what is still open here; again, nothing more."""
        self.close_writing_end()
        if self._readable >= 0:
            os.close(self._readable)
            self._readable = -1

    async def read(self, take: Callable[[bytes], None]) -> None:
        """Give all output to `take`, until everyone who could write more has closed the pipe."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(self._readable, readable.set)
        try:
            while True:
                await readable.wait()
                readable.clear()
                for _ in range(READS_AT_ONCE):
                    try:
                        piece = os.read(self._readable, READ_BYTES)
                    except BlockingIOError:
                        break
                    if not piece:
                        return
                    take(piece)
        finally:
            loop.remove_reader(self._readable)
