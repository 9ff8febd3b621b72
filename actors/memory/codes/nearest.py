"""The nearest vectors, exact as brute force, from compact codes and a few float32 vectors.

The vectors stay in the index. Here are only codes (in memory and in side files), from which every cosine is known up to
a bound (`domain.memory.vector_codes` has the proof). Whatever the bounds leave open is decided with the float32 vectors
themselves, fetched from the index: some dozens of a million.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.bounds import Search, greatest
from actors.memory.codes.file import CodesFile, OutgrownCodesError, Purpose, UnfitCodesError
from actors.memory.codes.table import CodesTable
from actors.memory.codes.tuning import MEASURED, Tuning
from domain.memory import ranking, vector_codes

Allowed: TypeAlias = "NDArray[np.int64] | NDArray[np.bool_]"
log = logging.getLogger(__name__)

_NEAR_FACTOR = 2
"""So many steps a factor may change when the same vector is encoded again."""


class VectorSource(Protocol):
    """Repository of the vectors of a space, as stored in the index."""

    def rows(self) -> NDArray[np.int64]:
        """Every row with a vector, ascending."""

    def times(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """When each of `rows` was said, seconds since the epoch."""

    def fetch(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of `rows`, (len(rows), dims), in the same order; zeros for a row without a vector."""


