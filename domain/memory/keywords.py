"""Tokens of the keyword index, and choice of a question's words to look up.

The index is FTS5 with the tokenizer `TOKENIZER`, over searchable texts in plain letters; `terms` gives the terms of
such a text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from domain.memory.letters import plain_letters
from domain.memory.porter import stem
from domain.memory.searchable import searchable

TOKENIZER = "porter unicode61 remove_diacritics 1"
MOST_WORDS = 32
"""Number of words to look up from the beginning of a longer question."""
MOST_CHARS = 16_000
"""Number of characters to read from the beginning of a longer question."""
COMMON_SHARE = 0.02
"""A word in more than this share of the rows tells little and costs much."""
COMMON_ROWS = 1000
"""Number of rows up to which a common word costs little."""

_STOPPED = (
    "a about again all also am an and any are as at be been being both but by can could d did do does doing "
    "don down each few for from had has have having he her here hers him his how i if in into is it its just "
    "ll m me might mine more most must my no nor not of off on only or other our out over own re s same shall "
    "she should so some such t than that the their them then there these they this those to too under up us "
    "ve very was we were what when where which who whom whose why will with would you your yours"
)
STOP_WORDS = frozenset(_STOPPED.split())
"""Words common to questions on any subject; not `may`, which is also a month."""
STOP_TERMS = frozenset(map(stem, STOP_WORDS))
"""The same as index terms."""

_DROPPED_MARKS = frozenset(
    "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f"
    "\u0311\u031b\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331"
)
"""Combining marks left out by FTS5; any other mark separates words."""


def words(text: str) -> list[str]:
    """Words of `text` as in a question, in order, in lower case and without accents on Latin letters."""
    return fold_words(searchable(text, is_question=True)).split()


def fold_words(text: str) -> str:
    """Words of `text` between blanks, each in place except for the marks left out."""
    return text.translate(_FOLDING)


def terms(text: str) -> list[str]:
    """Index terms of `text`, in order: the stemmed words."""
    return [stem(word) for word in words(text)]


def question_words(question: str) -> tuple[str, ...]:
    """Words of `question` to look up, in order and plain letters: no stop words, each stem once, `MOST_WORDS` at most.

    The cost has a bound for a question of any length.
    """
    by_term: dict[str, str] = {}
    for word in words(plain_letters(question[:MOST_CHARS])):
        if len(by_term) == MOST_WORDS:
            break
        if word not in STOP_WORDS:
            by_term.setdefault(stem(word), word)
    return tuple(by_term.values())


def question_terms(question: str) -> frozenset[str]:
    """The index terms of `question_words`."""
    return frozenset(map(stem, question_words(question)))


def telling(
    candidates: Iterable[str], rows_with: Mapping[str, int], rows: int, common_rows: int = COMMON_ROWS
) -> tuple[str, ...]:
    """Rare enough `candidates` to look up; without a rare candidate, the rarest candidate that occurs.

    Args:
        rows_with: Index term -> number of rows with the term (FTS5's vocabulary, type `row`).
        rows: All rows of the index.
        common_rows: A word in no more rows than this is rare enough, for any number of rows.
    """
    counted = [(rows_with.get(stem(word), 0), word) for word in candidates]
    occurring = [(count, word) for count, word in counted if count]
    rare = tuple(word for count, word in occurring if count <= rare_limit(rows, common_rows))
    return rare or tuple(word for _, word in sorted(occurring, key=lambda one: one[0])[:1])


def rare_limit(rows: int, common_rows: int = COMMON_ROWS) -> float:
    """In how many of `rows` a word may be and still be rare enough to look up."""
    return max(COMMON_SHARE * rows, common_rows)


def fts_query(looked_up: Iterable[str]) -> str:
    """FTS5's query for rows with any of the words; empty without words, since FTS5 refuses an empty query."""
    return " OR ".join(f'"{word}"' for word in looked_up)


class _Folding(dict[int, str]):
    """Code point -> addition to a word, for `str.translate`; learns each code point at first use."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(letter: str) -> str:
    """`letter` in lower case; empty for a mark of a Latin letter, a space for a separator of words."""
    if letter in _DROPPED_MARKS:
        return ""
    category = unicodedata.category(letter)
    if category[0] not in "LN" and category != "Co":
        return " "
    lower = letter.lower()
    parts = unicodedata.normalize("NFD", lower)
    return parts[0] if len(parts) == 2 and parts[0].isascii() and parts[1] in _DROPPED_MARKS else lower


_FOLDING = _Folding()
