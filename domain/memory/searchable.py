"""Searchable text: form for finding a word in any script, a sign, or a number in the keyword index.

The index splits text at blanks and marks. Scripts without blanks between words become overlapping pairs of
letters, so every word is found by the pairs; vowel signs and joiners, which would split a word, are left out.
Emoji and the signs of names such as `C++` become private letters. The words of a searchable text are searchable.
"""

from __future__ import annotations

import re
import unicodedata

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\uac00-\ud7a3"
_OF_SOUTH_EAST_ASIA = "\u0e01-\u0e4f\u0e81-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u17d7\u17dc"
UNSPACED = re.compile(f"[{_HAN}{_KANA}{_HANGUL}{_OF_SOUTH_EAST_ASIA}]+")
"""Run of letters without a blank: Chinese, Japanese, Thai, Lao, Burmese, Khmer, and Korean, where particles join."""
_IDEOGRAPH = re.compile(f"[{_HAN}]")
_SIGNED = re.compile(r"(?<![^\W_])([^\W_]{1,20})(\+\+|#)(?![\w+#])")
"""Name with signs at the end: `C++`, `F#`, `notepad++`."""
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,'\u2019]\d{3})+(?![\d])")
"""Number in groups of three digits."""
_PRIVATE = 0xF0000
_JOINERS = frozenset("\xad\u200b\u200c\u200d\u2060\ufeff")
_MAY_BE_SPECIAL = re.compile(r"[^\x00-\x7f]|[+#]|\d[.,']\d{3}")


def searchable(text: str, *, is_question: bool = False) -> str:
    """`text` with blanks between the words for the index.

    Args:
        text: Text of a turn, or of a question about turns.
        is_question: A turn is found by each single ideograph, too; a question asks only for an ideograph standing
            alone.
    """
    if _MAY_BE_SPECIAL.search(text) is None:
        return text
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    text = UNSPACED.sub(lambda match: f" {' '.join(_pairs(match[0], is_question=is_question))} ", text)
    text = _SIGNED.sub(lambda match: f"{match[1]} {match[1]}{match[2].translate(_PRIVATE_SIGNS)}", text)
    return _GROUPED.sub(_ungroup, text)


def _pairs(run: str, *, is_question: bool) -> list[str]:
    """Overlapping pairs of the letters of a run, and the ideographs of a turn."""
    if len(run) == 1:
        return [run]
    pairs = [run[place : place + 2] for place in range(len(run) - 1)]
    return pairs if is_question else [*pairs, *_IDEOGRAPH.findall(run)]


def _ungroup(match: re.Match[str]) -> str:
    parts = re.findall(r"\d+", match[0])
    return f"{' '.join(parts)} {''.join(parts)}"


class _Signs(dict[int, str]):
    """Code point -> replacement text, for `str.translate`; learns each code point at first use."""

    def __missing__(self, code: int) -> str:
        self[code] = text = _replacement(chr(code))
        return text


def _replacement(sign: str) -> str:
    """Empty for a mark or joiner within a word, a private letter for a pictograph, else `sign`."""
    category = unicodedata.category(sign)
    if category[0] == "M" or sign in _JOINERS:
        return ""
    if category in ("So", "Sk") and ord(sign) > 0x7F:
        return f" {_private(sign)} "
    return sign


def _private(sign: str) -> str:
    return chr(_PRIVATE + (ord(sign) & 0xFFFF) % 0xFFFE)


_SIGNS = _Signs()
_PRIVATE_SIGNS = {ord(sign): _private(sign) for sign in "+#"}
