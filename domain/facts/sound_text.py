"""Sound text: valid in UTF-8, so every file, database and socket can hold the text."""

from __future__ import annotations


def sound(text: str) -> str:
    """`text` with surrogate pairs as characters, and U+FFFD for single halves."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
