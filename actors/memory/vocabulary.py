"""The keyword index asked: which words of a question are telling, and the rows that have them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from actors.memory.places import Mask
from domain.hybrid import WORD_SCORES
from domain.keywords import fts_query, question_words, rare_limit, telling
from domain.porter import stem

_MOST_KNOWN = 10_000
_NOTHING = np.empty(0, np.int64), np.empty(0)


class Vocabulary:
    """The words of the index. How many rows have a frequent one takes long to count, so that is kept.

    A row that comes or goes changes a count by one at most, so a kept one says for long that a word is frequent; where
    it leaves that open, it is counted anew.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._changes = 0
        self._known: dict[str, tuple[int, int]] = {}
        """Index term -> its rows, and how many changes there had been then."""

    def changed(self, rows: int) -> None:
        """So many rows came or went."""
        self._changes += rows

    def best(self, question: str, shown: Mask, total: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The `WORD_SCORES` rows with the greatest BM25 of those that may be found, and these; equals: the newer.

        Args:
            question: Whose telling words are looked up.
            shown: For every row number whether it may be found.
            total: Rows of the whole index.
        """
        query = fts_query(self._telling(question_words(question), total))
        if not query:
            return _NOTHING
        found = list(self._connection.execute("SELECT rowid, -bm25(words) FROM words WHERE words MATCH ?", (query,)))
        rows, scores = (np.array(column) for column in zip(*found, strict=True)) if found else _NOTHING
        may = rows < len(shown)
        may[may] = shown[rows[may]]
        rows, scores = rows[may], scores[may]
        best = np.lexsort((-rows, -scores))[:WORD_SCORES]
        return rows[best], scores[best]

    def _telling(self, words: Sequence[str], total: int) -> tuple[str, ...]:
        terms = [stem(word) for word in words]
        limit = rare_limit(total)
        frequent = {term: count for term in terms if (count := self._least(term)) > limit}
        rest = self._count([term for term in terms if term not in frequent])
        if any(0 < count <= limit for count in rest.values()):
            return telling(words, {**frequent, **rest}, total)
        return telling(words, {**self._count(list(frequent)), **rest}, total)

    def _least(self, term: str) -> int:
        """The fewest rows that `term` can have now."""
        count, then = self._known.get(term, (0, 0))
        return count - (self._changes - then)

    def _count(self, terms: Sequence[str]) -> dict[str, int]:
        """How many rows have each of `terms`; those that occur."""
        known = {term: self._known[term] for term in terms if term in self._known}
        counts = {term: count for term, (count, then) in known.items() if then == self._changes}
        listed = json.dumps([term for term in terms if term not in counts])
        counted = self._connection.execute(
            "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))", (listed,)
        )
        fresh = {str(term): int(str(count)) for term, count in counted}
        if len(self._known) + len(fresh) > _MOST_KNOWN:
            self._known.clear()
        self._known.update({term: (count, self._changes) for term, count in fresh.items()})
        return counts | fresh
