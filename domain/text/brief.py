"""Brief wording of a foreign value for an error message, for any type, length and depth."""

from __future__ import annotations

import math
from functools import cache
from reprlib import Repr

EXCERPT_CHARS = 60
"""Characters."""
_LONGEST_NUMBER = 256
"""Bits; Python refuses to write numbers of more than some thousand digits."""


def brief(value: object, most: int = EXCERPT_CHARS) -> str:
    """Render `value` in at most `most` printable characters of one line, at a cost independent of length and depth."""
    text = "none" if value is None else _shortener(most).repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


class _Shortener(Repr):
    """Renderer of a value's beginning; no part of the value can make it fail."""

    def repr_int(self, x: int, level: int) -> str:
        """A number, or the number's length."""
        if x.bit_length() <= _LONGEST_NUMBER:
            return super().repr_int(x, level)
        return f"<a number of some {int((x.bit_length() - 1) * math.log10(2)) + 1:,} digits>"


@cache
def _shortener(most: int) -> Repr:
    shortener = _Shortener()
    shortener.maxlevel = 3
    shortener.maxstring = shortener.maxother = shortener.maxlong = 3 * most
    return shortener
