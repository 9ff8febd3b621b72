"""Look-alikes: a text as a hasty reader sees it, for comparison with imitations.

Only for comparison. Two texts that look alike may be as different as a Latin and a Cyrillic name.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

UNSEEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad"  # control characters that end no line, and the soft hyphen
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # marks over and through letters
    "\u0600-\u0605\u061c\u06dd\u070f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # formats
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"  # blank letters, variation selectors
    "\U0001bca0-\U0001bca3\U0001d165-\U0001d182\U000e0000-\U000e0fff"
    "]"
)
"""Characters that are invisible, or visible only on another character."""

_LATIN = re.compile(r"\b(?:LETTER|INITIAL) (?:SMALL CAPITAL |DOTLESS |TURNED )?([A-Z])\b")
"""In the names of characters: accents and strokes, small capitals, letters in circles and squares."""
_LIKE_LATIN = {
    "2": "\u01a7\u03e8\u14bf\ua6ef\ua75a",
    "3": "\u01b7\u021c\u2ccc\ua76a\ua7ab\U000118ca\U00016f3b",
    "4": "\u13ce\U000118af",
    "5": "\u01bc\U000118bb",
    "6": "\u13ee\u2cd2\U000118d5",
    "7": "\U000104d2\U000118c6",
    "8": "\u0222\u0223\U0001031a",
    "9": "\u2cca\ua76e\U000118ac\U000118cc\U000118d6",
    "a": ("\u0251\u0430\u03b1\u0391\u13aa\u15c5\U00016f40"),
    "b": ("\u0432\u044c\u03b2\u0392\u0184\u13cf\u13f4\u1472\u15af\u15f7\ua4d0\ua7b4\U000102a1\U00010301"),
    "c": (
        "\u0441\u03f2\u03f9"
        "\u13df\u2ca4\u2ca5\ua4da\uabaf\U000102a2\U00010302\U00010415\U0001043d\U0001051c\U000118e9"
        "\U000118f2"
    ),
    "d": ("\u0501\u13a0\u13e7\u146f\u15de\u15ea\ua4d2\ua4d3"),
    "e": ("\u0435\u03b5\u0395\u04bd\u13ac\u2c88\u2d39\uab32\U00010286\U000118a6\U000118ae"),
    "f": "\u0584\u15b4\u1e9d\ua4dd\uab35\U00010287\U000102a5\U00010525\U000118a2\U000118c2",
    "g": ("\u0261\u0581\u018d\u050d\u13c0\u13f3\ua4d6"),
    "h": ("\u043d\u04bb\u0397\u0570\u13bb\u13c2\u157c\u2c8e\ua4e7\U000102cf"),
    "i": ("\u0269\u0456\u03b9\u0399\u13a5\ua647\uab75\U000118c3"),
    "j": ("\u0458\u03f3\u13ab\u148d\ua4d9"),
    "k": ("\u0138\u043a\u03ba\u039a\u13e6\u16d5\u2c94\ua4d7\U00010518"),
    "l": (
        "\u01c0\u04cf"
        "\u13de\u14aa\u16c1\u2c92\u2d4f\ua4e1\U0001028a\U00010320\U0001041b\U00010526\U000118a3\U000118b2"
        "\U00016f16\U00016f28"
    ),
    "m": ("\u043c\u039c\u13b7\u15f0\u16d6\u2c98\ua4df\U000102b0\U00010311"),
    "n": ("\u043f\u03b7\u039d\u0578\u057c\u2c9a\ua4e0\U00010513"),
    "o": (
        "\u043e\u03bf\u039f\u0585\u10ff\u1d11\u2d54\uab3d\U00010292\U00010404\U0001042c\U000118b5\U000118c8\U000118d7"
    ),
    "p": ("\u0440\u03c1\u03a1\u13e2\u146d\u2ca2\u2ca3\ua4d1\U00010295"),
    "q": ("\u051b\u0584\u0566\u0563\u2d55"),
    "r": ("\u0433\u0491\u01a6\u13a1\u13d2\u1587\u2c85\ua4e3\uab48\uab81\U000104b4\U00016f35"),
    "s": ("\u0455\u01bd\u054f\u13d5\u13da\ua4e2\uabaa\U00010420\U00010448\U000118c1\U00016f3a"),
    "t": ("\u0442\u03c4\u03a4\u13a2\u2ca6\ua4d4\U000102b1\U00010315\U000118bc\U00016f0a"),
    "u": ("\u03c5\u03bc\u0561\u057d\u028b\u144c\ua79f\U000118b8\U000118d8\U00016f42"),
    "v": ("\u0475\u03bd\u13d9\u142f\u2d38\ua4e6\ua6df\uaba9\U0001051d\U00011706\U000118a0\U000118c0\U00016f08"),
    "w": ("\u051d\u03c9\u026f\u0461\u0561\u13b3\u13d4\ua4ea\uab83\U0001170a\U0001170e\U0001170f\U000118e6\U000118ef"),
    "x": (
        "\u0445\u03c7\u03a7\u1541\u157d\u16b7\u2cac\u2d5d\ua4eb\ua7b3\U00010290\U00010317\U00010322\U00010527\U000118ec"
    ),
    "y": ("\u0443\u03b3\u03a5\u0263\u04af\u10e7\u13a9\u13bd\u1d8c\u2ca8\ua4ec\U000102b2\U000118a4\U000118dc\U00016f43"),
    "z": ("\u0396\u13c3\ua4dc\uab93\U000102f5\U000118a9\U000118c4\U000118e5"),
}
"""Latin letters and digits, with Unicode's list of confusable characters; separate scripts are left out."""
_LETTERS = {like: letter for letter, likes in _LIKE_LATIN.items() for like in likes}
_SIGNS = (
    dict.fromkeys("\u23a1\u23a2\u23a3", "[")
    | dict.fromkeys("\u23a4\u23a5\u23a6", "]")
    | dict.fromkeys("\u0589\u05c3\u0903\u0a83\u16ec\u02d0\u02f8\u0703\u0704\u1803\u1809\u205a\u2236\ua4fd\ua789", ":")
    | dict.fromkeys("\u02c2\u1438\u16b2\u2039\u2329\u276e\u27e8\u3008", "<")
    | dict.fromkeys("\u02c3\u1433\u203a\u232a\u276f\u27e9\u3009", ">")
    | dict.fromkeys("\u02d7\u06d4\u2043\u2212\u2796\u2cba", "-")
    | dict.fromkeys("\u1735\u2044\u2215\u2571\u27cb\u29f8\u2cc6\u3033\U0001d23a", "/")
    | dict.fromkeys("\u201a\u201e\u2e42", '"')
    | dict.fromkeys("\u02cd\u203f\u2017\u2040", "_")
)

