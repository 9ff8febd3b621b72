"""Hybrid retrieval over the index: candidates with all inputs of `domain.memory.hybrid`, in arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import apsw
import msgspec
import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.engine import VectorEngine
from actors.memory.index.vectors import IndexVectors
from actors.memory.search import distances
from actors.memory.search.order import NONE, Order
from actors.memory.search.visibility import Mask
from actors.memory.search.vocabulary import Vocabulary
from domain.memory.first_person import READ_CHARS, speaks_of_self
from domain.memory.hybrid import (
    HITS,
    LONG_CHARS,
    Candidates,
    Scores,
    are_questions,
    name_words,
    names,
    scores,
    without_names,
)
from domain.memory.remembered import AGENT

_Rows = NDArray[np.int64]
_Values = NDArray[np.float64]
_Numbers = NDArray[np.int32]


class HybridSearch:
    """Scores turns relevant to a question by meaning, by words, or by their neighbours; never writes."""

    def __init__(self, connection: apsw.Connection, vectors: IndexVectors, engine: VectorEngine) -> None:
        self._connection = connection
        self._vectors = vectors
        self._engine = engine
        self._order = Order(connection)
        self._vocabulary = Vocabulary(connection)
        self._names: dict[str, _Numbers] | None = None
        """Word of an author's name -> windows with messages of authors of the name."""

    def embedded_question(self, text: str, windows: Mask) -> str:
        """The text to embed for a question: without authors' names that the asker may know.

        Args:
            text: The question.
            windows: For every number of a window True if its words may be shown to the asker.
        """
        if self._names is None:
            self._names = {}
            _take_names(self._names, self._connection.execute("SELECT DISTINCT window, author FROM turns"))
        known = {word for word in name_words(text) if windows[self._names.get(word, [])].any()}
        return without_names(text, known)

    def follow(self, window: int, added: Sequence[int], gone: Sequence[int]) -> None:
        """Take in new rows of a window, and drop removed rows of any window."""
        for row in gone:
            self._order.drop(row)
        if added:
            self._order.add(window, added)
            self._learn_names(added)
        self._vocabulary.follow(added, gone)

    def _learn_names(self, added: Sequence[int]) -> None:
        if self._names is not None:
            listed = msgspec.json.encode(list(added)).decode()
            _take_names(self._names, self._connection.execute(_AUTHORS, (listed,)))

    def find(
        self, text: str, vector: NDArray[np.float32] | None, mask: Mask, total: int, pins: Sequence[int] = ()
    ) -> Scores:
        """The rows relevant to a question, best first.

        Args:
            text: The question.
            vector: Vector of the question; None without a vector.
            mask: True for every allowed row number.
            total: Rows of the whole index.
            pins: Rows that are candidates whatever their relevance.
        """
        near, known = self._near(vector, mask)
        by_words, keywords = self._vocabulary.best(text, mask, total)
        hits = _together(near, by_words[:HITS], np.array(pins, np.int64))
        beside = np.concatenate(self._order.beside(hits))
        rows, authors, episodes, endings, roles, chars = self._traits(_together(hits, beside[_may(beside, mask)]))
        before, after = self._order.beside(rows)
        are_named = {author: names(text, author) for author in set(authors)}
        named = np.fromiter(map(are_named.__getitem__, authors), np.bool_, len(rows))
        return scores(
            Candidates(
                rows=rows,
                cosines=self._cosines(rows, near, known, vector),
                keywords=_looked_up(by_words, keywords, rows)[0],
                before=before,
                after=after,
                episodes=episodes,
                named=named,
                asking=np.fromiter(are_questions(endings), np.bool_, len(rows)),
                answering=np.fromiter((role == AGENT for role in roles), np.bool_, len(rows)),
                selves=self._selves(rows, named),
                chars=chars,
            )
        )

    def _near(self, vector: NDArray[np.float32] | None, mask: Mask) -> tuple[_Rows, _Values]:
        return (np.empty(0, np.int64), np.empty(0)) if vector is None else self.nearest(vector, HITS, mask)

    def before(self, rows: _Rows) -> tuple[_Rows, _Rows]:
        """The two turns before each of `rows` in its window, the nearer first; 0 without a turn."""
        before, _ = self._order.beside(rows)
        second, _ = self._order.beside(before)
        return before, second

    def nearest(self, vector: NDArray[np.float32], count: int, mask: Mask) -> tuple[_Rows, _Values]:
        """The `count` allowed rows with the greatest cosines, and the cosines."""
        if not self._engine.is_open:
            return distances.nearest(self._connection, self._vectors, vector, count, mask)
        return self._engine.top(vector, count, mask)

    def _traits(self, rows: _Rows) -> tuple[_Rows, Sequence[str], _Rows, Sequence[str], Sequence[str], _Rows]:
        """Existing rows of `rows`; author, episode, end, role and length of each."""
        listed = msgspec.json.encode(rows.tolist()).decode()
        ((ids, authors, episodes, *others, chars),) = self._connection.execute(_TRAITS, (listed, LONG_CHARS))
        endings, roles = map(msgspec.json.decode, others)
        return _numbers(ids), msgspec.json.decode(authors), _numbers(episodes), endings, roles, _numbers(chars)

    def _selves(self, rows: _Rows, named: Mask) -> Mask:
        """For each of `rows`: True if its author is `named` and writes about themself; other texts are not read."""
        selves = np.zeros(len(rows), np.bool_)
        if named.any():
            listed = msgspec.json.encode(rows[named].tolist()).decode()
            ((texts,),) = self._connection.execute(_BEGINNINGS, (listed, READ_CHARS))
            selves[named] = [speaks_of_self(text) for text in msgspec.json.decode(texts)]
        return selves

    def _cosines(self, rows: _Rows, near: _Rows, known: _Values, vector: NDArray[np.float32] | None) -> _Values:
        """Cosine of each of `rows` to the question, already known for `near`; 0 without a vector."""
        cosines, is_near = _looked_up(near, known, rows)
        if vector is not None:
            others = np.flatnonzero(~is_near)
            cosines[others] = _about(self._vectors.fetch(rows[others]), vector)
        return cosines


