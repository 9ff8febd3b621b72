"""Silence of a server: how long it may say nothing before an attempt counts as failed."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Silence:
    """Deadline that each sign of life puts off; to within a twentieth, since a timer for each chunk would cost.

    A context manager for one attempt, as often as wanted; `TimeoutError` comes out of it when the deadline has passed.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._timeout = asyncio.timeout(None)

    async def __aenter__(self) -> Silence:
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._timeout.__aexit__(kind, error, trace)

    def heard(self) -> None:
        """Begin to count anew."""
        deadline, set_to = asyncio.get_running_loop().time() + self._limit_s, self._timeout.when()
        if set_to is None or deadline - set_to > self._limit_s / 20:
            self._timeout.reschedule(deadline)
