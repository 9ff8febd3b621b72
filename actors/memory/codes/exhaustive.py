"""The source's formula over every row, found with float32 vectors of a few.

**Why it is exact.** Let P be the rows whose vectors were fetched, p_1 ... p_K what `rank_arrays` chooses from them, and
s_t the score of p_t when it was chosen. For any other row c let U(c) be an upper bound of `0.7 * sim + 0.2 * recency`,
and R_t(c) a lower bound of its greatest cosine to p_1 ... p_{t-1} (0 when nothing is known). Its score at step t is at
most U(c) - 0.1 * R_t(c). If that is below s_t for every t, then c is not chosen at step 1; so the choice from P and c
agrees up to p_1, and by induction up to p_K; the same holds for all such c at once, since none ever is the best. Where
the first choice is by `sim`, the bound of c's sim must be below that of p_1 instead (or as great, and c older).
`below` is strict, so c cannot tie.
So: rank P, fetch every row that these bounds don't exclude, and repeat until there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.bounds import Details, Search, greatest
from actors.memory.codes.records import Records
from actors.memory.codes.tuning import RankingTuning
from domain.memory import ranking
from domain.memory.ranking import Choice, Pick


@dataclass(frozen=True, slots=True)
class Pool:
    """Rows that are known exactly, as columns."""

    rows: NDArray[np.int64]
    sims: NDArray[np.float64]
    ages: NDArray[np.float64]
    pinned: NDArray[np.bool_]
    vectors: NDArray[np.float32]
    slots: NDArray[np.int64]
    """Of their codes; -1 for a pin."""

    def with_more(self, other: Pool) -> Pool:
        """Both, these first."""
        return Pool(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.sims, other.sims]),
            np.concatenate([self.ages, other.ages]),
            np.concatenate([self.pinned, other.pinned]),
            np.concatenate([self.vectors, other.vectors]),
            np.concatenate([self.slots, other.slots]),
        )

    def only(self, kept: NDArray[np.bool_]) -> Pool:
        """Those that are kept."""
        return Pool(
            self.rows[kept],
            self.sims[kept],
            self.ages[kept],
            self.pinned[kept],
            self.vectors[kept],
            self.slots[kept],
        )

    def choose(self, count: int) -> Choice:
        """The choice from these."""
        return ranking.choose_arrays(self.rows, self.sims, self.ages, self.pinned, self.vectors, count)

    def explained(self, choice: Choice) -> list[Pick]:
        """The choice, step by step."""
        return ranking.explained(choice, self.sims, self.ages, self.pinned)


class ExhaustiveRanking:
    """Branch and bound over all rows: fetches vectors until no row that was not fetched can be in the list."""

    def __init__(
        self,
        search: Search,
        exact: Callable[[NDArray[np.int64]], Pool],
        ages: Callable[[NDArray[np.int64]], NDArray[np.float64]],
        pins: Pool,
        count: int,
        tuning: RankingTuning,
    ) -> None:
        """Nothing is fetched yet.

        Args:
            search: Bounds of cosines and scores; not of `pins`.
            exact: Gives slots as a pool of rows that are not pinned.
            ages: Gives the ages at slots, in days.
            pins: The pinned rows.
            count: Most rows wanted.
            tuning: How much is fetched at a time.
        """
        self._tuning = tuning
        self._search = search
        self._exact = exact
        self._ages = ages
        self._pool = pins
        self._count = count
        self._starts_with_sim = not bool(pins.pinned.any())
        self._is_refined = np.zeros(len(search.uppers), np.bool_)
        self._near = _Near(search)
        self.fetched = 0
        """Rows whose vectors were needed."""

    def run(self) -> tuple[Pool, list[Pick]]:
        """What was fetched and is worth keeping, and the choice from all rows, as indexes of it."""
        self._fetch(self._seeds())
        while True:
            choice = self._pool.choose(self._count)
            missing = self._not_excluded(choice)
            if not len(missing):
                return self._pool, self._pool.explained(choice)
            self._fetch(missing)
            self._drop_hopeless()

    @property
    def _bounds(self) -> NDArray[np.float32]:
        """Upper bounds of scores, redundancy left out; minus infinity where a slot is not asked about (any more)."""
        assert self._search.scores is not None
        return self._search.scores

    def _refine(self, slots: NDArray[np.int64]) -> None:
        """Make the bounds at those of `slots` tight that are not yet."""
        loose = slots[~self._is_refined[slots]]
        if len(loose):
            self._is_refined[loose] = True
            details, guesses = self._search.refine(loose)
            self._near.add(details, guesses)

    def _seeds(self) -> NDArray[np.int64]:
        """Rows that are probably near the top."""
        most = self._tuning.seeds + self._tuning.seeds_each * self._count
        slots = greatest(self._bounds, most * self._tuning.look)
        self._refine(slots)
        if len(self._near.slots) <= most:
            return slots[: self._tuning.batch]
        slots, guesses = self._near.slots, np.maximum(self._near.guesses, np.float32(0.0))
        # A bound less what it is above the guess.
        above = np.maximum(self._search.uppers[slots], np.float32(0.0)) - guesses
        scores = self._bounds[slots] - above * np.float32(ranking.WEIGHT_SIM)
        return slots[np.argpartition(-scores, most - 1)[:most]]

    def _fetch(self, slots: NDArray[np.int64]) -> None:
        self._pool = self._pool.with_more(self._exact(slots))
        self._search.settle(slots)
        self.fetched += len(slots)

    def _not_excluded(self, choice: Choice) -> NDArray[np.int64]:
        """Slots, at most `batch`, the most promising first, that might have been chosen instead of `choice`."""
        found = np.count_nonzero(~self._pool.pinned)
        if len(choice.indexes) < self._count or found < self._count // ranking.FOUND_SHARE:
            return np.flatnonzero(np.isfinite(self._bounds))[: self._tuning.batch]
        steps = np.flatnonzero(~self._pool.pinned[choice.indexes])
        start = int(choice.indexes[0]) if self._starts_with_sim and len(steps) else None
        if start is not None:
            steps = steps[1:]
        lowest = float(choice.scores[steps].min(initial=np.inf))
        slots = np.flatnonzero((self._bounds >= lowest) | self._may_start(slice(None), start))
        loose = slots[~self._is_refined[slots]]
        if len(loose) > self._tuning.refined:
            # With what is missing among the best, the choice will exclude many of the others unseen.
            self._refine(loose[np.argpartition(-self._bounds[loose], self._tuning.refined)[: self._tuning.refined]])
            missing = self._missing(slots[self._is_refined[slots]], choice, steps, lowest, start)
            if len(missing):
                return missing
        self._refine(slots)
        return self._missing(slots, choice, steps, lowest, start)

    def _missing(
        self, slots: NDArray[np.int64], choice: Choice, steps: NDArray[np.int64], lowest: float, start: int | None
    ) -> NDArray[np.int64]:
        """Those of `slots` that might have been chosen."""
        missing = slots[self._may_start(slots, start) | self._may_be_chosen(slots, choice, steps, lowest)]
        return missing[np.argsort(-self._bounds[missing], kind="stable")[: self._tuning.batch]]

    def _may_start(self, slots: NDArray[np.int64] | slice, start: int | None) -> NDArray[np.bool_]:
        """Whether each might have the greatest similarity of all, or as great a one as `start` and be newer."""
        uppers = self._search.uppers[slots]
        if start is None:
            return np.zeros(len(uppers), np.bool_)
        if self._pool.sims[start] > 0.0:
            return np.asarray(uppers >= self._pool.sims[start])
        may: NDArray[np.bool_] = uppers > 0.0
        equal = np.flatnonzero(np.isfinite(uppers) & ~may)
        where = equal if isinstance(slots, slice) else slots[equal]
        may[equal] = np.maximum(self._ages(where), 0.0) <= max(float(self._pool.ages[start]), 0.0)
        return may

    def _may_be_chosen(
        self, slots: NDArray[np.int64], choice: Choice, steps: NDArray[np.int64], lowest: float
    ) -> NDArray[np.bool_]:
        """Whether each could be chosen by score at one of `steps`, with what is chosen before it taken into account."""
        may = np.asarray(self._bounds[slots] >= lowest)
        if not len(steps) or np.count_nonzero(may) <= self._tuning.few:
            return may
        near, floors = self._near.floors(slots[may], self._pool.slots[choice.indexes])
        floors = np.maximum.accumulate(np.maximum(floors, np.float32(0.0)), axis=1)
        before = np.concatenate([np.zeros((len(floors), 1), np.float32), floors], axis=1)
        scores = self._bounds[near][:, None] - ranking.WEIGHT_REDUNDANCY * before[:, steps]
        is_out = np.zeros(len(self._bounds), np.bool_)
        is_out[near[(scores < choice.scores[steps] - 1e-9).all(axis=1)]] = True
        return may & ~is_out[slots]

    def _drop_hopeless(self) -> None:
        """Forget fetched rows that no choice can contain, so that a hard question does not fill the memory.

        Of the K best scores without redundancy at most K - 1 are taken when a row is chosen, and redundancy takes 0.1
        at most. So a row more than 0.1 below the K-th is never chosen by its score. The greatest `sim` stays.
        """
        pool = self._pool
        if len(pool.rows) - np.count_nonzero(pool.pinned) <= max(self._tuning.batch * 4, self._count):
            return
        bases = ranking.WEIGHT_SIM * np.where(
            np.isnan(pool.sims), 0.0, pool.sims
        ) + ranking.WEIGHT_RECENCY * ranking.recencies(pool.ages)
        found = bases[~pool.pinned]
        least = np.partition(found, len(found) - self._count - 1)[len(found) - self._count - 1]
        mask = pool.pinned | (bases >= least - ranking.WEIGHT_REDUNDANCY - 1e-9)
        mask |= pool.sims >= np.max(pool.sims[~pool.pinned], initial=0.0)
        self._pool = pool.only(mask)


class _Near:
    """The details of slots that were looked at closely, and what their cosines to the question probably are."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self.slots = np.empty(0, np.int64)
        self.guesses = np.empty(0, np.float32)
        self._parts: list[Records] = []

    def add(self, details: Details, guesses: NDArray[np.float32]) -> None:
        """Keep some more."""
        self._parts.append(details.records)
        self.slots = np.concatenate([self.slots, details.slots])
        self.guesses = np.concatenate([self.guesses, guesses])

    def floors(
        self, slots: NDArray[np.int64], chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Those of `slots` that are known here, and lower bounds of their cosines to each at the slots `chosen`.

        Minus infinity where one that is chosen is not known here.
        """
        order = np.argsort(self.slots)
        is_known, at = _among(self.slots, order, slots)
        has_details, chosen_at = _among(self.slots, order, chosen)
        floors = np.full((np.count_nonzero(is_known), len(chosen)), -np.inf, np.float32)
        floors[:, has_details] = self._search.floors(self._records(at[is_known]), self._records(chosen_at[has_details]))
        return slots[is_known], floors

    def _records(self, at: NDArray[np.int64]) -> Records:
        """The records of `slots[at]`."""
        if len(self._parts) > 1:
            kind = self._parts[0].dtype
            # Bytes are joined and copied much faster than records.
            self._parts = [np.concatenate([part.view(np.uint8) for part in self._parts]).view(kind)]
        (records,) = self._parts
        data = records.view(np.uint8).reshape(len(records), records.dtype.itemsize)
        return data.take(at, axis=0).reshape(-1).view(records.dtype)


def _among(
    known: NDArray[np.int64], order: NDArray[np.int64], values: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Whether each of `values` is `known`, and where; `order` sorts `known`."""
    if not len(known):
        return np.zeros(len(values), np.bool_), np.zeros(len(values), np.int64)
    at = order[np.minimum(np.searchsorted(known, values, sorter=order), len(known) - 1)]
    return known[at] == values, at
