"""Retrieval in two steps: a search makes a pool of what bears on a question, the source's formula ranks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

import apsw
import msgspec
import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.engine import VectorEngine
from actors.memory.index.seal import check_rows
from actors.memory.index.vectors import IndexVectors
from actors.memory.search.exhaustive import DAY_S, rank_every_row
from actors.memory.search.hybrid import HybridSearch
from actors.memory.search.visibility import Mask
from domain.memory.hybrid import pool_size
from domain.memory.injection import CHARS_PER_TOKEN, Budget, Memory, rendered_size
from domain.memory.keywords import question_terms
from domain.memory.ranking import Candidate, Ranked, cosines, rank_arrays

Kind = Literal["hybrid", "similarity", "exhaustive"]
NEIGHBOURS = 50
"""Number of nearest turns that the similarity search ranks."""
SHOWN_FROM_CHARS = 16_000
"""Characters of a turn from which the excerpt is chosen."""
READ_CHARS = 600_000
"""Of all hits together: where many are wanted, excerpts are chosen from less of each, so that a search keeps short."""
_SIZED_AT_ONCE = 40
Vector = NDArray[np.float32]


class IndexedTurn(NamedTuple):
    """A row of the index as a search needs it."""

    row: int
    path: str
    line: int
    timestamp: int
    """Milliseconds since the epoch."""
    role: str
    author: str
    text: str
    """Text of the turn, shortened if very long."""
    is_whole: bool
    is_pinned: bool
    window: str
    """Key of the window in which it was said."""

    @property
    def memory(self) -> Memory:
        """As it would be injected."""
        return Memory(self.path, self.line, self.text)


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn in the ranking's order."""

    turn: IndexedTurn
    ranked: Ranked
    search_score: float


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Query of the index: question, mask and number of hits."""

    text: str
    vector: Vector | None
    """Vector of the question; None if the embedder gave no vector."""
    mask: Mask
    """For every row number whether it may be found; it is the caller's to change."""
    total: int
    """Rows of the whole index."""
    now: datetime
    count: int
    """Most hits wanted."""

    @property
    def chars(self) -> int:
        """Characters read of each hit."""
        return min(SHOWN_FROM_CHARS, READ_CHARS // max(1, self.count))


class Searcher:
    """Retrieval from one index, without writing."""

    def __init__(self, connection: apsw.Connection, vectors: IndexVectors, engine: VectorEngine, kind: Kind) -> None:
        self._connection = connection
        self._vectors = vectors
        self._kind = kind
        self._hybrid = HybridSearch(connection, vectors, engine)

    def follow(self, window: int, added: Sequence[int], gone: Sequence[int]) -> None:
        """Know of rows that are new in a window, and of those that are gone from any."""
        self._hybrid.follow(window, added, gone)

    def find(self, question: MemoryQuery, budget: Budget) -> tuple[list[Hit], int]:
        """(best hits, number of ranked turns); permitted pins are always ranked.

        Raises:
            AlteredIndexError: a row or vector used for the result was altered.
        """
        allowed = int(np.count_nonzero(question.mask))
        if not allowed:
            return [], 0
        pins = [row for row in self._pins() if row < len(question.mask) and question.mask[row]]
        if self._kind == "exhaustive" and question.vector is not None:
            return self._rank_all(question, question.vector, pins), allowed
        scores, turns = self._pool(question, budget)
        turns |= self._turns([row for row in (*scores, *pins) if row not in turns], question.chars)
        return self._checked(self._rank(question, tuple(turns.values()), scores)), len(turns)

    def pins(self, choose: Callable[[list[int]], Iterable[int]]) -> list[Memory]:
        """The pins of which `choose` gives the rows, the newest first."""
        rows = choose(self._pins())
        turns = self._turns(rows, SHOWN_FROM_CHARS).values()
        return [turn.memory for turn in sorted(turns, key=lambda turn: -turn.timestamp)]

    # searches

    def _pool(self, question: MemoryQuery, budget: Budget) -> tuple[dict[int, float], dict[int, IndexedTurn]]:
        """Row -> search score of the turns that the formula ranks, and those turns that are known already."""
        if self._kind == "similarity" and question.vector is not None:
            rows, sims = self._hybrid.nearest(question.vector, NEIGHBOURS, question.mask)
            return dict(zip(rows.tolist(), sims.tolist(), strict=True)), {}
        scored = self._hybrid.find(question.text, question.vector, question.mask, question.total)
        turns: dict[int, IndexedTurn] = {}
        sizes = self._sizes(scored.rows.tolist(), question, budget, turns)
        size = pool_size(sizes, budget.total_tokens * CHARS_PER_TOKEN)
        scores = dict(zip(scored.rows[:size].tolist(), scored.scores[:size].tolist(), strict=True))
        return scores, {row: turns[row] for row in scores}

    def _sizes(
        self, rows: Sequence[int], question: MemoryQuery, budget: Budget, turns: dict[int, IndexedTurn]
    ) -> Iterator[int]:
        """Rendered size of each row's memory, looked up a few rows at a time, for most are never asked for.

        Args:
            turns: Takes in what is looked up.
        """
        terms = question_terms(question.text)
        for begin in range(0, len(rows), _SIZED_AT_ONCE):
            part = rows[begin : begin + _SIZED_AT_ONCE]
            turns |= self._turns(part, question.chars)
            for row in part:
                yield rendered_size(turns[row].memory, terms, budget)

    # ranking

    def _rank(self, question: MemoryQuery, turns: Sequence[IndexedTurn], scores: Mapping[int, float]) -> list[Hit]:
        if not turns:
            return []
        rows = np.array([turn.row for turn in turns], np.int64)
        vectors = self._vectors.fetch(rows)
        sims = self._similarities(question, turns, vectors, scores)
        timestamps = np.array([turn.timestamp for turn in turns], np.float64)
        ages = (question.now.timestamp() * 1000 - timestamps) / 1000 / DAY_S
        pinned = np.array([turn.is_pinned for turn in turns], np.bool_)
        hits = []
        for pick in rank_arrays(rows, sims, ages, pinned, vectors, question.count):
            place = pick.index
            turn = turns[place]
            candidate = Candidate(turn.row, float(sims[place]), float(ages[place]), turn.is_pinned, vectors[place])
            ranked = Ranked(candidate, pick.score, pick.parts, pick.is_pinned)
            hits.append(Hit(turn, ranked, scores.get(turn.row, 0.0)))
        return hits

    def _similarities(
        self,
        question: MemoryQuery,
        turns: Sequence[IndexedTurn],
        vectors: NDArray[np.float32],
        scores: Mapping[int, float],
    ) -> NDArray[np.float64]:
        """Cosine of each turn to the question, or what stands in for it."""
        if question.vector is None:
            return np.array([_scaled(scores, turn.row) for turn in turns])
        sims = cosines(vectors, question.vector)
        self._guess_unknown(sims, np.asarray(~vectors.any(axis=1)), turns, scores)
        return sims

    def _guess_unknown(
        self, sims: NDArray[np.float64], unknown: Mask, turns: Sequence[IndexedTurn], scores: Mapping[int, float]
    ) -> None:
        """Give turns without a vector yet a share of the best similarity, as large as their share of the best score.

        So a turn of a moment ago is found by its words. A pin's similarity stays unknown: a pin has its place anyway.
        """
        best = 1.0 if unknown.all() else max(0.0, float(sims.max(initial=0.0)))
        for place in np.flatnonzero(unknown).tolist():
            turn = turns[place]
            sims[place] = np.nan if turn.is_pinned else best * _scaled(scores, turn.row)

    def _rank_all(self, question: MemoryQuery, vector: Vector, pins: Sequence[int]) -> list[Hit]:
        pinned = {row: turn.timestamp / 1000 for row, turn in self._turns(pins, question.chars).items()}
        now_s = question.now.timestamp()
        picks = rank_every_row(self._vectors, vector, now_s, pinned, question.count, question.mask)
        turns = self._turns((row for row, _ in picks), question.chars)
        hits = []
        for row, pick in picks:
            age_days = (now_s - turns[row].timestamp / 1000) / DAY_S
            candidate = Candidate(row, pick.parts.sim, age_days, pick.is_pinned, np.zeros(0, np.float32))
            hits.append(Hit(turns[row], Ranked(candidate, pick.score, pick.parts, pick.is_pinned), 0.0))
        return self._checked(hits)

    def _checked(self, hits: list[Hit]) -> list[Hit]:
        """`hits`, if their rows match their seals.

        Raises:
            AlteredIndexError: a row of the hits was altered.
        """
        check_rows(self._connection, (hit.turn.row for hit in hits))
        return hits

    # rows

    def _pins(self) -> list[int]:
        return [row for (row,) in self._connection.execute("SELECT id FROM turns WHERE pinned = 1")]

    def _turns(self, rows: Iterable[int], chars: int) -> dict[int, IndexedTurn]:
        listed = msgspec.json.encode(list(rows)).decode()
        turns = map(IndexedTurn._make, self._connection.execute(_TURNS, {"rows": listed, "chars": chars}))
        return {turn.row: turn for turn in turns}


_TURNS = """
SELECT t.id, f.path, t.line, t.timestamp, t.role, t.author, substr(t.content, 1, :chars), length(t.content) <= :chars,
  t.pinned, w.key
FROM json_each(:rows) CROSS JOIN turns t ON t.id = value JOIN files f ON f.id = t.file JOIN windows w ON w.id = t.window
"""


def _scaled(scores: Mapping[int, float], row: int) -> float:
    """Substitute for an unknown similarity: the row's score as a share of the best score."""
    best = max(scores.values(), default=0.0)
    return scores[row] / best if best > 0 and row in scores else 0.0