def _take_names(names: dict[str, _Numbers], authors: Iterable[Sequence[object]]) -> None:
    """Take (window, author) pairs into `names`."""
    windows = defaultdict[str, set[int]](set)
    for window, author in authors:
        for word in name_words(str(author)):
            windows[word].add(int(str(window)))
    for word, numbers in windows.items():
        names[word] = np.union1d(names.get(word, []), list(numbers)).astype(np.int32)


def _numbers(listed: str | None) -> _Rows:
    return np.fromstring(listed or "", np.int64, sep=",")


def _about(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> _Values:
    """Cosines to `query`, right to some millionths; NaN where there is no direction."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        sizes = np.sqrt(np.vecdot(vectors, vectors) * np.vecdot(query, query))
        return np.asarray(np.vecdot(vectors, query) / sizes, np.float64)


def _together(*parts: _Rows) -> _Rows:
    """Every given row once, ascending."""
    rows = np.sort(np.concatenate(parts))
    return np.asarray(rows[np.concatenate([[True], rows[1:] != rows[:-1]])[: len(rows)]])


def _may(rows: _Rows, mask: Mask) -> Mask:
    may: Mask = (rows != NONE) & (rows < len(mask))
    may[may] = mask[rows[may]]
    return may


def _looked_up(known: _Rows, values: _Values, rows: _Rows) -> tuple[_Values, Mask]:
    """The value of each of `rows`, 0 for an unknown row, and a flag for known rows; `known` is in any order."""
    if not len(known):
        return np.zeros(len(rows)), np.zeros(len(rows), np.bool_)
    order = np.argsort(known)
    at = order[np.minimum(np.searchsorted(known, rows, sorter=order), len(known) - 1)]
    is_known: Mask = known[at] == rows
    return np.where(is_known, values[at], 0.0), is_known


_AUTHORS = "SELECT DISTINCT window, author FROM turns WHERE id IN (SELECT value FROM json_each(?))"
_BEGINNINGS = """
SELECT json_group_array(substr(t.content, 1, ?2)) FROM json_each(?1) CROSS JOIN turns t ON t.id = value
"""
# As six texts and not as many rows: what a row of an answer costs is more than all else about it.
_TRAITS = """
SELECT group_concat(t.id), json_group_array(t.author), group_concat(t.sitting),
  json_group_array(substr(t.content, -64)), json_group_array(t.role),
  group_concat(length(substr(t.content, 1, ?2)))
FROM json_each(?1) CROSS JOIN turns t ON t.id = value
"""
