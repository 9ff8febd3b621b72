"""Pacing of long answers: small pieces with rests between them, so that other answers get the loop and the interpreter.

A thread that waits for the interpreter's lock gets it after 5 ms, and a turn waits for it many times. So the work for
a piece takes less than that, whatever the piece is; and what a fast server sends waits in its connection meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable

REST_TIMES = 9.0
"""Rest, as a multiple of the work before: a long answer takes a tenth of a processor."""
FREE_S = 0.01
"""Work for an answer without rests: some hundred events."""
LONGEST_WORK_S = 0.001
"""Aim for the work between two rests. A timer for less would cost more than it gives."""
FEWEST_BYTES = 256
MOST_BYTES = 1 << 16


class Pacing:
    """Share of the loop for the reader of one answer. Work is processor time, so a busy machine changes nothing."""

    def __init__(
        self,
        rest_times: float = REST_TIMES,
        *,
        clock: Callable[[], float] = time.thread_time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Nothing was read yet.

        Args:
            rest_times: Rest, as a multiple of the work before.
            clock: Processor time of the loop's thread.
            sleep: Passing of the time.
        """
        self._rest_times = rest_times
        self._clock = clock
        self._sleep = sleep
        self._free_s = FREE_S
        self._work_s = 0.0
        """Since the last rest."""
        self._size = FEWEST_BYTES

    async def pieces(self, source: AsyncIterable[bytes]) -> AsyncGenerator[bytes, None]:
        """The bytes of a source in pieces; the work for a piece is what is done until the next one is asked for."""
        async for data in source:
            at = 0
            while at < len(data):
                piece = data[at : at + self._size]
                at += len(piece)
                began = self._clock()
                yield piece
                await self._rest(len(piece), self._clock() - began)

    async def _rest(self, size: int, took_s: float) -> None:
        if took_s > LONGEST_WORK_S:
            self._size = max(FEWEST_BYTES, self._size // 2)
        elif size == self._size and took_s < LONGEST_WORK_S / 2:
            self._size = min(MOST_BYTES, self._size * 2)
        self._work_s += took_s
        if self._work_s < LONGEST_WORK_S:
            return
        work_s, self._work_s = self._work_s, 0.0
        self._free_s = max(0.0, self._free_s - work_s)
        await self._sleep(0.0 if self._free_s else self._rest_times * work_s)
