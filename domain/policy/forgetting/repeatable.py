"""Rule for texts whose verbatim repetitions are forgotten along with the texts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from messages.forget import LEAST_REPEATED_CHARS

_LEAST_PLAIN_CHARS = 18
_CLOCKS = timedelta(minutes=10)
"""Largest expected difference between the clocks of Discord and of this machine."""


def is_repeatable(text: str) -> bool:
    """True if an equal text is hardly an accident: 18 characters, or 12 with a digit."""
    least = LEAST_REPEATED_CHARS if any(map(str.isdecimal, text)) else _LEAST_PLAIN_CHARS
    return len(text) >= least


def first_repetition(times: Iterable[datetime]) -> datetime | None:
    """Time before which a text of the agent repeats no words said at the given times; None without words."""
    first = min(times, default=None)
    return None if first is None else first - _CLOCKS


def repetitions_since(counted_at: datetime, dates: Iterable[datetime]) -> datetime:
    """Time of the first repetition of forgotten words that the count may have missed.

    Args:
        counted_at: Time of the count by our clock, which may have been ahead or behind.
        dates: Discord's dates of the forgotten messages: all are from before the count, unless a whole window goes.
    """
    known = sorted(dates)
    if not known:
        return counted_at
    return min(max(counted_at, known[0]), known[-1]) - _CLOCKS
