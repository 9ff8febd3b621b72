"""Deduplication of messages that a window has had already, in bounded space."""

from __future__ import annotations

from collections import deque


class SeenMessages:
    """Remembers the newest `limit` message ids; whatever is older than all of those counts as seen.

    Discord's ids grow with time, so an id below the remembered ones is a replay, not news.
    """

    def __init__(self, limit: int = 4096) -> None:
        self._limit = limit
        self._order: deque[int] = deque()
        self._ids: set[int] = set()
        self._floor = -1

    def __contains__(self, message_id: str) -> bool:
        """Whether `message_id` was added, or is too old to be new."""
        number = int(message_id)
        return number in self._ids or number <= self._floor

    def add(self, message_id: str) -> None:
        """Remember a decimal id.

        Raises:
            ValueError: it is no decimal number.
        """
        number = int(message_id)
        if number in self._ids:
            return
        self._ids.add(number)
        self._order.append(number)
        if len(self._order) > self._limit:
            oldest = self._order.popleft()
            self._ids.discard(oldest)
            self._floor = max(self._floor, oldest)

    @property
    def newest(self) -> str:
        """The greatest id so far; empty when there is none."""
        return str(max(self._ids)) if self._ids else ""
