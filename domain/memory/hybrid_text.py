"""Text of a turn for embedding and for the index: the words with author and time."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from domain.memory.letters import plain_letters
from domain.memory.searchable import searchable

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def embedded_text(author: str, at: datetime, text: str) -> str:
    """Text to embed for a turn.

    Args:
        author: The display name.
        at: Time of the turn, aware; the date in the given zone counts.
    """
    return f"{_name(author)} ({at.day} {_MONTHS[at.month - 1]} {at.year}): {text}"


def keyword_text(author: str, at: datetime, text: str) -> str:
    """The text to index by words for a turn; arguments as of `embedded_text`."""
    return searchable(plain_letters(f"{_name(author)}: {text} {_MONTHS[at.month - 1]} {at.year}"))


@lru_cache(1024)
def _name(author: str) -> str:
    return " ".join(author.split()) or "somebody"
