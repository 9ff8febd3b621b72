"""Characters as readers see a text, of one or more code points, and the edges of characters."""

from __future__ import annotations

import unicodedata

_LONGEST_CLUSTER = 64
"""Code points searched for the edge of a character before the character is cut."""
_VIRAMA = 9
"""Combining class of the sign that joins the letters on both sides."""
_SPACING = "\u0e33\u0eb3"
"""Vowels of Thai and Lao that belong to the letter before."""


def units(text: str) -> int:
    """Length in UTF-16 code units; never less than the number of code points."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def farthest_end(text: str, start: int, room: int) -> int:
    """The greatest end with at most `room` units in `text[start:end]`."""
    end = min(len(text), start + room)
    while (excess := units(text[start:end]) - room) > 0:
        end -= (excess + 1) // 2
    return end


def character_edge(text: str, start: int, farthest: int) -> int:
    """The last place at or before `farthest` that splits neither a character nor a run of backticks."""
    for end in range(farthest, max(start, farthest - _LONGEST_CLUSTER), -1):
        if not is_joined(text, end):
            return end
    return farthest - 1 if _is_pair(text, farthest) and farthest - 1 > start else farthest


def is_joined(text: str, at: int) -> bool:
    """True if the code points before and after `at` are shown as one character (the common cases of UAX 29)."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return before == after == "`" or (before, after) == ("\r", "\n")
    return (
        before == "\u200d"
        or _extends(after)
        or _is_pair(text, at)
        or _splits_flag(text, at)
        or (unicodedata.combining(before) == _VIRAMA and after.isalpha())
    )


def _extends(character: str) -> bool:
    """True if the character belongs to the preceding character: marks, joiners, skin tones, tags, Hangul finals."""
    return (
        unicodedata.category(character) in {"Mn", "Mc", "Me"}
        or character in "\u200c\u200d"
        or character in _SPACING
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or "\u1160" <= character <= "\u11ff"
    )


def _is_pair(text: str, at: int) -> bool:
    return 0 < at < len(text) and "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff"


def _splits_flag(text: str, at: int) -> bool:
    """True if `at` is between the two letters of a flag."""
    if not (_is_flag_letter(text[at - 1]) and _is_flag_letter(text[at])):
        return False
    first = at - 1
    while first > 0 and _is_flag_letter(text[first - 1]):
        first -= 1
    return (at - first) % 2 == 1


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
