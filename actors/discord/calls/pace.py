"""Calls begun one at a time, so the loop comes round between them."""

from __future__ import annotations

import asyncio
from collections import deque

APART_S = 0.01
"""Least time since the previous call for an immediate start: the loop will have come round meanwhile."""


class Pace:
    """Pacer of calls: of several waiting calls, one begins in each turn of the loop, in the order of arrival.

    Beginning a call costs the loop some tenths of a millisecond before the wait for Discord. If two hundred windows
    write at once, a heartbeat or a pressed button would wait for all two hundred calls. The number of concurrent calls
    is not limited: calls waiting for a rate limit must not hold up other calls.
    """

    def __init__(self) -> None:
        self._free_at = 0.0
        """On the loop's clock: from then on a call need not wait, if no other does."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        """While there are any the loop will call `_next`."""

    async def turn(self) -> None:
        """Return when the next call may begin."""
        loop = asyncio.get_running_loop()
        if not self._waiting and (now := loop.time()) >= self._free_at:
            self._free_at = now + APART_S
            return
        turn = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            loop.call_soon(self._next)
        await turn

    def _next(self) -> None:
        """Begin the next waiting call, and come back for the rest."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._free_at = loop.time() + APART_S
                break
        if self._waiting:
            loop.call_soon(self._next)
