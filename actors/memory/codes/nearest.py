"""The nearest vectors and the exhaustive ranking, exact as brute force, from compact codes and a few float32 vectors.

The vectors stay in the index. Here are only codes (in memory and in side files), from which every cosine is known up to
a bound (`domain.memory.vector_codes` has the proof). Whatever the bounds leave open is decided with the float32 vectors
themselves, fetched from the index: some dozens of a million.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.bounds import Search, greatest
from actors.memory.codes.exhaustive import DAY_S, ROUNDING, ExhaustiveRanking, Pool
from actors.memory.codes.file import CHUNK, CodesFile, OutgrownCodesError, Purpose, UnfitCodesError
from actors.memory.codes.scan import Recency
from actors.memory.codes.table import CodesTable
from domain.memory import ranking, vector_codes
from domain.memory.ranking import Parts

Allowed: TypeAlias = "NDArray[np.int64] | NDArray[np.bool_]"
log = logging.getLogger(__name__)

_FIT_ROWS = 16_384
"""Vectors that a frame is fitted to; more make it no better."""
_REFIT = 4
"""A frame is chosen anew at the next opening when there are so many times the vectors it was fitted to."""
_SAMPLE = 64
"""Rows compared with the index at opening."""
_FETCH = 1024
"""Vectors fetched at a time while all are read."""
_SEEDS = 24
_LOOK = 8
_BATCH = 1024
_FAR = 30.0
"""Powers of recency are made anew when a question is so many times `RECENCY_DAYS` from their reference: float32 has
room for more than twice that."""
_NEAR_FACTOR = 2
"""So many steps a factor may change when the same vector is encoded again."""


class VectorSource(Protocol):
    """The vectors of one space, as the index has them."""

    def rows(self) -> NDArray[np.int64]:
        """Every row that has a vector, ascending."""

    def times(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """When each of `rows` was said, seconds since the epoch."""

    def fetch(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of `rows`, (len(rows), dims), in the same order."""


@dataclass(frozen=True, slots=True)
class Found:
    """A chosen row, with its score at the moment it was chosen."""

    row: int
    score: float
    parts: Parts
    is_pinned: bool


