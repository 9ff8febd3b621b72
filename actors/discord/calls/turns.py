"""Limiter of concurrent calls; an unanswered call soon stops holding up the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Semaphore of turns; a turn ends when its holder leaves, or after too long a time; lives on the loop."""

    def __init__(self, at_once: int, longest_s: float) -> None:
        """Begin with all turns free.

        Args:
            at_once: Turns, >= 1.
            longest_s: A slower holder goes on, and its turn passes to the next caller.
        """
        self._free = asyncio.Semaphore(at_once)
        self._longest_s = longest_s

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and take the turn."""
        await self._free.acquire()
        has_turn = True

        def end() -> None:
            nonlocal has_turn
            if has_turn:
                has_turn = False
                self._free.release()

        ending = asyncio.get_running_loop().call_later(self._longest_s, end)
        try:
            yield
        finally:
            ending.cancel()
            end()
