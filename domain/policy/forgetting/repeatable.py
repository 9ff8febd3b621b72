"""Rule for texts whose verbatim repetitions are forgotten along with the texts."""

from __future__ import annotations

from messages.forget import LEAST_REPEATED_CHARS

_LEAST_PLAIN_CHARS = 18


def is_repeatable(text: str) -> bool:
    """True if an equal text is hardly an accident: 18 characters, or 12 with a digit."""
    least = LEAST_REPEATED_CHARS if any(map(str.isdecimal, text)) else _LEAST_PLAIN_CHARS
    return len(text) >= least
