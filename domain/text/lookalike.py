"""Look-alikes: a text as a hasty reader sees it, so that what imitates something can be compared with it.

It is only for comparing. Two texts that are seen alike may be as different as a Latin and a Cyrillic name.
"""

from __future__ import annotations

import re
import unicodedata

UNSEEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad"  # control characters that end no line, and the soft hyphen
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # marks over and through letters
    "\u0600-\u0605\u061c\u06dd\u070f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # formats
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"  # blank letters, variation selectors
    "\U0001bca0-\U0001bca3\U0001d165-\U0001d182\U000e0000-\U000e0fff"
    "]"
)
"""Characters that nobody sees, or sees only on another one."""

_LATIN = re.compile(r"\b(?:LETTER|INITIAL) (?:SMALL CAPITAL |DOTLESS |TURNED )?([A-Z])\b")
"""In the names of characters: accents and strokes, small capitals, letters in circles and squares."""
_LIKE_LATIN = {
    "a": "\u0251\u0430\u03b1\u0391",
    "b": "\u0432\u044c\u03b2\u0392",
    "c": "\u0441\u03f2\u03f9",
    "d": "\u0501",
    "e": "\u0435\u03b5\u0395",
    "g": "\u0261\u0581",
    "h": "\u043d\u04bb\u0397\u0570",
    "i": "\u0269\u0456\u03b9\u0399",
    "j": "\u0458\u03f3",
    "k": "\u0138\u043a\u03ba\u039a",
    "l": "\u01c0\u04cf",
    "m": "\u043c\u039c",
    "n": "\u043f\u03b7\u039d\u0578",
    "o": "\u043e\u03bf\u039f\u0585",
    "p": "\u0440\u03c1\u03a1",
    "q": "\u051b\u0584\u0566",
    "r": "\u0433\u0491",
    "s": "\u0455",
    "t": "\u0442\u03c4\u03a4",
    "u": "\u03c5\u03bc\u0561\u057d",
    "v": "\u0475\u03bd",
    "w": "\u051d\u03c9",
    "x": "\u0445\u03c7\u03a7",
    "y": "\u0443\u03b3\u03a5",
    "z": "\u0396",
}
"""Latin letters, and the Cyrillic, Greek and Armenian ones that look like them."""
_LETTERS = {like: letter for letter, likes in _LIKE_LATIN.items() for like in likes}
_SIGNS = (
    dict.fromkeys("\u2045\u2772\u27e6\u3010\u3014\u3016\u3018\u301a", "[")
    | dict.fromkeys("\u2046\u2773\u27e7\u3011\u3015\u3017\u3019\u301b", "]")
    | dict.fromkeys("\u0589\u05c3\u02d0\u02f8\u0703\u0704\u1803\u1809\u205a\u2236\ua4fd\ua789", ":")
    | dict.fromkeys("\u02c2\u1438\u2039\u2329\u276e\u27e8\u3008", "<")
    | dict.fromkeys("\u02c3\u1433\u203a\u232a\u276f\u27e9\u3009", ">")
    | dict.fromkeys("\u02cd\u203f\u2017\u2040", "_")
)


class _Looks(dict[int, str]):
    """Table for `str.translate`, filled as characters come."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        look = self[code] = character if character.isascii() else _look(character)
        return look


_LOOKS = _Looks()


def without_unseen(text: str) -> str:
    """`text` in compatible form, without what is unseen."""
    return UNSEEN.sub("", text if text.isascii() else unicodedata.normalize("NFKD", text))


def as_seen(text: str) -> str:
    """`text` in small letters, without what is unseen, and with Latin letters and signs for what resembles them."""
    bare = without_unseen(text)
    return bare.lower() if bare.isascii() else bare.translate(_LOOKS).casefold()


def _look(character: str) -> str:
    if like := _SIGNS.get(character) or _LETTERS.get(character) or _LETTERS.get(character.lower()):
        return like
    category = unicodedata.category(character)
    if category == "Pd" or character == "\u2212":
        return "-"
    if category == "Nd":
        return str(unicodedata.decimal(character))
    letter = _LATIN.search(unicodedata.name(character, ""))
    return letter[1] if letter else character
