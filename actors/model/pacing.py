"""Pacing of long answers: beyond a size the reader rests between pieces, so that other answers get the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

FREE_BYTES = 1 << 16
"""Bytes of an answer that are read without rests: some 250 tokens of a stream."""
REST_TIMES = 9.0
"""Rest between pieces, as a multiple of the time that the piece before took."""


class Pacing:
    """Reader's share of the loop for one answer: a tenth, once the answer is long."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Nothing was read yet.

        Args:
            sleep: Passing of the time.
        """
        self._sleep = sleep
        self._bytes = 0

    async def rest(self, size: int, took_s: float) -> None:
        """Rest after a piece, if the answer is long.

        Args:
            size: Bytes of the piece.
            took_s: Seconds that the piece was read for.
        """
        self._bytes += size
        if self._bytes > FREE_BYTES:
            await self._sleep(REST_TIMES * took_s)
