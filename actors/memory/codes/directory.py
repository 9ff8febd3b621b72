"""Index from rows to slots of the codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class RowDirectory:
    """Index from rows to their last slot: one sorted part, and a small part for later rows out of order."""

    def __init__(self, most_late: int) -> None:
        """Begin without rows.

        Args:
            most_late: Rows out of order searched apart before all are sorted anew.
        """
        self._most_late = most_late
        self._sorted_count = 0
        self._order: NDArray[np.int64] | None = None
        self._late: NDArray[np.int64] | None = None

    def extend(self, rows: NDArray[np.int64]) -> None:
        """`rows` has become longer."""
        begin = self._sorted_count
        if self._order is None and bool((np.diff(rows[max(0, begin - 1) :]) > 0).all()):
            self._sorted_count = len(rows)
        elif len(rows) - begin > self._most_late:
            self._order = np.argsort(rows, kind="stable")
            self._sorted_count = len(rows)
        self._late = None

    def slots(self, keys: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The last slot of each of `keys` in `rows`; -1 without a slot."""
        slots = _search(rows[: self._sorted_count], self._order, keys)
        if self._sorted_count < len(rows):
            late = rows[self._sorted_count :]
            if self._late is None:
                self._late = np.argsort(late, kind="stable")
            later = _search(late, self._late, keys)
            slots = np.where(later >= 0, later + self._sorted_count, slots)
        return slots


def _search(rows: NDArray[np.int64], order: NDArray[np.int64] | None, keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Last place of each of `keys` in `rows`, which ascend in `order`; -1 for a missing key."""
    if not len(rows):
        return np.full(len(keys), -1)
    at = np.searchsorted(rows, keys, side="right", sorter=order) - 1
    places = at if order is None else np.where(at >= 0, order[at], -1)
    return np.where((places >= 0) & (rows[places] == keys), places, -1)
