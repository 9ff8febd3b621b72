"""Plain letters: one spelling of each letter, so `Łódź` and `Lodz`, `Straße` and `strasse`, `٢٤` and `24` meet.

Both the index and the question are written in plain letters, so each spelling finds all others. The tokenizer of the
index takes one accent off a Latin letter; two accents, strokes, ligatures, Greek accents, letters with several forms on
Arabic keyboards, and digits of other scripts are left to this module.
"""

from __future__ import annotations

import re
import unicodedata

_LATIN_LETTERS = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ł": "l",
    "ħ": "h",
    "ŧ": "t",
}
_SPELLINGS = {
    **_LATIN_LETTERS,
    "\u0131": "i",  # the dotless i
    "ё": "\u0435",
    "ς": "\u03c3",
    **dict.fromkeys("أإآٱ", "\u0627"),  # alef
    **dict.fromkeys("يىئ", "ی"),
    "ؤ": "و",
    **dict.fromkeys("ةہۃۀ", "\u0647"),  # heh
    "ك": "ک",
    "ـ": "",
}
"""Letter in lower case -> its plain letters."""
_ACCENTED = re.compile("LATIN|GREEK")


def plain_letters(text: str) -> str:
    """`text` with one spelling for each letter and digit, in lower case where a letter is changed."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_PLAIN)


class _Plain(dict[int, str]):
    """Code point -> plain letters, for `str.translate`; learns each code point at first use."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _spell(chr(code))
        return plain


def _spell(sign: str) -> str:
    """Plain letters for `sign`; `sign` without another spelling."""
    lower = sign.lower()
    if lower in _SPELLINGS:
        return _SPELLINGS[lower]
    digit = unicodedata.decimal(sign, None)
    if digit is not None:
        return str(digit)
    parts = unicodedata.normalize("NFD", lower)
    is_accented = len(parts) > 1 and all(map(unicodedata.combining, parts[1:]))
    if is_accented and _ACCENTED.match(unicodedata.name(sign, "")):
        return _SPELLINGS.get(parts[0], parts[0])
    return sign


_PLAIN = _Plain()
