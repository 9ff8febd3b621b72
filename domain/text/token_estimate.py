"""Estimate of a text's tokens before a server has counted: by script, since tokenizers differ.

English takes about four characters a token. This is the unit: every other script is weighed against English.
"""

from __future__ import annotations

CHARS_PER_TOKEN = 4
"""Of English prose."""
PICTURE_CHARS = 4_800
"""Weight of a picture, in characters of English."""
_MARKS = bytes(range(0x21, 0x61)) + b"{|}~"
"""ASCII's digits, capitals and punctuation: a fifth of prose at most, more than half of base64."""
_MARKS_OF_PROSE = 5
"""Letters to a mark."""
_FEW_MARKS = 64
"""In any text: a date, the arguments of a short command."""
_DEARER = 3
"""Characters of English for each mark beyond the marks of prose."""


def weighed_chars(text: str) -> int:
    """Characters of English prose that take as many tokens as a text: the text's length for English.

    A Cyrillic letter weighs two and a half, a Chinese character four, an emoji more than five; code weighs a little
    more than prose, and base64 twice as much.
    """
    data = text.encode("utf-8", "surrogatepass")
    marks = len(data) - len(data.translate(None, _MARKS))
    marks_beyond = max(0, marks - len(text) // _MARKS_OF_PROSE - _FEW_MARKS)
    further_bytes = len(data) - len(text)
    return len(text) + 3 * further_bytes // 2 + _DEARER * marks_beyond


def tokens_of_text(text: str) -> int:
    """Tokens of a text, at least one."""
    return weighed_chars(text) // CHARS_PER_TOKEN + 1
