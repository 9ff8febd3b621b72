"""Table of ids: a number for each, in sorted columns of 12 bytes where a dict takes 150."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

MOST_IDS = (1 << 64) - 1
MOST_NUMBERS = (1 << 32) - 2
"""Greatest number that an id can have."""
_NONE = MOST_NUMBERS + 1
_LEAST_SORTED_IN = 1_024
_SHARE_SORTED_IN = 16
"""New ids wait in a dict until they are so many, or the sixteenth of all: then they are sorted in."""


class IdTable:
    """Map from ids to numbers, 0 to 2^32 - 2. An id is found in 2 us among 100,000.

    Ids are 0 to 2^64 - 1, as Discord's are; others have a place, too, but not in the columns.
    """

    __slots__ = ("_count", "_ids", "_new", "_numbers", "_others")

    def __init__(self) -> None:
        self._ids = array("Q")
        """In order."""
        self._numbers = array("I")
        """One for each of them; `_NONE` for an id that was taken out."""
        self._new: dict[int, int] = {}
        self._others: dict[int, int] = {}
        """Ids that the columns cannot hold."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, id_: int) -> bool:
        return self.get(id_) is not None

    def __iter__(self) -> Iterator[int]:
        """All ids, in no order; none may come or go meanwhile."""
        return (id_ for id_, _ in self.pairs())

    def pairs(self) -> Iterator[tuple[int, int]]:
        """All ids with their numbers; none may come or go meanwhile."""
        for id_, number in zip(self._ids, self._numbers, strict=True):
            if number != _NONE:
                yield id_, number
        yield from self._new.items()
        yield from self._others.items()

    def get(self, id_: int) -> int | None:
        """The number of an id; None of one that is not there."""
        place = self._place(id_)
        if place is None:
            return self._apart(id_).get(id_)
        number = self._numbers[place]
        return None if number == _NONE else number

    def put(self, id_: int, number: int) -> None:
        """Give an id a number, whether or not it has one.

        Raises:
            ValueError: the number is out of its range.
        """
        if not 0 <= number <= MOST_NUMBERS:
            raise ValueError(f"number {number} of id {id_}: 0 to {MOST_NUMBERS} is required")
        place = self._place(id_)
        if place is not None:
            self._count += self._numbers[place] == _NONE
            self._numbers[place] = number
            return
        apart = self._apart(id_)
        self._count += id_ not in apart
        apart[id_] = number
        if len(self._new) > max(_LEAST_SORTED_IN, len(self._ids) // _SHARE_SORTED_IN):
            self._sort_in()

    def pop(self, id_: int) -> int | None:
        """Take an id out; its number, or None for an id that is absent."""
        place = self._place(id_)
        if place is None:
            number = self._apart(id_).pop(id_, None)
        else:
            number = None if self._numbers[place] == _NONE else self._numbers[place]
            self._numbers[place] = _NONE
        self._count -= number is not None
        return number

    def clear(self) -> None:
        """Take all out."""
        self._ids, self._numbers, self._count = array("Q"), array("I"), 0
        self._new.clear()
        self._others.clear()

    def _apart(self, id_: int) -> dict[int, int]:
        """Dictionary of an id that the columns do not have."""
        return self._new if 0 <= id_ <= MOST_IDS else self._others

    def _place(self, id_: int) -> int | None:
        """Index of an id in the columns, with a number or without; None for an absent id."""
        place = bisect_left(self._ids, id_)
        return place if place < len(self._ids) and self._ids[place] == id_ else None

    def _sort_in(self) -> None:
        """Sort in what is new, and leave out what was taken out."""
        ids = np.concatenate((np.array(self._ids, np.uint64), np.fromiter(self._new, np.uint64)))
        numbers = np.concatenate((np.array(self._numbers, np.uint32), np.fromiter(self._new.values(), np.uint32)))
        kept = np.flatnonzero(numbers != _NONE)
        order = kept[np.argsort(ids[kept], kind="stable")]
        self._ids, self._numbers = array("Q", ids[order].tobytes()), array("I", numbers[order].tobytes())
        self._new = {}
