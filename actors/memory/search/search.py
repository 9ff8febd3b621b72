"""Retrieval in two steps: a search makes a pool of relevant turns, the source's formula ranks the pool."""

from __future__ import annotations

from collections import Counter
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
from domain.log.window import short_path
from domain.memory.hybrid import BEYOND_POOL, Scored, pool_size
from domain.memory.injection import CHARS_PER_TOKEN, Budget, Memory, rendered_size
from domain.memory.keywords import fts_query, question_terms, question_words, words
from domain.memory.letters import plain_letters
from domain.memory.passage import Neighbour, number_turns
from domain.memory.ranking import Candidate, Ranked, cosines, rank_arrays
from messages.base import Window

Kind = Literal["hybrid", "similarity", "exhaustive"]
NEIGHBOURS = 50
"""Nearest turns ranked by the similarity search."""
SHOWN_FROM_CHARS = 16_000
"""Characters of a turn available for the choice of the excerpt."""
READ_CHARS = 600_000
"""Of all hits together: where many are wanted, excerpts are chosen from less of each, so that a search keeps short."""
_SIZED_AT_ONCE = 40
_WITH_WORDS = "SELECT rowid FROM words WHERE words MATCH ?"
_BY_AUTHOR = "SELECT id FROM turns WHERE author = ?"
Vector = NDArray[np.float32]


