"""Limiter of coroutines that hold a scarce resource: a bounded number at once, the windows in turn."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from domain.policy.fair_queue import FairQueue
from messages.base import RequestId, Window


@dataclass(frozen=True, slots=True)
class _Place:
    """Place in the queue."""

    request_id: RequestId
    window: Window
    admitted: asyncio.Future[None]


class FairLimiter:
    """Semaphore for windows in turn, each window with at most a single turn at a time; lives on one loop."""

    def __init__(self, limit: int) -> None:
        """Begin without holders; at most `limit` coroutines hold the semaphore at once, `limit` >= 1."""
        self._queue: FairQueue[_Place] = FairQueue(limit)
        self._numbers = itertools.count()

    @asynccontextmanager
    async def turn(self, window: Window) -> AsyncIterator[None]:
        """Wait for the window's turn, and keep the turn until the end of the block."""
        number = RequestId(str(next(self._numbers)))
        place = _Place(number, window, asyncio.get_running_loop().create_future())
        self._queue.enter(place)
        try:
            self._admit()
            await place.admitted
            yield
        finally:
            self._queue.leave(number)
            self._admit()

    def _admit(self) -> None:
        while (place := self._queue.admit()) is not None:
            # One whose waiting was cancelled leaves as soon as its task runs.
            if not place.admitted.done():
                place.admitted.set_result(None)
