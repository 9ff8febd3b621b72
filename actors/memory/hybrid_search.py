"""The hybrid search over the index: its candidates with what `domain.hybrid` must know of each, in arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

import apsw
import numpy as np
from numpy.typing import NDArray

from actors.memory.codes_keeper import CodesKeeper
from actors.memory.order import NONE, Order
from actors.memory.places import Mask
from actors.memory.source import IndexVectors
from actors.memory.vocabulary import Vocabulary
from domain.hybrid import HITS, Candidates, Scores, is_question, names, scores

_Rows = NDArray[np.int64]
_Values = NDArray[np.float64]


class HybridSearch:
    """Scores what bears on a question by meaning, by words, or by what stands beside it; it never writes."""

    def __init__(self, connection: apsw.Connection, vectors: IndexVectors, codes: CodesKeeper) -> None:
        self._connection = connection
        self._vectors = vectors
        self._codes = codes
        self._order = Order(connection)
        self._vocabulary = Vocabulary(connection)

    def follow(self, window: int, added: Sequence[int], gone: Sequence[int]) -> None:
        """Know of rows that are new in a window, and of those that are gone from any."""
        for row in gone:
            self._order.drop(row)
        if added:
            self._order.add(window, added)
        self._vocabulary.changed(len(added) + len(gone))

    def find(self, text: str, vector: NDArray[np.float32] | None, shown: Mask, total: int) -> Scores:
        """The rows that bear on a question, best first.

        Args:
            text: The question.
            vector: Its own; None when there is none.
            shown: For every row number whether it may be found.
            total: Rows of the whole index.
        """
        near, cosines = self._near(vector, shown)
        by_words, keywords = self._vocabulary.best(text, shown, total)
        hits = np.union1d(near, by_words[:HITS])
        beside = np.concatenate(self._order.beside(hits))
        rows = np.union1d(hits, beside[_may(beside, shown)])
        rows, authors, sittings, endings, others = self._traits(rows, near, vector)
        before, after = self._order.beside(rows)
        is_named = lru_cache(None)(lambda author: names(text, author))
        return scores(
            Candidates(
                rows=rows,
                cosines=_looked_up(near, cosines, rows, others),
                keywords=_looked_up(by_words, keywords, rows, np.zeros(len(rows))),
                before=before,
                after=after,
                sittings=sittings,
                named=np.array([is_named(author) for author in authors], np.bool_),
                asking=np.array([is_question(ending) for ending in endings], np.bool_),
            )
        )

    def _near(self, vector: NDArray[np.float32] | None, shown: Mask) -> tuple[_Rows, _Values]:
        if vector is None or self._codes.nearest is None:
            return np.empty(0, np.int64), np.empty(0)
        return self._codes.nearest.top(vector, HITS, shown)

    def _traits(
        self, rows: _Rows, near: _Rows, vector: NDArray[np.float32] | None
    ) -> tuple[_Rows, list[str], _Rows, list[str], _Values]:
        """Rows that are there, author, sitting and end of each, and its cosine, unless it is of `near` or unknown."""
        is_near = np.isin(rows, near)
        listed = [json.dumps(part.tolist()) for part in (rows[is_near], rows[~is_near])]
        asked = None if vector is None else vector.astype("<f4").tobytes()
        found = list(self._connection.execute(_TRAITS, (listed[0],)))
        found += self._connection.execute(_TRAITS_AND_COSINE, (listed[1], asked, self._vectors.space))
        if not found:
            return np.empty(0, np.int64), [], np.empty(0, np.int64), [], np.empty(0)
        ids, authors, sittings, endings, distances = zip(*found, strict=True)
        cosines = 1.0 - np.array([1.0 if one is None else one for one in distances], np.float64)
        return np.array(ids, np.int64), list(authors), np.array(sittings, np.int64), list(endings), cosines


def _may(rows: _Rows, shown: Mask) -> Mask:
    may: Mask = (rows != NONE) & (rows < len(shown))
    may[may] = shown[rows[may]]
    return may


def _looked_up(known: _Rows, values: _Values, rows: _Rows, otherwise: _Values) -> _Values:
    """The value of each of `rows`: from `values` if it is `known`, which is in any order."""
    if not len(known):
        return otherwise
    order = np.argsort(known)
    at = order[np.minimum(np.searchsorted(known, rows, sorter=order), len(known) - 1)]
    found: _Values = np.where(known[at] == rows, values[at], otherwise)
    return found


_COLUMNS = "SELECT t.id, t.author, t.sitting, substr(t.content, -64)"
_ROWS = "FROM turns t WHERE t.id IN (SELECT value FROM json_each(?1))"
_TRAITS = f"{_COLUMNS}, NULL {_ROWS}"
_TRAITS_AND_COSINE = f"""
{_COLUMNS}, (SELECT vec_distance_cosine(v.embedding, ?2)
             FROM vectors v WHERE ?2 IS NOT NULL AND v.space = ?3 AND v.hash = t.hash)
{_ROWS}
"""
