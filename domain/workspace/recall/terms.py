"""Terms of a text: by what an entry is found, and how much each says of what a message is about.

Words are stemmed, identifiers stand whole and in their parts, scripts without blanks give pairs of characters. How
telling a term is does not come from the files, for of fifty entries forty may be about kilns; it is judged by lists of
common words and by its shape.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from domain.memory.keywords import STOP_WORDS, words
from domain.memory.porter import stem
from domain.workspace.recall.common_words import EMPTY, EMPTY_PAIRS, GRAMMAR, LIGHT, LIGHT_PAIRS, SLIGHT

LONGEST = 4_000
"""So many characters of a message are looked at."""
MOST = 80
"""So many terms of a message are looked for."""
_REMEMBERED_CHARS = 40
"""The terms of a longer word are found anew each time."""

_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
_CJK = _HAN + _HIRAGANA + _KATAKANA + _HANGUL
_RUN = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<kana>[{_KATAKANA}]+)|(?P<hira>[{_HIRAGANA}]+)|(?P<hangul>[{_HANGUL}]+)"
    f"|(?P<word>[^\\W{_CJK}]+(?:(?:[./:@\\\\-]|::|->)[^\\W{_CJK}]+)*)"
)
_KANA = re.compile(f"[{_HIRAGANA}{_KATAKANA}]")
_PIECE = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PARTICLES = re.compile(
    "(?<=..)(?:에서는|에서|에게|으로|까지|부터|하고|이랑|처럼|보다|은|는|이|가|을|를|에|의|로|도|만|와|과|요)$"
)
_SUFFIX = re.compile("(?<=.....)(?:en|er|em|es|e|n|s)$")
_GERMAN = re.compile(r"\b(?:der|das|und|ist|nicht|eine?|wie|wir|ich|mit|für|auf|dem|zu|wann|wo|bitte)\b", re.IGNORECASE)
_ENDINGS = ("s", "d", "ed", "ing", "ly", "ful")
_YEAR = re.compile("(?:19|20)[0-9]{2}")


class Telling(IntEnum):
    """Degree to which a term tells the subject of a text; also the term's points."""

    NOTHING = 0
    """The term ranks, at half weight."""
    SOMETHING = 1
    MUCH = 2


@dataclass(frozen=True, slots=True)
class Term:
    """A term, and how much it says."""

    key: str
    telling: Telling


def terms(text: str) -> tuple[str, ...]:
    """The terms of an entry, in order, as often as it has them; none of words that every text has."""
    return tuple(term.key for term in _found(text))


def asked(message: str) -> dict[str, Telling]:
    """The terms of a message -> how much each says; the first of them, where there are very many."""
    found: dict[str, Telling] = {}
    for term in _found(message[:LONGEST]):
        if len(found) == MOST and term.key not in found:
            break
        found[term.key] = max(term.telling, found.get(term.key, Telling.NOTHING))
    return found


def _found(text: str) -> Iterator[Term]:
    text = unicodedata.normalize("NFKC", text)
    capitals = not _GERMAN.search(text)  # German gives every noun one
    is_japanese = bool(_KANA.search(text))
    begins = True  # a sentence, whose first word has a capital whatever it is
    for run in _RUN.finditer(text):
        if run["word"]:
            word = run["word"]
            read = _of_word if len(word) <= _REMEMBERED_CHARS else _read_word
            yield from read(word, may_name=capitals and not begins)
        elif run["kana"]:
            if len(run["kana"]) > 1:
                yield Term(run["kana"], Telling.MUCH if len(run["kana"]) > 3 else Telling.SOMETHING)
        elif run["han"]:
            yield from _pairs(run["han"], is_word=is_japanese and len(run["han"]) == 2)
        elif run["hangul"]:
            yield from _pairs(_PARTICLES.sub("", run["hangul"]))
        begins = text[run.end() : run.end() + 1] in (".", "!", "?", ":", "\n", "*", "-", "\u3002")


