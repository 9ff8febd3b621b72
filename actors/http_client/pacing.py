"""Pacing of long answers: small pieces with rests between, to leave other answers the loop and interpreter.

A thread waiting for the interpreter's lock gets the lock after 5 ms, and a turn waits for the lock many times. So the
work for a piece takes less time, whatever the piece; data from a fast server waits in the connection meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable

REST_TIMES = 9.0
"""Rest, as a multiple of the work before: long answers take a tenth of a processor together."""
FREE_S = 0.01
"""Work for an answer without rests: some hundred events."""
LONGEST_WORK_S = 0.001
"""Target for the work between two rests. A timer for less work would cost more than the timer gives."""
BYTE_S = 4e-9
"""Work for a byte before its arrival here: of the loop and the HTTP client, both reading ahead."""
FEWEST_BYTES = 256
MOST_BYTES = 1 << 16


class Pace:
    """Share of a loop for the readers of long answers.

    Work is processor time, so a busy machine changes nothing. Waits for a server are rests: an answer at the pace of a
    model takes less than the share, and never rests.
    """

    def __init__(
        self,
        rest_times: float = REST_TIMES,
        *,
        work_clock: Callable[[], float] = time.thread_time,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """No reader yet.

        Args:
            rest_times: Rest, as a multiple of the work before.
            work_clock: Processor time of the loop's thread.
            clock: Time; None for the running loop's.
            sleep: Passing of the time.
        """
        self._rest_times = rest_times
        self._work_clock = work_clock
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._sleep = sleep
        self._resting = 0
        """Readers at rest now, sharing the time."""

    async def pieces(self, source: AsyncIterable[bytes]) -> AsyncGenerator[bytes, None]:
        """The bytes of an answer in pieces; the work for a piece lasts until the caller asks for the next piece."""
        size, free_s, work_s, rested_at = FEWEST_BYTES, FREE_S, 0.0, self._clock()
        async for data in source:
            at = 0
            while at < len(data):
                piece = data[at : at + size]
                at += len(piece)
                began = self._work_clock()
                yield piece
                took_s = self._work_clock() - began
                if took_s > LONGEST_WORK_S:
                    size = max(FEWEST_BYTES, size // 2)
                elif len(piece) == size and took_s < LONGEST_WORK_S / 2:
                    size = min(MOST_BYTES, size * 2)
                work_s += took_s + len(piece) * BYTE_S
                if work_s < LONGEST_WORK_S:
                    continue
                free_s -= work_s
                await self._rest(work_s, self._clock() - rested_at, is_free=free_s > 0)
                work_s, rested_at = 0.0, self._clock()

    async def _rest(self, work_s: float, passed_s: float, *, is_free: bool) -> None:
        """Let other work go on for as long as the work since the last rest demands, waits included."""
        due_s = work_s * (1 + self._rest_times * (1 + self._resting)) - passed_s
        self._resting += 1
        try:
            await self._sleep(0.0 if is_free else max(0.0, due_s))
        finally:
            self._resting -= 1
