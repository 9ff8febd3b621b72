"""Stretches of text, in order, and the one around a place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """Stretch from one index up to another."""

    begin: int
    end: int


class Spans:
    """Set of stretches; overlapping stretches count as one, touching stretches do not."""

    def __init__(self, spans: Iterable[Span]) -> None:
        """Merge the stretches."""
        self._ends: list[int] = []
        self._begins: list[int] = []
        for begin, end in sorted(spans):
            if self._ends and begin < self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._begins.append(begin)
                self._ends.append(end)

    def around(self, at: int) -> Span | None:
        """Stretch around a cut at `at`; None without a stretch."""
        place = bisect_left(self._begins, at) - 1
        return Span(self._begins[place], self._ends[place]) if place >= 0 and at < self._ends[place] else None
