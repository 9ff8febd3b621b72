"""Keyword retrieval by BM25: the telling words of a question, and the rows with these words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import apsw
import numpy as np
from numpy.typing import NDArray

from actors.memory.search.lengths import Lengths
from actors.memory.search.visibility import Mask
from domain.memory.bm25 import Postings, sum_scores
from domain.memory.hybrid import WORD_SCORES
from domain.memory.keywords import COMMON_ROWS, fts_query, question_words, rare_limit
from domain.memory.porter import stem


@dataclass(frozen=True, slots=True)
class WordTuning:
    """Thresholds and caps of the keyword search."""

    common_rows: int = COMMON_ROWS
    """A word in no more rows than this is looked up, however large the index."""
    probe: int = 64
    """Rows of a new word read to see if the word may be frequent."""
    most_known: int = 10_000
    """Words with kept counts."""
    most_rows: int = WORD_SCORES
    """Most rows of an answer."""


MEASURED = WordTuning()
"""The best tuning by measurement."""


class Vocabulary:
    """The words of the index. Counting a frequent word takes longer than most questions, so counts are kept.

    A row that comes or goes changes a count by at most 1, so a kept count proves a word frequent for a long time; in
    doubt, the word is counted anew. FTS5 knows no count before reading all entries of a word, so mostly the code counts
    only up to the limit of rows.

    FTS5 gives the rows of a word as a single text, as a row of an answer costs more than all other work on the row.
    BM25 is computed here, because `bm25()` looks up the length of each row by itself: `bm25()` takes 4 us a row, the
    code here 0.5.
    """

    def __init__(self, connection: apsw.Connection, tuning: WordTuning = MEASURED) -> None:
        self._connection = connection
        self._tuning = tuning
        self._lengths = Lengths(connection)
        self._changes = 0
        self._known: dict[str, tuple[int, float, int]] = {}
        """Index term -> fewest and most rows of the term, and the number of changes at the time."""
        list(connection.execute(_OCCURRENCES))

    def follow(self, added: Sequence[int], gone: Sequence[int]) -> None:
        """Take in new rows and drop removed rows."""
        self._changes += len(added) + len(gone)
        for row in gone:
            self._lengths.drop(row)
        if added:
            self._lengths.add(added)

    def best(self, question: str, mask: Mask, total: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The `most_rows` allowed rows with the greatest BM25, and the scores; equals: the newer.

        Args:
            question: Text with the telling words to look up.
            mask: True for every allowed row number.
            total: Rows of the whole index.
        """
        terms = [_among(mask, term) for term in self._telling(question_words(question), total)]
        lengths = [self._lengths.of(term.rows) for term in terms]
        rows, scores = sum_scores(terms, lengths, self._lengths.rows, self._lengths.mean) if terms else _NOTHING
        most = self._tuning.most_rows
        if len(scores) > most:
            may = scores >= np.partition(scores, len(scores) - most)[len(scores) - most]
            rows, scores = rows[may], scores[may]
        best = np.lexsort((-rows, -scores))[:most]
        return rows[best], scores[best]

    def _telling(self, words: Sequence[str], total: int) -> list[Postings]:
        """Words rare enough to look up, else the rarest that occurs; as in `domain.memory.keywords`."""
        limit = int(rare_limit(total, self._tuning.common_rows))
        postings = {word: None if self._span(word)[0] > limit else self._postings(word, limit, total) for word in words}
        telling = [one for one in postings.values() if one is not None and one.documents]
        return telling or self._rarest([word for word, one in postings.items() if one is None])

    def _postings(self, word: str, most: int, total: int) -> Postings | None:
        """The rows with `word`; None if there are more than `most`."""
        is_known, probe = self._span(word)[1] <= most, self._tuning.probe
        rows = self._read(word, -1 if is_known else probe)
        if not is_known and len(rows) == probe:
            # As dense as here, it is in too many rows: then to count so many takes less than to read them.
            if probe * total > most * int(rows[-1]) and self._is_in_more(word, most):
                return None
            rows = self._read(word, -1)
        postings = _group_rows(rows)
        self._know(word, postings.documents, postings.documents)
        return postings if postings.documents <= most else None

    def _rarest(self, words: Sequence[str]) -> list[Postings]:
        """Of frequent words the word with the fewest rows; equals: the first."""
        if not words:
            return []
        spans = [self._span(word) for word in words]
        surely = min(most for _, most in spans)
        rivals = [word for word, (fewest, _) in zip(words, spans, strict=True) if fewest <= surely]
        word = min(rivals, key=self._count) if len(rivals) > 1 else rivals[0]
        return [_group_rows(self._read(word, -1))]

    def _span(self, word: str) -> tuple[int, float]:
        """The fewest and the most rows that can have `word` now."""
        fewest, most, then = self._known.get(stem(word), (0, inf, self._changes))
        return fewest - (self._changes - then), most + (self._changes - then)

    def _know(self, word: str, fewest: int, most: float) -> None:
        if len(self._known) >= self._tuning.most_known:
            self._known.clear()
        self._known[stem(word)] = fewest, most, self._changes

    def _count(self, word: str) -> int:
        """Number of rows with `word`."""
        fewest, most = self._span(word)
        if fewest != most:
            ((fewest,),) = self._connection.execute(_COUNT, (stem(word),))
            self._know(word, fewest, fewest)
        return fewest

    def _is_in_more(self, word: str, most: int) -> bool:
        """True if more than `most` rows have `word`."""
        ((count,),) = self._connection.execute(_COUNT_SOME, (fts_query([word]), most + 1))
        is_in_more = int(str(count)) > most
        if is_in_more:
            self._know(word, most + 1, inf)
        return is_in_more

    def _read(self, word: str, most: int) -> NDArray[np.int64]:
        """Each row as often as `word` occurs there, ascending, no more than `most` numbers; -1 for all."""
        ((listed,),) = self._connection.execute(_ROWS_OF, (stem(word), most))
        return np.fromstring(str(listed or ""), np.int64, sep=",")


def _group_rows(rows: NDArray[np.int64]) -> Postings:
    """`rows`, in ascending order, with the count of each."""
    begins = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]])[: len(rows)])
    return Postings(len(begins), rows[begins], np.concatenate([begins[1:], [len(rows)]])[: len(begins)] - begins)


def _among(mask: Mask, term: Postings) -> Postings:
    """Postings of `term` in allowed rows."""
    may = term.rows < len(mask)
    may[may] = mask[term.rows[may]]
    return Postings(term.documents, term.rows[may], term.counts[may])


_NOTHING = np.empty(0, np.int64), np.empty(0)
_OCCURRENCES = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrences USING fts5vocab('main', 'words', 'instance')"
_ROWS_OF = "SELECT group_concat(doc) FROM (SELECT doc FROM occurrences WHERE term = ? LIMIT ?)"
_COUNT = "SELECT coalesce(max(doc), 0) FROM vocabulary WHERE term = ?"
_COUNT_SOME = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