class Nearest:
    """Exact nearest-neighbour search over the vectors of a space.

    Use `open`. `allowed` everywhere: the allowed row numbers, in any order, or (much faster for many rows) a flag for
    each row, by row number; None allows all.
    """

    def __init__(self, file: CodesFile, source: VectorSource, tuning: Tuning) -> None:
        self._file = file
        self._source = source
        self._tuning = tuning
        self._table = CodesTable(file.frame, tuning)
        self.fetched = 0
        """Vectors fetched from the index by the last search."""

    @classmethod
    def open(cls, path: Path, space: str, dims: int, source: VectorSource, tuning: Tuning = MEASURED) -> Nearest:
        """The searches over the vectors of `source`, with the side file at `path` if fit, else with a new file.

        Rows added to or removed from the index while the file was closed are mended.

        Args:
            space: Names the model and the generation of the index: a new name when row numbers start again.
            tuning: Speed and memory; the answers are the same.

        Raises:
            OSError: the file cannot be read or written.
        """
        try:
            opened = cls(CodesFile.open(path, space, dims, tuning), source, tuning)
        except UnfitCodesError as reason:
            log.info("codes of the index are rebuilt: %s", reason)
            return cls._build(path, space, dims, source, tuning)
        try:
            opened._load()
            opened._compare()
        except UnfitCodesError as reason:
            opened.close()
            level = logging.INFO if isinstance(reason, OutgrownCodesError) else logging.WARNING
            log.log(level, "codes of the index are rebuilt: %s", reason)
            return cls._build(path, space, dims, source, tuning)
        return opened

    @property
    def rows(self) -> NDArray[np.int64]:
        """Every searchable row, in order of arrival."""
        return self._table.rows[self._table.alive]

    def append(self, rows: NDArray[np.int64], vectors: NDArray[np.float32], times: NDArray[np.float64]) -> None:
        """Take in rows said at `times` (seconds since the epoch); a row that is there already gets the new vector.

        Raises:
            ValueError: the lengths or the size of the vectors do not fit, a row occurs twice, or a time is not finite.
            OSError: the side file could not be written; the first `chunk_records` rows may have been taken in.
        """
        if vectors.shape != (len(rows), self._file.purpose.dims) or times.shape != rows.shape:
            raise ValueError(f"{len(rows)} rows, {len(times)} times and vectors of shape {vectors.shape} do not fit")
        if not np.isfinite(times).all() or len(np.unique(rows)) != len(rows):
            raise ValueError("a time is not finite or a row occurs twice")
        chunk = self._tuning.chunk_records
        for begin in range(0, len(rows), chunk):
            part = slice(begin, begin + chunk)
            codes = vector_codes.encode(self._file.frame, vectors[part])
            self._table.add(self._file.append(rows[part], times[part], codes))

    def remove(self, rows: NDArray[np.int64]) -> None:
        """Remove `rows` from all searches; missing rows are passed over.

        Raises:
            OSError: the side file could not be written; no row was removed.
        """
        there = self._table.rows[self._table.slots(np.unique(rows))]
        if not len(there):
            return
        nothing = vector_codes.encode(self._file.frame, np.zeros((len(there), self._file.purpose.dims), np.float32))
        self._table.add(self._file.append(there, np.full(len(there), np.nan), nothing))

    def erase_gone(self) -> None:
        """Erase the codes of removed and replaced rows from the files.

        Raises:
            OSError: the files could not be written.
        """
        self._file.erase(np.flatnonzero(~self._table.alive))

    def close(self) -> None:
        """Give the file back. Idempotent."""
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
        mask = self._mask(allowed)
        search = Search(self._table, self._file, query, mask)
        if not search.question.has_direction or mask.sum() <= count:
            slots, cosines = np.flatnonzero(mask), np.zeros(int(mask.sum()))
            if search.question.has_direction:
                cosines = self._cosines(slots, query)
            return self._best(slots, cosines, count)
        return self._top(search, query, count)

    # opening

    @classmethod
    def _build(cls, path: Path, space: str, dims: int, source: VectorSource, tuning: Tuning) -> Nearest:
        """A new file of all vectors of the source."""
        rows = source.rows()
        chosen = rows[:: max(1, len(rows) // tuning.fit_rows)][: tuning.fit_rows]
        parts = (
            source.fetch(chosen[begin : begin + tuning.fetch_rows])
            for begin in range(0, len(chosen), tuning.fetch_rows)
        )
        frame = vector_codes.fit_frame(parts, dims, np.random.default_rng(), tuning.head)
        built = cls(CodesFile.create(path, Purpose(space, dims, len(rows)), frame, tuning), source, tuning)
        built._take(rows)
        return built

    def _load(self) -> None:
        """Take in the content of the file."""
        for records in self._file.chunks():
            self._table.add(records)

    def _compare(self) -> None:
        """Mend differences from the index.

        Raises:
            UnfitCodesError: the file is of other vectors, or its frame of too few.
        """
        rows = self._source.rows()
        fitted_rows = self._file.purpose.fitted_rows
        if len(rows) > self._tuning.refit_factor * fitted_rows and fitted_rows < self._tuning.fit_rows:
            raise UnfitCodesError(f"its frame is of {fitted_rows} vectors, now there are {len(rows)}")
        if self._file.count > 2 * len(rows) + self._tuning.chunk_records:
            raise OutgrownCodesError(f"it has {self._file.count} records for {len(rows)} vectors")
        own_rows = self.rows
        if np.array_equal(own_rows, rows):  # as a rule; comparing sets takes memory that does not come back
            self._compare_some(rows)
            return
        self.remove(np.setdiff1d(own_rows, rows, assume_unique=True))
        both = np.intersect1d(own_rows, rows, assume_unique=True)
        self._compare_some(both)
        self._take(np.setdiff1d(rows, own_rows, assume_unique=True))

    def _compare_some(self, rows: NDArray[np.int64]) -> None:
        """Compare the codes and times of some of `rows` with the index."""
        if not len(rows):
            return
        rows = rows[:: max(1, len(rows) // self._tuning.compared_rows)]
        codes = vector_codes.encode(self._file.frame, self._source.fetch(rows))
        slots = self._table.slots(rows)
        heads, signs, factors = self._table.codes_at(slots)
        is_same = np.abs(factors.astype(np.int64) - codes.factors).max() <= _NEAR_FACTOR
        is_same &= np.abs(heads.astype(np.int64) - codes.head).max() <= 1
        # The signs of a tail that is next to nothing are chance.
        equal = (signs == codes.signs)[codes.factors > _NEAR_FACTOR]
        is_same &= equal.mean() > 0.9 if equal.size else True
        if not (is_same and (self._table.times[slots] == self._source.times(rows)).all()):
            raise UnfitCodesError("its codes are not of the vectors in the index")

    def _take(self, rows: NDArray[np.int64]) -> None:
        """Append rows of the source."""
        for begin in range(0, len(rows), self._tuning.fetch_rows):
            part = rows[begin : begin + self._tuning.fetch_rows]
            self.append(part, self._source.fetch(part), self._source.times(part))

    # searching

    def _mask(self, allowed: Allowed | None) -> NDArray[np.bool_]:
        """A flag for each allowed slot."""
        if allowed is None:
            return self._table.alive.copy()
        rows = self._table.rows
        if allowed.dtype == np.bool_ and 0 <= self._table.first_row <= self._table.last_row < len(allowed):
            slots = self._table.alive.copy()  # as a rule, and four times as quick as what follows
            slots &= allowed[rows].astype(np.bool_, copy=False)
            return slots
        mask = np.zeros(self._table.count, np.bool_)
        if allowed.dtype == np.bool_:
            is_inside = (rows >= 0) & (rows < len(allowed))
            mask[is_inside] = allowed[rows[is_inside]]
            return mask & self._table.alive
        mask[self._table.slots(allowed.astype(np.int64))] = True
        return mask

    def _top(
        self, search: Search, query: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """More rows are asked about than are wanted."""
        tuning = self._tuning.top
        details, guesses = search.refine(greatest(search.uppers, (count + tuning.seeds) * tuning.look))
        is_refined = np.zeros(len(search.uppers), np.bool_)
        is_refined[details.slots] = True
        slots = details.slots[np.argsort(-guesses, kind="stable")[: count + tuning.seeds]]
        cosines = self._cosines(slots, query)
        rivals = None
        while True:
            search.settle(slots)
            rivals = _not_below(search.uppers, cosines, count, rivals)
            search.refine(rivals[~is_refined[rivals]])
            is_refined[rivals] = True
            rivals = _not_below(search.uppers, cosines, count, rivals)
            if not len(rivals):
                return self._best(slots, cosines, count)
            more = rivals[np.argsort(-search.uppers[rivals], kind="stable")[: tuning.batch]]
            slots, cosines = np.concatenate([slots, more]), np.concatenate([cosines, self._cosines(more, query)])

    def _best(
        self, slots: NDArray[np.int64], cosines: NDArray[np.float64], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        rows = self._table.rows[slots]
        order = np.lexsort((rows, -self._table.times[slots], -cosines))[:count]
        return rows[order], cosines[order]

    def _cosines(self, slots: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Exact cosines, from the index's vectors."""
        cosines, size = np.zeros(len(slots)), self._tuning.fetch_rows
        for begin in range(0, len(slots), size):
            part = slots[begin : begin + size]
            cosines[begin : begin + size] = ranking.cosines(self._source.fetch(self._table.rows[part]), query)
        self.fetched += len(slots)
        return cosines


def _not_below(
    uppers: NDArray[np.float32], cosines: NDArray[np.float64], count: int, among: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Candidate slots whose cosine may be among the `count` greatest of all, `cosines` included.

    Args:
        uppers: Bound of each slot.
        cosines: Known cosines.
        count: Number wanted.
        among: Result of an earlier call; None for all slots. Bounds only fall, and the least of the greatest cosines
            only rises, so no other slot comes in again.
    """
    if not count:
        return np.empty(0, np.int64)
    bounds = uppers if among is None else uppers[among]
    if len(cosines) < count:
        places = np.flatnonzero(np.isfinite(bounds))
    else:
        places = np.flatnonzero(bounds >= np.partition(cosines, len(cosines) - count)[len(cosines) - count])
    return places if among is None else among[places]
