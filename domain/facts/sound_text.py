"""Sound text: such as UTF-8, and with it every file, database and socket, can hold."""

from __future__ import annotations


def sound(text: str) -> str:
    """`text` with its surrogate pairs as the characters that they are, and U+FFFD for halves that stand alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
