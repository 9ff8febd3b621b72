"""Calls begun one at a time, so that the loop comes round between them."""

from __future__ import annotations

import asyncio
from collections import deque

APART_S = 0.01
"""A call that comes later than this after the one before may begin at once: the loop will have come round meanwhile."""


class Pace:
    """Pacer of calls: of those that come together one begins in each turn of the loop, in the order in which they ask.

    Beginning a call costs the loop some tenths of a millisecond before it waits for Discord. Two hundred windows that
    write at once would keep a heartbeat, or a pressed button, waiting for all of them. How many calls are under way is
    not bounded: those that wait for a rate limit must not hold up others.
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
        """Let the next one begin that still waits, and come back for the others."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._free_at = loop.time() + APART_S
                break
        if self._waiting:
            loop.call_soon(self._next)
