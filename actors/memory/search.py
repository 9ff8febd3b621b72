"""Finds what bears on a question: the search makes a pool, the source's formula ranks it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal

import apsw
import numpy as np
from numpy.typing import NDArray

from actors.memory.codes_keeper import CodesKeeper
from actors.memory.places import Mask
from actors.memory.source import IndexVectors
from domain.hybrid import HITS, Found, Scored, is_question, names, pool_size, scored
from domain.injection import CHARS_PER_TOKEN, Budget, Memory, rendered_size
from domain.keywords import fts_query, question_words, telling
from domain.porter import stem
from domain.ranking import Candidate, Ranked, cosines, rank

Kind = Literal["hybrid", "similarity", "exhaustive"]
NEIGHBOURS = 50
"""How many of the nearest turns the similarity search ranks."""
DAY_S = 86_400.0
SHOWN_FROM_CHARS = 16_000
"""How much of a turn the excerpt is chosen from."""
SIZED_BY_CHARS = 1_000
"""How much of a turn tells how large its excerpt will be; looking for the best one costs more."""
_SIZED_AT_ONCE = 48
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Turn:
    """A row of the index as a search needs it."""

    row: int
    path: str
    line: int
    timestamp: int
    """Milliseconds since the epoch."""
    role: str
    author: str
    text: str
    is_pinned: bool
    window: str
    """Key of the window in which it was said."""

    @property
    def memory(self) -> Memory:
        """As it would be injected: its beginning, if it is very long."""
        return Memory(self.path, self.line, self.text[:SHOWN_FROM_CHARS])


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn in the ranking's order."""

    turn: Turn
    ranked: Ranked
    search_score: float


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for, and what may come of it."""

    text: str
    vector: Vector | None
    """None when the embedder gave none."""
    shown: Mask
    """For every row number whether it may be found; it is the caller's to change."""
    total: int
    """Rows of the whole index."""
    now: datetime
    count: int
    """Most hits wanted."""