class IndexedTurn(NamedTuple):
    """A row of the index in a search's form."""

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
    """Key of the turn's window."""

    def memory(self, window: Window | None = None, number: int | None = None) -> Memory:
        """Memory in the form for a block, in `window` with the paths that serve there."""
        return Memory(self.path if window is None else short_path(self.path, window), self.line, self.text, number)


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn in the ranking's order, with both halves of its similarity if words count, too."""

    turn: IndexedTurn
    ranked: Ranked
    meaning: float = 0.0
    words: float = 0.0


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """Query of the index: question, mask and number of hits."""

    text: str
    vector: Vector | None
    """Vector of the question; None if the embedder gave no vector."""
    mask: Mask
    """True for every allowed row number; the caller may change the array."""
    total: int
    """Rows of the whole index."""
    now: datetime
    count: int
    """Most hits wanted."""
    window: Window | None = None
    """Window of the block; None for a search without a block."""

    @property
    def chars(self) -> int:
        """Characters read of each hit."""
        return min(SHOWN_FROM_CHARS, READ_CHARS // max(1, self.count))


class Searcher:
    """Retrieval from an index, without writing."""

    def __init__(self, connection: apsw.Connection, vectors: IndexVectors, engine: VectorEngine, kind: Kind) -> None:
        self._connection = connection
        self._vectors = vectors
        self._kind = kind
        self._hybrid = HybridSearch(connection, vectors, engine)

    def follow(self, window: int, added: Sequence[int], gone: Sequence[int]) -> None:
        """Take in new rows of a window, and drop removed rows of any window."""
        self._hybrid.follow(window, added, gone)

    def embedded_question(self, text: str, windows: Mask) -> str:
        """The text to embed for a question; the other searches know no names, and take the question as it is."""
        return self._hybrid.embedded_question(text, windows) if self._kind == "hybrid" else text

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
        pool, beyond, turns = self._pool(question, budget, pins)
        turns |= self._turns([row for row in (*pool, *beyond) if row not in turns], question.chars)
        hits = [*self._rank(question, turns, pool), *self._rank(question, turns, beyond)]
        return self._check(hits[: question.count]), len(pool) + len(beyond)

    def memories(self, hits: Sequence[Hit], window: Window) -> list[Memory]:
        """Memories of `hits` as shown by a block in `window`, numbered for its passages."""
        turns = [hit.turn for hit in hits]
        before, second = self._hybrid.before(np.array([turn.row for turn in turns], np.int64))
        stamps = [turn.timestamp for turn in turns]
        places = zip([turn.row for turn in turns], before.tolist(), second.tolist(), stamps, strict=True)
        numbers = number_turns(Neighbour(*place) for place in places)
        return [turn.memory(window, numbers[turn.row]) for turn in turns]

    def mentions(self, name: str, rows: int) -> Mask:
        """For every row number below `rows`: True for a turn with a word of `name`, the name of its author included."""
        looked_up = question_words(name) or tuple(words(plain_letters(name)))
        statement, value = (_WITH_WORDS, fts_query(looked_up)) if looked_up else (_BY_AUTHOR, name)
        mask: Mask = np.zeros(rows, np.bool_)
        numbers = [row for (row,) in self._connection.execute(statement, (value,)) if row < rows]
        mask[numbers] = True
        return mask

    def pins(self, choose: Callable[[list[int]], Iterable[int]], window: Window | None) -> list[Memory]:
        """The pins of the rows from `choose`, newest first, as named by a block in `window`.

        Without a window: in the window with the most pins.
        """
        rows = choose(self._pins())
        turns = sorted(self._turns(rows, SHOWN_FROM_CHARS).values(), key=lambda turn: -turn.timestamp)
        if window is None and turns:
            [(key, _)] = Counter(turn.window for turn in turns).most_common(1)
            window = Window.from_key(key)
        return [turn.memory(window) for turn in turns]

    # searches

    def _pool(
        self, question: MemoryQuery, budget: Budget, pins: Sequence[int]
    ) -> tuple[dict[int, Scored], dict[int, Scored], dict[int, IndexedTurn]]:
        """Row -> scores of the pool, with all pins, and of the rows beyond the pool; and turns that are known already.

        Where the search goes by cosine alone, the cosine is the similarity, NaN for a pin without a vector.
        """
        if self._kind == "similarity" and question.vector is not None:
            near, _ = self._hybrid.nearest(question.vector, NEIGHBOURS, question.mask)
            rows = np.unique(np.concatenate([near, np.array(pins, np.int64)]))
            vectors = self._vectors.fetch(rows)
            sims = np.where(vectors.any(axis=1), cosines(vectors, question.vector), np.nan)
            return (
                {row: Scored(row, sim, 0.0, 0.0) for row, sim in zip(rows.tolist(), sims.tolist(), strict=True)},
                {},
                {},
            )
        columns = self._hybrid.find(question.text, question.vector, question.mask, question.total, pins)
        scored = [Scored(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]
        turns: dict[int, IndexedTurn] = {}
        sizes = self._sizes([one.row for one in scored], question, budget, turns)
        size = pool_size(sizes, budget.total_tokens * CHARS_PER_TOKEN)
        always = frozenset(pins)
        pool = {one.row: one for place, one in enumerate(scored) if place < size or one.row in always}
        beyond = {one.row: one for one in scored[size : size + BEYOND_POOL] if one.row not in always}
        return pool, beyond, turns

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
            for place, row in enumerate(part, begin):
                yield rendered_size(turns[row].memory(question.window), terms, budget, place)

    # ranking

    def _rank(self, question: MemoryQuery, turns: Mapping[int, IndexedTurn], pool: Mapping[int, Scored]) -> list[Hit]:
        if not pool:
            return []
        rows = np.array(list(pool), np.int64)
        chosen = [turns[row] for row in pool]
        vectors = self._vectors.fetch(rows)
        sims = np.array([one.similarity for one in pool.values()])
        timestamps = np.array([turn.timestamp for turn in chosen], np.float64)
        ages = (question.now.timestamp() * 1000 - timestamps) / 1000 / DAY_S
        pinned = np.array([turn.is_pinned for turn in chosen], np.bool_)
        hits = []
        for pick in rank_arrays(rows, sims, ages, pinned, vectors, question.count):
            place = pick.index
            turn = chosen[place]
            candidate = Candidate(turn.row, float(sims[place]), float(ages[place]), turn.is_pinned, vectors[place])
            ranked = Ranked(candidate, pick.score, pick.parts, pick.is_pinned)
            hits.append(Hit(turn, ranked, pool[turn.row].meaning, pool[turn.row].words))
        return hits

    def _rank_all(self, question: MemoryQuery, vector: Vector, pins: Sequence[int]) -> list[Hit]:
        pinned = {row: turn.timestamp / 1000 for row, turn in self._turns(pins, question.chars).items()}
        now_s = question.now.timestamp()
        picks = rank_every_row(self._vectors, vector, now_s, pinned, question.count, question.mask)
        turns = self._turns((row for row, _ in picks), question.chars)
        hits = []
        for row, pick in picks:
            age_days = (now_s - turns[row].timestamp / 1000) / DAY_S
            candidate = Candidate(row, pick.parts.sim, age_days, pick.is_pinned, np.zeros(0, np.float32))
            hits.append(Hit(turns[row], Ranked(candidate, pick.score, pick.parts, pick.is_pinned)))
        return self._check(hits)

    def _check(self, hits: list[Hit]) -> list[Hit]:
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
