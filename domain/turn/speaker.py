"""Identity of speakers: a name fit for a line of the runtime, and the cases in which the id must stand beside it.

Users choose names freely, but never ids. A name easily mistaken for another user's name is therefore never alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from domain.text.lookalike import UNSEEN, as_seen

LONGEST_NAME = 80
MARKS_IN_A_ROW = 3
"""Combining marks that a character may have: more are not writing."""
MOST_LIKENESSES = 4_096
"""Names that a window distinguishes; every further name has its id beside it."""

_SAFE = re.compile(r"[A-Za-z][A-Za-z0-9 ._-]*")
_REPLACED = {"[": "(", "]": ")", "<": "(", ">": ")", ":": "·", "@": "(at)"}
"""The punctuation of the runtime's own lines, with substitutes, also for look-alikes."""
_HIDDEN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
_MARKS = ("Mn", "Me")

_ROLES = (
    "you yourself me agent assistant bot developer human model operator remembrancer result runtime server somebody "
    "system tool user"
)
"""Names that a model, the runtime and a provider use for themselves and one another."""
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "DEVANAGARI", "BENGALI", "TAMIL", "THAI", "HANGUL", "CJK")
"""Scripts of people's names with known look-alikes of Latin letters."""
_ONE_SCRIPT = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "IDEOGRAPHIC": "CJK"}
"""Scripts written together count as one script."""
_ALIKE = str.maketrans({"i": "l", "1": "l", "|": "l", "!": "l", "0": "o", "5": "s", "$": "s", "3": "e", "4": "a"})
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))


@lru_cache(maxsize=1024)
def shown_name(name: str) -> str:
    """`name` on one line that shows all of it; the name cannot end, reverse or forge a line of the runtime.

    Args:
        name: Name of any characters.
    """
    line = " ".join(name.split()) or "somebody"
    if not _SAFE.fullmatch(line):
        line = _disarm_line(line)
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"


def shown_line(text: str, most_chars: int = 300) -> str:
    """`text` on one line with all characters visible, cut short; unlike a name, a line keeps its punctuation."""
    line = " ".join(text.split())
    line = line if line.isascii() and line.isprintable() else _disarm_line(line, {})
    return line if len(line) <= most_chars else line[: most_chars - 1] + "…"


def shown_id(speaker_id: str) -> str:
    """An id in the form beside a name; no name can have this form."""
    return f"(@{re.sub(r'[^0-9A-Za-z_-]', '', speaker_id)[:40] or 'unknown'})"


@lru_cache(maxsize=1024)
def likeness(name: str) -> str:
    """Letters of `name` as a hasty reader sees them: equal for names that look alike; empty for an invisible name."""
    letters = "".join(filter(str.isalnum, as_seen(name).translate(_ALIKE)))
    for pair, single in _PAIRS:
        letters = letters.replace(pair, single)
    return letters


@lru_cache(maxsize=1024)
def is_plain(name: str) -> bool:
    """True if `name` can stand alone as long as its likeness is unique: all visible, in one script, no role's name."""
    line = " ".join(name.split())
    if not line or "(" in line or shown_name(line) != line or not likeness(line):
        return False
    scripts = {script for script in map(_script, line) if script}
    if len(scripts) > 1 or not scripts.issubset(_SCRIPTS):
        return False
    words = {likeness(word) for word in re.split(r"[\W_]+", line)} | {likeness(line)}
    return words.isdisjoint(_ROLE_LIKENESSES)


class Speakers:
    """Names of a window's speakers. The same names in the same order are always shown the same.

    A name stands alone while it is plain and all look-alikes in the window belong to one account.
    """

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}
        """Likeness -> the id of the only user with this likeness; empty after a second user."""

    def beside(self, name: str, speaker_id: str) -> str:
        """Text beside `name` in a line of the runtime: the id where the name could be another speaker's, else empty.

        Args:
            name: A display name of any characters.
            speaker_id: Id of the speaker; empty when unknown.
        """
        is_owner = self._is_owner(likeness(name), speaker_id)
        return "" if is_owner and is_plain(name) else f" {shown_id(speaker_id)}"

    def _is_owner(self, of: str, speaker_id: str) -> bool:
        """True if only `speaker_id` has had a name of this likeness; an unknown speaker never owns a likeness."""
        if not speaker_id:
            return of not in self._owners
        if of not in self._owners and len(self._owners) >= MOST_LIKENESSES:
            return False
        if self._owners.setdefault(of, speaker_id) != speaker_id:
            self._owners[of] = ""
        return self._owners[of] == speaker_id


def _disarm_line(line: str, replaced: Mapping[str, str] = _REPLACED) -> str:
    """`line` with characters that hide, reverse, flood or imitate the runtime's punctuation made visible."""
    letters: list[str] = []
    marks = 0
    for character in line:
        category = unicodedata.category(character)
        is_mark = category in _MARKS
        marks = marks + 1 if is_mark else 0
        if category in _HIDDEN or (UNSEEN.match(character) and not is_mark) or _selects(character):
            letters.append(_spell_character(character))
        elif is_mark:
            letters.append(character if marks <= MARKS_IN_A_ROW else "…" if marks == MARKS_IN_A_ROW + 1 else "")
        else:
            letters.append(replaced.get(as_seen(character), character))
    return "".join(letters)


def _selects(character: str) -> bool:
    """True if the character is an invisible mark: a joiner of graphemes, a variation selector."""
    return character == "\u034f" or unicodedata.name(character, "").startswith(
        ("VARIATION SELECTOR", "MONGOLIAN FREE", "KHMER VOWEL INHERENT")
    )


def _spell_character(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _script(character: str) -> str:
    """The script of a letter, by the first word of the letter's Unicode name; empty for other characters."""
    if not character.isalpha():
        return ""
    word = unicodedata.name(character, "UNKNOWN").partition(" ")[0]
    return _ONE_SCRIPT.get(word, word)


_ROLE_LIKENESSES = frozenset(map(likeness, _ROLES.split()))
