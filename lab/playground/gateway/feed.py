"""Event feed: all events, in order, for listeners and waiting callers; without polling."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Callable
from itertools import islice

from lab.playground.gateway.events import Event

logger = logging.getLogger(__name__)

Listener = Callable[[Event], None]
Predicate = Callable[[Event], bool]


class Feed:
    """The order of events; used on the server's loop only."""

    def __init__(self, recent_limit: int = 2000) -> None:
        """Begin without events.

        Args:
            recent_limit: Number of events kept readable after their occurrence.
        """
        self.seq = 0
        """Number of the newest event; 0 before the first."""
        self._recent: deque[Event] = deque(maxlen=recent_limit)
        self._listeners: list[Listener] = []
        self.waiters: defaultdict[int | None, list[tuple[Predicate, asyncio.Future[Event]]]] = defaultdict(list)

    def publish(self, event: Event) -> None:
        """Number `event`, keep the event for a while, tell all listeners; a listener that raises is dropped."""
        self.seq += 1
        event.seq = self.seq
        self._recent.append(event)
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                logger.exception("listener %r of the playground's feed failed and gets no more events", listener)
                self.unsubscribe(listener)
        if self.waiters:
            self._wake(None, event)
            if event.channel_id is not None:
                self._wake(event.channel_id, event)

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` for every event from now on."""
        self._listeners.append(listener)

    def unsubscribe(self, listener: Listener) -> None:
        """Stop calling `listener`; without effect for an unknown listener."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def since(self, seq: int) -> list[Event]:
        """The kept events after number `seq`, oldest first."""
        missing = self.seq - seq
        if missing <= 0:
            return []
        return list(islice(self._recent, max(0, len(self._recent) - missing), None))

    async def wait(self, predicate: Predicate, timeout_s: float, channel_id: int | None = None) -> Event:
        """Next event that satisfies `predicate`.

        Args:
            predicate: Called once per event, in order.
            timeout_s: Longest wait; beyond the limit `TimeoutError`.
            channel_id: Only channel whose events reach the predicate, to keep thousands of waiters cheap.
        """
        future: asyncio.Future[Event] = asyncio.get_running_loop().create_future()
        entry = (predicate, future)
        self.waiters[channel_id].append(entry)
        try:
            async with asyncio.timeout(timeout_s):
                return await future
        finally:
            waiting = self.waiters[channel_id]
            if entry in waiting:
                waiting.remove(entry)
            if not waiting:
                del self.waiters[channel_id]

    def _wake(self, key: int | None, event: Event) -> None:
        for predicate, future in tuple(self.waiters.get(key, ())):
            if future.done():
                continue
            try:
                if predicate(event):
                    future.set_result(event)
            except Exception as error:  # noqa: BLE001  # it is the waiter's own, and goes to the waiter
                future.set_exception(error)
