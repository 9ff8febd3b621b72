"""Message history of one channel in order of id, bounded, paged as Discord does."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Generic, Protocol, TypeVar


class HasId(Protocol):
    """Anything with a snowflake."""

    @property
    def id(self) -> int:
        """The snowflake."""


T = TypeVar("T", bound=HasId)


class History(Generic[T]):
    """Messages ordered by id; adding at the end, finding and paging never scan the channel."""

    __slots__ = ("_by_id", "_ids", "_limit")

    def __init__(self, limit: int = 10_000) -> None:
        """Begin empty.

        Args:
            limit: Most entries kept, >= 1; beyond the limit the oldest are forgotten.
        """
        if limit < 1:
            raise ValueError(f"history limit {limit}: must be at least 1")
        self._limit = limit
        self._ids: list[int] = []
        self._by_id: dict[int, T] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, entry: T) -> None:
        """Keep `entry`, normally the newest; forgets an eighth of the limit at once when full."""
        if self._ids and entry.id < self._ids[-1]:
            self._ids.insert(bisect_left(self._ids, entry.id), entry.id)
        else:
            self._ids.append(entry.id)
        self._by_id[entry.id] = entry
        if len(self._ids) > self._limit:
            self._forget(max(1, self._limit // 8))

    def get(self, entry_id: int) -> T | None:
        """Entry with the id, or None if missing."""
        return self._by_id.get(entry_id)

    def remove(self, entry_id: int) -> T | None:
        """Remove an entry and return the entry, or None if there was no entry."""
        entry = self._by_id.pop(entry_id, None)
        if entry is not None:
            del self._ids[bisect_left(self._ids, entry_id)]
        return entry

    def before(self, entry_id: int | None, limit: int) -> list[T]:
        """At most `limit` entries older than `entry_id` (None: the newest), newest first."""
        end = len(self._ids) if entry_id is None else bisect_left(self._ids, entry_id)
        return [self._by_id[i] for i in reversed(self._ids[max(0, end - limit) : end])]

    def after(self, entry_id: int, limit: int) -> list[T]:
        """`limit` entries next after `entry_id`, newest first as sent by Discord."""
        start = bisect_right(self._ids, entry_id)
        return [self._by_id[i] for i in reversed(self._ids[start : start + limit])]

    def around(self, entry_id: int, limit: int) -> list[T]:
        """At most `limit` entries with `entry_id` in the middle, newest first."""
        middle = bisect_left(self._ids, entry_id)
        start = max(0, middle - limit // 2)
        return [self._by_id[i] for i in reversed(self._ids[start : start + limit])]

    def _forget(self, count: int) -> None:
        for entry_id in self._ids[:count]:
            del self._by_id[entry_id]
        del self._ids[:count]
