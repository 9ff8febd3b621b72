"""Progress of an import: the part read of each place, and an estimate of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from messages.base import Window
from messages.past import PastPlace

NEWEST = (1 << 63) - 1
"""No message has a greater id."""
TELLING = 0.01
"""Share of a place's time that must be read before the rest is estimated: one lively day says nothing of ten years."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Progress in a place, from its newest message back to its first, or to an earlier import."""

    window: Window
    top: int
    """Greatest id covered by this reading."""
    after: int
    """Greatest id covered by an earlier import; 0 without an earlier import."""
    before: int
    """All messages from this id up to `top` are in logs."""
    stored: int = 0
    """Messages taken in here by imports."""
    read: int = 0
    """Messages seen by this reading."""
    is_done: bool = False

    def take(self, oldest: int, newest: int, read: int, stored: int, *, is_last: bool) -> Reading:
        """The same behind further messages, with their least and greatest ids."""
        return replace(
            self,
            top=newest if self.top == NEWEST else self.top,
            before=min(self.before, oldest or self.before),
            read=self.read + read,
            stored=self.stored + stored,
            is_done=is_last,
        )

    @property
    def share(self) -> float:
        """Read part of the place's time, 0 to 1; a channel is as old as its id."""
        if self.is_done:
            return 1.0
        top = self.top if self.top < NEWEST else self.before
        span = top - max(self.after, int(self.window.id))
        return min(1.0, max(0.0, (top - self.before) / span)) if span > 0 else 0.0


def begin(place: PastPlace, earlier: Reading | None) -> Reading:
    """Reading of a place: a first reading, the rest of an earlier reading, or newer messages only."""
    top = place.newest or NEWEST
    if earlier is None:
        return Reading(window=place.window, top=top, after=0, before=min(top + 1, NEWEST))
    if not earlier.is_done or (place.newest and place.newest <= earlier.top):
        return earlier
    after = earlier.top if earlier.top < NEWEST else 0
    return Reading(window=place.window, top=top, after=after, before=min(top + 1, NEWEST), stored=earlier.stored)


def estimate_left(readings: Iterable[Reading]) -> int:
    """Messages that are likely left, as if each place had been as busy before as it was in what is read of it.

    A place of which too little is read counts as the mean of the others; 0 while that holds for all.
    """
    begun, left, fresh, seen = 0, 0.0, 0, 0
    for reading in readings:
        if reading.share >= TELLING:
            begun += 1
            seen += reading.read
            left += reading.read / reading.share - reading.read
        else:
            fresh += 1
    return round(left + (fresh * (seen + left) / begun if begun else 0))


def newest_first(readings: Mapping[Window, Reading]) -> list[Window]:
    """Windows not yet read to their beginning, in order of their newest unread messages, newest first."""
    left = [reading for reading in readings.values() if not reading.is_done]
    return [reading.window for reading in sorted(left, key=lambda each: -min(each.before, each.top + 1))]
