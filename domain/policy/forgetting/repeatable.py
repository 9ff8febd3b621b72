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