def _pairs(run: str, *, is_word: bool = False) -> Iterator[Term]:
    """The pairs of a run; one that stands alone between characters of grammar is a word.

    Args:
        run: Of one script.
        is_word: True if the run is a word for certain, in spite of its characters.
    """
    for at in range(len(run) - 1):
        pair = run[at : at + 2]
        if pair in EMPTY_PAIRS:
            continue
        if pair in LIGHT_PAIRS or (is_word and GRAMMAR & set(pair)):
            yield Term(pair, Telling.SOMETHING)
        elif pair[0] in GRAMMAR or pair[1] in GRAMMAR:
            yield Term(pair, Telling.NOTHING)
        else:
            is_alone = run[at - 1 : at] in GRAMMAR and run[at + 2 : at + 3] in GRAMMAR
            yield Term(pair, Telling.MUCH if is_alone else Telling.SOMETHING)


@lru_cache(maxsize=16_384)
def _of_word(word: str, *, may_name: bool) -> tuple[Term, ...]:
    """The terms of a word, or of an identifier: itself and its parts; people use few words, so most were met before."""
    return tuple(_read_word(word, may_name=may_name))


def _read_word(word: str, *, may_name: bool) -> Iterator[Term]:
    pieces = [part for piece in _PIECE.findall(word) for part in _CAMEL.split(piece)]
    if len(pieces) > 1:
        telling = [_telling(each, *_first(words(each), each)) for each in pieces if each.casefold() not in EMPTY]
        if telling and len(word) > 3:
            is_name = bool(re.search(r"[_/\\.:]|[a-z][A-Z]|[0-9]", word)) and not word[:1].isdigit()
            yield Term(word.casefold(), Telling.MUCH if is_name or max(telling) > 1 else Telling.SOMETHING)
    for piece in pieces:
        plains = words(piece)
        first: tuple[str, str] | None = None
        for plain in plains:
            if plain in STOP_WORDS or (len(plain) < 2 and not plain.isdigit()):
                continue
            term = stemmed(plain)
            if plain in EMPTY_FORMS:
                yield Term(term, Telling.NOTHING)
                continue
            first = first or ((plain, term) if plain == plains[0] else _first(plains, piece))
            yield Term(term, _telling(piece, *first, may_name=may_name and len(pieces) == 1))


def stemmed(word: str) -> str:
    """A word's stem: Porter's, without an ending that German adds, so that one rule serves both."""
    term = _SUFFIX.sub("", stem(word))
    return f"{term[:-1]}i" if term.endswith("y") and len(term) > 3 else term  # `deploy` as in `deployments`


def _first(plains: Sequence[str], word: str) -> tuple[str, str]:
    """The first of a word's plain forms, and its stem."""
    folded = plains[0] if plains else word.casefold()
    return folded, stemmed(folded)


def _telling(word: str, folded: str, term: str, *, may_name: bool = False) -> Telling:
    """Degree to which a word tells the subject of a text.

    Args:
        word: As it stands.
        folded: Its plain form.
        term: The stem of that.
        may_name: Whether a capital makes it a name.
    """
    if word.isdigit():
        if len(word) < 3 or _YEAR.fullmatch(word):
            return Telling.NOTHING
        return Telling.MUCH if len(word) > 3 else Telling.SOMETHING
    if folded in SLIGHT:
        return Telling.NOTHING
    if term in LIGHT_TERMS:
        return Telling.SOMETHING
    if any(letter.isdigit() for letter in word):
        return Telling.MUCH if len(word) > 2 else Telling.SOMETHING
    is_name = may_name and word[:1].isupper()
    return Telling.MUCH if len(word) > 4 or (is_name and len(word) > 1) else Telling.SOMETHING


EMPTY_FORMS = frozenset(form for word in EMPTY for form in (word, *(word + end for end in _ENDINGS), f"{word[:-1]}ing"))
LIGHT_TERMS = frozenset(map(stemmed, LIGHT))
