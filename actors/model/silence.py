"""Silence of a server: longest time without data, or without content, before an attempt counts as failed."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Silence:
    """Deadlines put off by signs of life and content; to within a twentieth, since a timer for each would cost.

    A context manager for an attempt, reusable; raises `TimeoutError` when a deadline has passed.
    """

    def __init__(self, limit_s: float, content_limit_s: float) -> None:
        """Nothing is counted yet.

        Args:
            limit_s: Longest time without a byte.
            content_limit_s: Longest time without a word, thought or call, whatever else keeps the connection awake.
        """
        self._limit_s = limit_s
        self._content_limit_s = content_limit_s
        self._content_due: float | None = None
        self._timeout = asyncio.timeout(None)
        self.lacks_content = False
        """True if the second deadline has passed."""

    async def __aenter__(self) -> Silence:
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        now = asyncio.get_running_loop().time()
        self.lacks_content = self._content_due is not None and self._content_due <= now and self._timeout.expired()
        await self._timeout.__aexit__(kind, error, trace)

    def hear(self, *, has_content: bool = False) -> None:
        """Begin to count anew; the time without content only where there is content."""
        now = asyncio.get_running_loop().time()
        if has_content or self._content_due is None:
            self._content_due = now + self._content_limit_s
        deadline, set_to = min(now + self._limit_s, self._content_due), self._timeout.when()
        if set_to is None or abs(deadline - set_to) > self._limit_s / 20:
            self._timeout.reschedule(deadline)
