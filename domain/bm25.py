"""BM25 over a few thousand documents in memory, equal to FTS5's `bm25()` with one column.

Serves measurements, which need no database for so little; the agent asks its index.
Source: https://www.sqlite.org/fts5.html, "The bm25() function".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

K1 = 1.2
B = 0.75
_LEAST_IDF = 1e-6
"""For terms that stand in more than half of the documents: they must not count against one."""


class Bm25:
    """Scores documents by the terms of a question."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        """Index `documents`, each given as its terms in any order."""
        self._lengths = [len(document) for document in documents]
        self._mean_length = sum(self._lengths) / len(documents) if documents else 0.0
        self._found: dict[str, list[tuple[int, int]]] = {}
        for number, document in enumerate(documents):
            for term, count in Counter(document).items():
                self._found.setdefault(term, []).append((number, count))

    def rows_with(self) -> dict[str, int]:
        """Term -> number of documents that hold it."""
        return {term: len(found) for term, found in self._found.items()}

    def scores(self, question_terms: Iterable[str]) -> dict[int, float]:
        """Number of each document with one of these terms -> its score, greater is better.

        A term that is given twice counts twice.
        """
        scores: dict[int, float] = {}
        for term in question_terms:
            found = self._found.get(term, [])
            idf = math.log((len(self._lengths) - len(found) + 0.5) / (len(found) + 0.5))
            weight = idf if idf > 0 else _LEAST_IDF
            for number, count in found:
                norm = K1 * (1 - B + B * self._lengths[number] / self._mean_length)
                scores[number] = scores.get(number, 0.0) + weight * count * (K1 + 1) / (count + norm)
        return scores
