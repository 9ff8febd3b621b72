"""BM25, equal to FTS5's `bm25()` with one column, over the words in an index or in a few documents.

Source: https://www.sqlite.org/fts5.html, "The bm25() function".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
_LEAST_IDF = 1e-6
"""Least weight of a term in more than half of the documents: such a term must not lower a document's score."""


class Postings(NamedTuple):
    """Posting list of a term: number of documents, and requested rows with the term's frequency in each."""

    documents: int
    rows: NDArray[np.int64]
    """Ascending, each once."""
    counts: NDArray[np.int64]


def sum_scores(
    terms: Sequence[Postings], lengths: Sequence[NDArray[np.int64]], documents: int, mean_length: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Every row with one of `terms`, ascending, and the row's score, greater is better.

    Args:
        terms: A term that is given twice counts twice.
        lengths: Number of all terms in each row, for each term.
        documents: Number of documents.
        mean_length: Mean of all documents.
    """
    if not terms:
        return np.empty(0, np.int64), np.empty(0)
    rows = np.concatenate([term.rows for term in terms])
    parts = np.concatenate(
        [_part(term, length, documents, mean_length) for term, length in zip(terms, lengths, strict=True)]
    )
    # Rows ascend within each term, which a stable sort makes use of; it leaves the terms of a row in their order.
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    is_first = np.concatenate([[True], rows[1:] != rows[:-1]])[: len(rows)]
    return rows[is_first], np.asarray(np.bincount(np.cumsum(is_first) - 1, parts[order]), np.float64)


def _part(term: Postings, lengths: NDArray[np.int64], documents: int, mean_length: float) -> NDArray[np.float64]:
    """Addition of a term to the score of each of its rows; in FTS5's order of operations, so equal to the last bit."""
    counts = term.counts.astype(np.float64)
    norms = K1 * (1 - B + B * lengths.astype(np.float64) / mean_length)
    part: NDArray[np.float64] = _weight(documents, term.documents) * (counts * (K1 + 1.0) / (counts + norms))
    return part


def _weight(documents: int, having: int) -> float:
    idf = math.log((max(0, documents - having) + 0.5) / (having + 0.5))
    return idf if idf > 0 else _LEAST_IDF


class Bm25:
    """Scores a few thousand documents in memory, for measurements too small for a database."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        """Index `documents`, each given as terms in any order."""
        self._lengths = [len(document) for document in documents]
        self._mean_length = sum(self._lengths) / len(documents) if documents else 0.0
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, document in enumerate(documents):
            for term, count in Counter(document).items():
                self._postings.setdefault(term, []).append((number, count))

    def rows_with(self) -> dict[str, int]:
        """Term -> number of documents with the term."""
        return {term: len(entries) for term, entries in self._postings.items()}

    def scores(self, question_terms: Iterable[str]) -> dict[int, float]:
        """Number of each document with one of the terms -> score, greater is better.

        A term that is given twice counts twice.
        """
        scores: dict[int, float] = {}
        for term in question_terms:
            entries = self._postings.get(term, [])
            weight = _weight(len(self._lengths), len(entries))
            for number, count in entries:
                norm = K1 * (1 - B + B * self._lengths[number] / self._mean_length)
                scores[number] = scores.get(number, 0.0) + weight * count * (K1 + 1) / (count + norm)
        return scores
