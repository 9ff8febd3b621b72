"""Invisible and bidirectional characters made visible, so that a text can be shown to people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SUSPECT = re.compile(
    f"[{_BIDI}\u00ad\u034f\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e007f"
    # format characters (category Cf) of rarer use: ruby, shorthand, music, hieroglyphs
    "\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
_TAG_END = "\U000e007f"
_FLAG_WITH_TAGS = re.compile(f"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{3,6}}{_TAG_END}")
_JOINING_SCRIPTS = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af]")
"""Arabic and its kin, Indic scripts, Tibetan, Burmese, Khmer, Mongolian: there joiners change what is read."""


def presentable(text: str) -> str:
    r"""`text` with characters that hide or reorder others shown as `\u202e`.

    Emoji and scripts keep what they need: a joiner between two emoji, a joiner after a letter of a script that joins,
    and the tags of a flag.
    """
    return reveal(text, _escaped)


def reveal(text: str, escaped: Callable[[str], str]) -> str:
    """`text` with the same characters shown as `escaped` says."""
    return _SUSPECT.sub(lambda match: match[0] if _belongs(text, match.start()) else escaped(match[0]), text)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _belongs(text: str, at: int) -> bool:
    character = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if character == "\u200d":
        return (_is_emoji_part(before) and _is_emoji(after)) or _joins(before)
    if character == "\u200c":
        return _joins(before) and _joins(after)
    if "\U000e0020" <= character <= _TAG_END:
        return _is_in_flag(text, at)
    return False


def _joins(character: str) -> bool:
    """Whether it is written in a script that joins; a mark that is itself invisible is not."""
    return bool(_JOINING_SCRIPTS.match(character)) and unicodedata.category(character) != "Cf"


def _is_emoji(character: str) -> bool:
    return bool(character) and unicodedata.category(character) == "So"


def _is_emoji_part(character: str) -> bool:
    """An emoji, the variation selector after one, or a skin tone."""
    return _is_emoji(character) or character == "\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff"


def _is_in_flag(text: str, at: int) -> bool:
    """Whether a tag is one of a black flag's at most six, ended as it should be."""
    begin = at
    while begin > 0 and at - begin < 8 and "\U000e0020" <= text[begin - 1] <= "\U000e007e":
        begin -= 1
    return begin > 0 and _FLAG_WITH_TAGS.match(text, begin - 1) is not None
