"""Calls begun one at a time, so that the loop comes round between them."""

from __future__ import annotations

import asyncio
from collections import deque

_AT_ONCE = 1


class Pace:
    """Pacer of calls: one begins in each turn of the loop, in the order in which they ask.

    A call costs the loop about a millisecond before it waits for Discord. Two hundred windows that write at once would
    keep a heartbeat, or a pressed button, waiting for a fifth of a second. How many calls are under way is not bounded:
    those that wait for a rate limit must not hold up others.
    """

    def __init__(self) -> None:
        self._begun = 0
        """In this turn of the loop."""
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Return when the next call may begin."""
        loop = asyncio.get_running_loop()
        if self._begun == 0:
            loop.call_soon(self._next)
        if self._begun < _AT_ONCE:
            self._begun += 1
            return
        turn = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next(self) -> None:
        """A turn of the loop is over."""
        self._begun = 0
        while self._waiting and self._begun < _AT_ONCE:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._begun += 1
        if self._begun:
            asyncio.get_running_loop().call_soon(self._next)
