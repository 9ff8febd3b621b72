"""Invisible and bidirectional characters made visible or left out to make a text fit to show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SELECTOR = re.compile(f"[{_SELECTORS}]")
_SUSPECT = re.compile(
    f"[{_BIDI}{_SELECTORS}\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u206f\u3164\ufeff\uffa0"
    # of the plane of tags also what is not assigned yet, for that is to be invisible
    "\ufff0-\ufff8\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
    # format characters (category Cf) of rarer use: ruby, shorthand, music, hieroglyphs
    "\ufff9-\ufffc\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a]"
)
_TAG_END = "\U000e007f"
_FLAG_WITH_TAGS = re.compile(f"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{3,6}}{_TAG_END}")
_JOINING_SCRIPTS = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1800-\u18af]")
"""Arabic and its kin, Indic scripts, Tibetan, Burmese, Khmer, Mongolian: here joiners change the reading."""
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MONGOLIAN = re.compile("[\u1807\u180a\u1810-\u18af]")
_KEYS = frozenset("#*0123456789")
_PICTURED = frozenset("\u203c\u2049\u2139\u3030")
"""Characters with a picture, not counted as symbols."""


def presentable(text: str) -> str:
    r"""`text` with characters that hide or reorder other characters shown as `\u202e`.

    Emoji and scripts keep necessary characters: a joiner between two emoji, a joiner after a letter of a
    joining script, a selector after a character with several forms, and the tags of a flag.
    """
    return reveal(text, _escape_character)


def without_hidden(text: str, allowed: str = "") -> str:
    """`text` without the same characters, as a reader sees the text; characters in `allowed` stay."""
    if text.isascii():
        return text
    bare = reveal(text, lambda character: character if character in allowed else "")
    return bare if bare == text else without_hidden(bare, allowed)


def reveal(text: str, escaped: Callable[[str], str]) -> str:
    """`text` with the same characters shown as `escaped` says."""
    return _SUSPECT.sub(lambda match: match[0] if _belongs(text, match.start()) else escaped(match[0]), text)


def _escape_character(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _belongs(text: str, at: int) -> bool:
    character = text[at]
    before = text[at - 1] if at else ""
    after = text[at + 1] if at + 1 < len(text) else ""
    if _SELECTOR.match(character):
        return _is_selected(before, character, after)
    if _SELECTOR.match(before) and not _belongs(text, at - 1):
        before = ""
    if _SUSPECT.match(after):
        after = ""
    if character == "\u200d":
        return (_is_emoji_part(before) and _is_emoji(after)) or _joins(before)
    if character == "\u200c":
        return _joins(before) and _joins(after)
    if "\U000e0020" <= character <= _TAG_END:
        return _is_in_flag(text, at)
    return False


def _joins(character: str) -> bool:
    """True if the character is written in a joining script; an invisible mark is not."""
    return bool(_JOINING_SCRIPTS.match(character)) and (
        not _SUSPECT.match(character) or bool(_SELECTOR.match(character))
    )


def _is_selected(before: str, selector: str, after: str) -> bool:
    """True if a selector chooses among the forms of the character before."""
    if selector >= "\U000e0100":
        return bool(_HAN.match(before))
    if selector < "\u1810":
        return bool(_MONGOLIAN.match(before))
    if before in _KEYS:
        return selector == "\ufe0f" and after == "\u20e3"
    if not before or _SUSPECT.match(before):
        return False
    is_symbol = before > "\x7f" and unicodedata.category(before) in ("So", "Sm", "Sk")
    return is_symbol or before in _PICTURED or bool(_HAN.match(before)) or _joins(before)


def _is_emoji(character: str) -> bool:
    return bool(character) and unicodedata.category(character) == "So" and not _SUSPECT.match(character)


def _is_emoji_part(character: str) -> bool:
    """True for an emoji, the variation selector after an emoji, or a skin tone."""
    return _is_emoji(character) or character == "\ufe0f" or "\U0001f3fb" <= character <= "\U0001f3ff"


def _is_in_flag(text: str, at: int) -> bool:
    """True if a tag is among the at most six tags of a black flag, ended correctly."""
    begin = at
    while begin > 0 and at - begin < 8 and "\U000e0020" <= text[begin - 1] <= "\U000e007e":
        begin -= 1
    return begin > 0 and _FLAG_WITH_TAGS.match(text, begin - 1) is not None
