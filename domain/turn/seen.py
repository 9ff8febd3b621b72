"""Deduplication of messages already received by a window, in bounded space."""

from __future__ import annotations


class SeenMessages:
    """Set of the newest `limit` message ids; for older ids only the logs can tell if a message was received.

    Discord's ids grow with time, so an id above all remembered ids is new.
    """

    def __init__(self, limit: int = 4096) -> None:
        self._limit = limit
        self._order: list[int] = []
        self._ids: set[int] = set()
        self._floor = 0

    def __contains__(self, message_id: str) -> bool:
        """True if `message_id` is remembered."""
        return int(message_id) in self._ids

    def is_in_doubt(self, message_id: str) -> bool:
        """True if `message_id` may have been received although the id is not remembered."""
        number = int(message_id)
        return number <= self._floor and number not in self._ids

    def add(self, message_id: str) -> None:
        """Remember a decimal id.

        Raises:
            ValueError: the id is no decimal number.
        """
        number = int(message_id)
        if number in self._ids:
            return
        self._ids.add(number)
        self._order.append(number)
        if len(self._order) > self._limit:
            oldest = self._order.pop(0)
            self._ids.discard(oldest)
            self.raise_floor(oldest)

    def raise_floor(self, message_id: int) -> None:
        """Ids up to `message_id` may have been had, and be remembered nowhere but in logs."""
        self._floor = max(self._floor, message_id)

    @property
    def newest(self) -> int:
        """The greatest id possibly received; 0 without ids."""
        return max(self._floor, *self._ids) if self._ids else self._floor
