"""Terms of a text: by what an entry is found, and how much each says of what a message is about.

Words are stemmed, identifiers stand whole and in their parts, scripts without blanks give pairs of characters. How
telling a term is does not come from the files, for of fifty entries forty may be about kilns; a term's shape tells:
identifiers, names, numbers and long words are rare.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache

from domain.memory.keywords import STOP_WORDS, words
from domain.memory.porter import stem

LONGEST = 4_000
"""So many characters of a message are looked at."""
MOST = 80
"""So many terms of a message are looked for."""
LONG_WORD = 7
"""A word of so many characters is rare."""
SHORT_WORD = 3
"""A word of so few small letters is common."""
_REMEMBERED_CHARS = 40
"""The terms of a longer word are found anew each time."""

_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
_CJK = _HAN + _HIRAGANA + _KATAKANA + _HANGUL
_RUN = re.compile(
    f"(?P<pairs>[{_HAN}]+|[{_HANGUL}]+)|(?P<kana>[{_KATAKANA}]{{2,}})"
    f"|(?P<word>[^\\W{_CJK}]+(?:(?:[./:@\\\\-]|::|->)[^\\W{_CJK}]+)*)"
)
_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_CAPITAL = re.compile(r"(?<!\w)[A-Z][A-Za-z]*(?!\w)")
_SENTENCE_END = re.compile(r"(?<=[.!?:;\u2026])\s+|\n+|[\"\u201c\u201e\u00ab]")
_NO_NAMES = frozenset(("I", "Sie", "Ihr", "Ihre", "Ihren", "Ihnen"))
"""Common words always written with a capital."""
_PIECE = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IDENTIFIER = re.compile(r"\D.*[_/\\.:]|\D.*[0-9]|.*[a-z][A-Z]")
_SUFFIX = re.compile("(?<=.....)(?:en|er|em|es|e|n|s)$")
_YEAR = re.compile("(?:19|20)[0-9]{2}")


class Telling(IntEnum):
    """Degree to which a term tells the subject of a text; also the term's points."""

    NOTHING = 0
    """The term ranks, at half weight."""
    SOMETHING = 1
    MUCH = 2


def terms(text: str) -> tuple[str, ...]:
    """The terms of an entry, in order and with repetitions; stop words are left out."""
    return tuple(key for key, _ in _terms_of(text))


def possible_names(text: str) -> frozenset[str]:
    """Common words of an entry with a capital letter, as in names: `Will`, `An`, `IT`."""
    words = _CAPITAL.findall(unicodedata.normalize("NFKC", text))
    return frozenset(map(str.casefold, words)) & STOP_WORDS


def names_in(message: str) -> frozenset[str]:
    """Words of a message that are names by their capital letter, in a sentence otherwise without capitals.

    The first word of a sentence does not count, nor do capitals in a line of capitals or in a language
    with capital nouns: a sentence has one name or two, or several that would be common words.
    """
    names = set[str]()
    for sentence in _SENTENCE_END.split(unicodedata.normalize("NFKC", message[:LONGEST])):
        first, *others = _WORD.findall(sentence) or [""]
        capitals = [word for word in others if (word.istitle() or word.isupper()) and word not in _NO_NAMES]
        is_few = any(word[0].islower() for word in others) and len(capitals) * 2 <= len(others)
        common = [word for word in capitals if word.casefold() in STOP_WORDS]
        if first[:1].isupper() and sentence.lstrip().startswith((f"{first}'s ", f"{first}\u2019s ")):
            names.add(first)
        if is_few or len(others) == 1:
            names.update(capitals if len(capitals) == 1 or len(capitals) == 2 <= len(others) / 3 else common)
    return frozenset(names)


def _name_key(name: str) -> str:
    """Key of a name, as in entries; empty for a name that is too short or has several parts."""
    if name.casefold() in STOP_WORDS:
        return name.casefold() if len(name) > 1 else ""
    plain = words(name)
    is_one = len(plain) == 1 and len(plain[0]) > 2 and plain[0] not in STOP_WORDS
    return _stem_word(plain[0]) if is_one else ""


def weigh_terms(message: str) -> dict[str, Telling]:
    """The terms of a message -> each term's weight; only the first terms of a very long message."""
    wanted: dict[str, Telling] = dict.fromkeys(map(_name_key, sorted(names_in(message))), Telling.MUCH)
    wanted.pop("", None)
    for key, telling in _terms_of(message[:LONGEST]):
        if len(wanted) == MOST and key not in wanted:
            break
        wanted[key] = max(telling, wanted.get(key, Telling.NOTHING))
    return wanted


def _terms_of(text: str) -> Iterator[tuple[str, Telling]]:
    text = unicodedata.normalize("NFKC", text)
    for run in _RUN.finditer(text):
        if word := run["word"]:
            yield from _terms_of_word(word) if len(word) <= _REMEMBERED_CHARS else _terms_in(word)
        elif kana := run["kana"]:
            yield kana, Telling.MUCH if len(kana) > 3 else Telling.SOMETHING
        else:
            pairs = run["pairs"]
            yield from ((pairs[at : at + 2], Telling.SOMETHING) for at in range(len(pairs) - 1))


@lru_cache(maxsize=16_384)
def _terms_of_word(word: str) -> tuple[tuple[str, Telling], ...]:
    """The terms of a word, or of an identifier: itself and its parts; people use few words, so most were met before."""
    return tuple(_terms_in(word))


def _terms_in(word: str) -> Iterator[tuple[str, Telling]]:
    pieces = [part for piece in _PIECE.findall(word) for part in _CAMEL.split(piece)]
    if len(pieces) > 1 and len(word) > 3:
        is_rare = _IDENTIFIER.match(word) or max(map(len, pieces)) >= LONG_WORD
        yield word.casefold(), Telling.MUCH if is_rare else Telling.SOMETHING
    for piece in pieces:
        for plain in words(piece):
            if plain not in STOP_WORDS and (len(plain) > 1 or plain.isdigit()):
                yield _stem_word(plain), _telling(piece)


def _stem_word(word: str) -> str:
    """A word's stem by Porter, without a German ending, so one rule serves both languages."""
    term = _SUFFIX.sub("", stem(word))
    return f"{term[:-1]}i" if term.endswith("y") and len(term) > 3 else term  # `deploy` as in `deployments`


def _telling(word: str) -> Telling:
    """Degree to which a word tells the subject of a text, by the word's shape."""
    if word.isdigit():
        if len(word) < 3 or _YEAR.fullmatch(word):
            return Telling.NOTHING
        return Telling.MUCH if len(word) > 3 else Telling.SOMETHING
    if any(letter.isdigit() for letter in word):
        return Telling.MUCH if len(word) > 2 else Telling.SOMETHING
    if len(word) <= SHORT_WORD and word.islower():
        return Telling.NOTHING
    return Telling.MUCH if len(word) >= LONG_WORD else Telling.SOMETHING