_BY_CATEGORY = {"Ps": "[", "Pe": "]", "Pd": "-", "Cf": "", "Mn": "", "Me": ""}
"""Likenesses of brackets and dashes that no keyboard has; formats and marks of any script are unseen."""
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
"""Escape sequences of terminals, for example for colours."""

LONGEST_FOREIGN_RUN = 256
"""Characters beyond ASCII that are normalized at a time: a run of marks costs the square of the run's length."""
_PIECE = re.compile(rf"[\x00-\x7f]*+[^\x00-\x7f]{{1,{LONGEST_FOREIGN_RUN}}}|[\x00-\x7f]+")


class _Looks(dict[int, str]):
    """Table for `str.translate`, filled as characters come."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        look = self[code] = character if character.isascii() else _look(character)
        return look


_LOOKS = _Looks()


def pieces(text: str) -> list[str]:
    """Consecutive pieces of `text`, each normalized alone; only an overlong run of foreign characters is cut."""
    return _PIECE.findall(text)


def normalize(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """`text` in a normal form of Unicode, in time linear in the length of `text`."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize(form, piece) for piece in pieces(text))


def without_unseen(text: str) -> str:
    """`text` in compatible form, without unseen characters."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    return UNSEEN.sub("", normalize("NFKD", text))


def as_seen(text: str) -> str:
    """`text` in small letters, without unseen characters, and with Latin letters and signs for look-alikes."""
    bare = without_unseen(text)
    return bare.lower() if bare.isascii() else bare.translate(_LOOKS).casefold()


def _look(character: str) -> str:
    if like := _SIGNS.get(character) or _LETTERS.get(character) or _LETTERS.get(character.lower()):
        return like
    category = unicodedata.category(character)
    if category in _BY_CATEGORY:
        return _BY_CATEGORY[category]
    if (digit := unicodedata.digit(character, None)) is not None:
        return str(digit)
    letter = _LATIN.search(unicodedata.name(character, ""))
    return letter[1] if letter else character