class Searcher:
    """Searches one index; it never writes."""

    def __init__(self, connection: apsw.Connection, vectors: IndexVectors, codes: CodesKeeper, kind: Kind) -> None:
        self._connection = connection
        self._vectors = vectors
        self._codes = codes
        self._kind = kind

    def find(self, question: Question, budget: Budget) -> tuple[list[Hit], int]:
        """The best hits, and how many turns were ranked; pins that may be shown are always among those."""
        allowed = np.flatnonzero(question.shown).astype(np.int64)
        if not len(allowed):
            return [], 0
        pins = [row for row in self._pins() if row < len(question.shown) and question.shown[row]]
        if self._kind == "exhaustive" and question.vector is not None and self._codes.nearest is not None:
            return self._exhaustive(question, allowed, pins)
        scores = self._pool(question, allowed, budget)
        turns = self._turns([*scores, *(row for row in pins if row not in scores)])
        hits = self._rank(question, turns, scores)
        return hits, len(turns)

    # searches

    def _pool(self, question: Question, allowed: NDArray[np.int64], budget: Budget) -> dict[int, float]:
        """Row -> search score of the turns that the formula ranks."""
        if self._kind == "similarity" and question.vector is not None and self._codes.nearest is not None:
            rows, sims = self._codes.nearest.top(question.vector, NEIGHBOURS, allowed)
            return dict(zip(rows.tolist(), sims.tolist(), strict=True))
        near = self._near(question, allowed)
        keyword = self._keyword_scores(question)
        found = self._candidates({*near, *keyword}, question, near, keyword)
        beside = {row for one in found for row in (one.before, one.after) if row is not None}
        more = [row for row in beside - {one.row for one in found} if question.shown[row]]
        order = scored([*found, *self._candidates(more, question, near, keyword)])
        size = pool_size(self._sizes(order, budget), budget.total_tokens * CHARS_PER_TOKEN)
        return {one.row: one.score for one in order[:size]}

    def _candidates(
        self, rows: Iterable[int], question: Question, near: Mapping[int, float], keyword: Mapping[int, float]
    ) -> list[Found]:
        """What the hybrid search must know of rows."""
        is_named = lru_cache(None)(lambda author: names(question.text, author))
        vector = None if question.vector is None else question.vector.astype("<f4").tobytes()
        found = self._connection.execute(_CANDIDATES, (json.dumps(list(rows)), vector, self._vectors.space))
        return [
            Found(
                row=row,
                cosine=near.get(row, 0.0 if distance is None else 1.0 - distance),
                keyword=keyword.get(row, 0.0),
                before=before,
                after=after,
                sitting=sitting,
                is_named=is_named(author),
                is_question=is_question(ending),
            )
            for row, author, sitting, ending, before, after, distance in found
        ]

    def _sizes(self, order: Sequence[Scored], budget: Budget) -> Iterator[int]:
        """Rendered size of each row's memory, looked up a few rows at a time, for most are never asked for."""
        for begin in range(0, len(order), _SIZED_AT_ONCE):
            rows = [one.row for one in order[begin : begin + _SIZED_AT_ONCE]]
            turns = self._turns(rows)
            for row in rows:
                yield self._size(turns[row], budget)

    def _size(self, turn: Turn, budget: Budget) -> int:
        return rendered_size(Memory(turn.path, turn.line, turn.text[:SIZED_BY_CHARS]), (), budget)

    def _near(self, question: Question, allowed: NDArray[np.int64]) -> dict[int, float]:
        if question.vector is None or self._codes.nearest is None:
            return {}
        rows, sims = self._codes.nearest.top(question.vector, HITS, allowed)
        return dict(zip(rows.tolist(), sims.tolist(), strict=True))

    def _keyword_scores(self, question: Question) -> dict[int, float]:
        """Row -> BM25 of the best rows that have a telling word of the question."""
        wanted = question_words(question.text)
        stems = json.dumps([stem(word) for word in wanted])
        counts = self._connection.execute(
            "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))", (stems,)
        )
        rows_with = {str(term): count for term, count in counts}
        query = fts_query(telling(wanted, rows_with, question.total))
        scores: dict[int, float] = {}
        if not query:
            return scores
        for row, score in self._connection.execute(
            "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank", (query,)
        ):
            if row < len(question.shown) and question.shown[row]:
                scores[row] = -score
                if len(scores) == HITS:
                    break
        return scores

    # ranking

    def _rank(self, question: Question, turns: Mapping[int, Turn], scores: Mapping[int, float]) -> list[Hit]:
        rows = np.array(list(turns), np.int64)
        vectors = self._vectors.fetch(rows)
        if question.vector is None:
            sims = np.array([_scaled(scores, row) for row in rows.tolist()])
        else:
            sims = cosines(vectors, question.vector)
            self._guess_unknown(sims, np.asarray(~vectors.any(axis=1)), [turns[row] for row in rows.tolist()], scores)
        now_ms = question.now.timestamp() * 1000
        candidates = [
            Candidate(
                row=row,
                sim=float(sim),
                age_days=(now_ms - turns[row].timestamp) / 1000 / DAY_S,
                is_pinned=turns[row].is_pinned,
                vector=vector,
            )
            for row, sim, vector in zip(rows.tolist(), sims, vectors, strict=True)
        ]
        return [
            Hit(turns[ranked.candidate.row], ranked, scores.get(ranked.candidate.row, 0.0))
            for ranked in rank(candidates, question.count)
        ]

    def _guess_unknown(
        self, sims: NDArray[np.float64], unknown: Mask, turns: Sequence[Turn], scores: Mapping[int, float]
    ) -> None:
        """Give turns without a vector yet a share of the best similarity, as large as their share of the best score.

        So what was said a moment ago is found by its words. A pin's stays unknown: it has its place anyway.
        """
        best = 1.0 if unknown.all() else max(0.0, float(sims.max(initial=0.0)))
        for place in np.flatnonzero(unknown).tolist():
            turn = turns[place]
            sims[place] = np.nan if turn.is_pinned else best * _scaled(scores, turn.row)

    def _exhaustive(self, question: Question, allowed: NDArray[np.int64], pins: Sequence[int]) -> tuple[list[Hit], int]:
        assert self._codes.nearest is not None
        assert question.vector is not None
        pinned = {row: turn.timestamp / 1000 for row, turn in self._turns(pins).items()}
        found = self._codes.nearest.exhaustive(
            question.vector, question.now.timestamp(), pinned, question.count, allowed
        )
        turns = self._turns(one.row for one in found)
        hits = []
        for one in found:
            age_days = (question.now.timestamp() - turns[one.row].timestamp / 1000) / DAY_S
            candidate = Candidate(one.row, one.parts.sim, age_days, one.is_pinned, np.zeros(0, np.float32))
            hits.append(Hit(turns[one.row], Ranked(candidate, one.score, one.parts, one.is_pinned), 0.0))
        return hits, len(allowed)

    # rows

    def _pins(self) -> list[int]:
        return [row for (row,) in self._connection.execute("SELECT id FROM turns WHERE pinned = 1")]

    def _turns(self, rows: Iterable[int]) -> dict[int, Turn]:
        found = self._connection.execute(_TURNS, (json.dumps(list(rows)),))
        turns = [Turn(*values) for values in found]
        return {turn.row: turn for turn in turns}


_BESIDE = """
  (SELECT b.id FROM turns b WHERE b.window = t.window AND (b.timestamp, b.id) < (t.timestamp, t.id)
   ORDER BY b.timestamp DESC, b.id DESC LIMIT 1),
  (SELECT a.id FROM turns a WHERE a.window = t.window AND (a.timestamp, a.id) > (t.timestamp, t.id)
   ORDER BY a.timestamp, a.id LIMIT 1)
"""
_CANDIDATES = f"""
SELECT t.id, t.author, t.sitting, substr(t.content, -64), {_BESIDE},
  (SELECT vec_distance_cosine(v.embedding, ?2) FROM vectors v WHERE ?2 IS NOT NULL AND v.space = ?3 AND v.hash = t.hash)
FROM turns t WHERE t.id IN (SELECT value FROM json_each(?1))
"""
_TURNS = """
SELECT t.id, f.path, t.line, t.timestamp, t.role, t.author, t.content, t.pinned, w.key
FROM turns t JOIN files f ON f.id = t.file JOIN windows w ON w.id = t.window
WHERE t.id IN (SELECT value FROM json_each(?))
"""


def _scaled(scores: Mapping[int, float], row: int) -> float:
    """What stands in for a similarity that is not known: the search's score as a share of the best one."""
    best = max(scores.values(), default=0.0)
    return scores[row] / best if best > 0 and row in scores else 0.0