class Nearest:
    """Exact searches over the vectors of one space.

    Use `open`. `allowed` everywhere: the row numbers that may be found, in any order, or (much faster when they are
    many) whether each may, by row number; None allows all.
    """

    def __init__(self, path: Path, file: CodesFile, source: VectorSource, *, is_fast: bool = True) -> None:
        self._path = path
        self._file = file
        self._source = source
        self._table = CodesTable(file.frame, is_fast=is_fast)
        self._reference = 0.0
        self._decay = np.empty(0, np.float32)
        self.fetched = 0
        """Vectors that the last search needed from the index."""

    @classmethod
    def open(cls, path: Path, space: str, dims: int, source: VectorSource, *, is_fast: bool = True) -> Nearest:
        """The searches over what `source` has, with the side file at `path` when it fits, else with a new one.

        What came to the index, or left it, while the file was closed is mended.

        Args:
            space: Names the model and the generation of the index: another one when row numbers start again.
            is_fast: Whether to use the compiled pass where there is one; without it the answers are the same.

        Raises:
            OSError: the file cannot be read or written.
        """
        try:
            opened = cls(path, CodesFile.open(path, space, dims), source, is_fast=is_fast)
        except UnfitCodesError as reason:
            log.info("codes of the index are built anew: %s", reason)
            return cls._build(path, space, dims, source, is_fast=is_fast)
        try:
            opened._load()
            opened._compare()
        except UnfitCodesError as reason:
            opened.close()
            level = logging.INFO if isinstance(reason, OutgrownCodesError) else logging.WARNING
            log.log(level, "codes of the index are built anew: %s", reason)
            return cls._build(path, space, dims, source, is_fast=is_fast)
        return opened

    @property
    def rows(self) -> NDArray[np.int64]:
        """Every row that can be found, in the order in which they came."""
        return self._table.rows[self._table.alive]

    def append(self, rows: NDArray[np.int64], vectors: NDArray[np.float32], times: NDArray[np.float64]) -> None:
        """Take in rows said at `times` (seconds since the epoch); a row that is there already gets the new vector.

        Raises:
            ValueError: the lengths or the size of the vectors do not fit, a row occurs twice, or a time is not finite.
            OSError: the side file could not be written; of more rows than `CHUNK` the first may have been taken in.
        """
        if vectors.shape != (len(rows), self._file.purpose.dims) or times.shape != rows.shape:
            raise ValueError(f"{len(rows)} rows, {len(times)} times and vectors of shape {vectors.shape} do not fit")
        if not np.isfinite(times).all() or len(np.unique(rows)) != len(rows):
            raise ValueError("a time is not finite or a row occurs twice")
        for begin in range(0, len(rows), CHUNK):
            part = slice(begin, begin + CHUNK)
            codes = vector_codes.encode(self._file.frame, vectors[part])
            self._table.add(self._file.append(rows[part], times[part], codes))

    def remove(self, rows: NDArray[np.int64]) -> None:
        """Find `rows` no more; those that are not there are passed over.

        Raises:
            OSError: the side file could not be written; nothing was removed.
        """
        there = self._table.rows[self._table.places(np.unique(rows))]
        if not len(there):
            return
        nothing = vector_codes.encode(self._file.frame, np.zeros((len(there), self._file.purpose.dims), np.float32))
        self._table.add(self._file.append(there, np.full(len(there), np.nan), nothing))

    def close(self) -> None:
        """Give the file back; again, nothing."""
        self._file.close()

    def top(
        self, query: NDArray[np.float32], count: int, allowed: Allowed | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The `count` rows with the greatest cosines, and these (below 0 too); equals: the newer, then the lower row.

        Raises:
            ValueError: `count` is negative.
        """
        self.fetched = 0
        if count < 0:
            raise ValueError(f"cannot find {count} rows: the count must not be negative")
        asked = self._asked(allowed)
        search = Search(self._table, self._file, query, asked)
        if not search.question.has_direction or asked.sum() <= count:
            places, cosines = np.flatnonzero(asked), np.zeros(int(asked.sum()))
            if search.question.has_direction:
                cosines = self._cosines(places, query)
            return self._best(places, cosines, count)
        return self._top(search, query, count)

    def exhaustive(
        self,
        query: NDArray[np.float32],
        now: float,
        pinned: Mapping[int, float],
        count: int,
        allowed: Allowed | None = None,
    ) -> list[Found]:
        """What `domain.memory.ranking.rank` chooses from all rows.

        Args:
            now: Seconds since the epoch; ages count from there.
            pinned: Row -> when it was said, of every pin that may be found. A pin that has no vector here is one of
                unknown similarity. They need not be in `allowed`.
        """
        self.fetched = 0
        if count < 0:
            raise ValueError(f"cannot choose {count} rows: the count must not be negative")
        pins = self._pins(query, now, pinned)
        asked = self._asked(allowed)
        asked[self._table.places(pins.rows)] = False
        work = ExhaustiveRanking(
            Search(self._table, self._file, query, asked, self._recency(now)),
            lambda places: self._exact(places, query, now),
            lambda places: self._ages(places, now),
            pins,
            count,
        )
        pool, picks = work.run()
        self.fetched = work.fetched + len(pins.rows)
        return [Found(int(pool.rows[pick.index]), pick.score, pick.parts, pick.is_pinned) for pick in picks]

    # opening

    @classmethod
    def _build(cls, path: Path, space: str, dims: int, source: VectorSource, *, is_fast: bool) -> Nearest:
        """A new file of all that the source has."""
        rows = source.rows()
        chosen = rows[:: max(1, len(rows) // _FIT_ROWS)][:_FIT_ROWS]
        sample = np.zeros((len(chosen), dims), np.float32)
        for begin in range(0, len(chosen), _FETCH):
            sample[begin : begin + _FETCH] = source.fetch(chosen[begin : begin + _FETCH])
        file = CodesFile.create(
            path, Purpose(space, dims, len(rows)), vector_codes.fit_frame(sample, dims, np.random.default_rng())
        )
        built = cls(path, file, source, is_fast=is_fast)
        built._take(rows)
        return built

    def _load(self) -> None:
        """Take in what the file has."""
        self._table.reserve(self._file.on_disk())
        for records in self._file.chunks():
            self._table.add(records)

    def _compare(self) -> None:
        """Mend what differs from the index.

        Raises:
            UnfitCodesError: the file is of other vectors, or its frame of too few.
        """
        rows = self._source.rows()
        if len(rows) > _REFIT * self._file.purpose.fitted_rows and self._file.purpose.fitted_rows < _FIT_ROWS:
            raise UnfitCodesError(
                f"its frame is of {self._file.purpose.fitted_rows} vectors, now there are {len(rows)}"
            )
        if self._file.count > 2 * len(rows) + CHUNK:
            raise OutgrownCodesError(f"it has {self._file.count} records for {len(rows)} vectors")
        known = self.rows
        if np.array_equal(known, rows):  # as a rule; comparing sets takes memory that does not come back
            self._compare_some(rows[:: max(1, len(rows) // _SAMPLE)])
            return
        self.remove(np.setdiff1d(known, rows, assume_unique=True))
        both = np.intersect1d(known, rows, assume_unique=True)
        self._compare_some(both[:: max(1, len(both) // _SAMPLE)])
        self._take(np.setdiff1d(rows, known, assume_unique=True))

    def _compare_some(self, rows: NDArray[np.int64]) -> None:
        """See whether codes and times are those of the index."""
        if not len(rows):
            return
        codes = vector_codes.encode(self._file.frame, self._source.fetch(rows))
        places = self._table.places(rows)
        heads, signs, factors = self._table.codes_at(places)
        is_same = np.abs(factors.astype(np.int64) - codes.factors).max() <= _NEAR_FACTOR
        is_same &= np.abs(heads.astype(np.int64) - codes.head).max() <= 1
        # The signs of a tail that is next to nothing are chance.
        equal = (signs == codes.signs)[codes.factors > _NEAR_FACTOR]
        is_same &= equal.mean() > 0.9 if equal.size else True
        if not (is_same and (self._table.times[places] == self._source.times(rows)).all()):
            raise UnfitCodesError("its codes are not of the vectors in the index")

    def _take(self, rows: NDArray[np.int64]) -> None:
        """Append rows of the source."""
        for begin in range(0, len(rows), _FETCH):
            part = rows[begin : begin + _FETCH]
            self.append(part, self._source.fetch(part), self._source.times(part))

    # searching

    def _asked(self, allowed: Allowed | None) -> NDArray[np.bool_]:
        """Which places are asked about."""
        if allowed is None:
            return self._table.alive.copy()
        asked = np.zeros(self._table.count, np.bool_)
        if allowed.dtype == np.bool_:
            rows = self._table.rows
            is_inside = (rows >= 0) & (rows < len(allowed))
            asked[is_inside] = allowed[rows[is_inside]]
            return asked & self._table.alive
        asked[self._table.places(allowed.astype(np.int64))] = True
        return asked

    def _top(
        self, search: Search, query: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """More rows are asked about than are wanted."""
        details, guesses = search.refine(greatest(search.uppers, (count + _SEEDS) * _LOOK))
        is_refined = np.zeros(len(search.uppers), np.bool_)
        is_refined[details.places] = True
        places = details.places[np.argsort(-guesses, kind="stable")[: count + _SEEDS]]
        cosines = self._cosines(places, query)
        while True:
            search.settle(places)
            found = _not_below(search.uppers, cosines, count)
            search.refine(found[~is_refined[found]])
            is_refined[found] = True
            found = _not_below(search.uppers, cosines, count)
            if not len(found):
                return self._best(places, cosines, count)
            more = found[np.argsort(-search.uppers[found], kind="stable")[:_BATCH]]
            places, cosines = np.concatenate([places, more]), np.concatenate([cosines, self._cosines(more, query)])

    def _best(
        self, places: NDArray[np.int64], cosines: NDArray[np.float64], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        rows = self._table.rows[places]
        order = np.lexsort((rows, -self._table.times[places], -cosines))[:count]
        return rows[order], cosines[order]

    def _cosines(self, places: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Exact cosines, from the index's vectors."""
        found = np.zeros(len(places))
        for begin in range(0, len(places), _FETCH):
            part = places[begin : begin + _FETCH]
            found[begin : begin + _FETCH] = ranking.cosines(self._source.fetch(self._table.rows[part]), query)
        self.fetched += len(places)
        return found

    def _exact(self, places: NDArray[np.int64], query: NDArray[np.float32], now: float) -> Pool:
        rows = self._table.rows[places]
        vectors = self._source.fetch(rows)
        sims = ranking.similarities(vectors, query)
        return Pool(rows, sims, self._ages(places, now), np.zeros(len(rows), np.bool_), vectors, places)

    def _pins(self, query: NDArray[np.float32], now: float, pinned: Mapping[int, float]) -> Pool:
        rows = np.array(sorted(pinned), np.int64)
        ages = (now - np.array([pinned[row] for row in rows.tolist()], np.float64)) / DAY_S
        sims = np.full(len(rows), np.nan)
        vectors = np.zeros((len(rows), self._file.purpose.dims), np.float32)
        has_vector = np.isin(rows, self._table.rows[self._table.places(rows)])
        if has_vector.any():
            vectors[has_vector] = self._source.fetch(rows[has_vector])
            sims[has_vector] = ranking.similarities(vectors[has_vector], query)
        return Pool(rows, sims, ages, np.ones(len(rows), np.bool_), vectors, np.full(len(rows), -1))

    def _ages(self, places: NDArray[np.int64], now: float) -> NDArray[np.float64]:
        ages: NDArray[np.float64] = (now - self._table.times[places]) / DAY_S
        return ages

    def _recency(self, now: float) -> Recency:
        """How recency comes into scores, from powers that are kept between questions."""
        span = ranking.RECENCY_DAYS * DAY_S
        if abs(now - self._reference) > _FAR * span:
            self._reference, self._decay = now, np.empty(0, np.float32)
        fresh = self._table.times[len(self._decay) :]
        if len(fresh):
            # What is said later than that counts as 1, as it would without the limit.
            exponents = np.minimum((fresh - self._reference) / span, _FAR + 1.0)
            with np.errstate(under="ignore"):
                self._decay = np.concatenate([self._decay, np.exp(exponents).astype(np.float32)])
        since = float(np.exp((self._reference - now) / span))
        return Recency(self._decay, since, ranking.WEIGHT_RECENCY, ranking.WEIGHT_SIM, ROUNDING)


def _not_below(uppers: NDArray[np.float32], cosines: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Places asked about whose cosine may be among the `count` greatest when it is added to `cosines`."""
    if not count:
        return np.empty(0, np.int64)
    if len(cosines) < count:
        return np.flatnonzero(np.isfinite(uppers))
    return np.flatnonzero(uppers >= np.partition(cosines, len(cosines) - count)[len(cosines) - count])
