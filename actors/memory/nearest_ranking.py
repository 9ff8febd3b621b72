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

from actors.memory.codes_table import CodesTable
from actors.memory.nearest_search import Search, greatest
from domain import ranking, vector_codes
from domain.ranking import Pick
from domain.vector_codes import Frame

DAY_S = 86_400.0
_SEEDS = 64
_SEEDS_EACH = 4
"""Rows fetched before anything is known: so many, and for each that is wanted so many more."""
_LOOK = 8
"""Rows whose bounds are made tight to find one seed, or looked at to find one that is missing."""
_FEW = 64
"""So many rows are fetched rather than thought about."""
_BATCH = 512
"""Most rows fetched at a time."""
_ROUNDING = np.float32(1e-5)
"""More than the float32 sum of a score can be too low."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Rows that are known exactly, as columns."""

    rows: NDArray[np.int64]
    sims: NDArray[np.float64]
    ages: NDArray[np.float64]
    pinned: NDArray[np.bool_]
    vectors: NDArray[np.float32]

    def with_more(self, other: Pool) -> Pool:
        """Both, these first."""
        return Pool(
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.sims, other.sims]),
            np.concatenate([self.ages, other.ages]),
            np.concatenate([self.pinned, other.pinned]),
            np.concatenate([self.vectors, other.vectors]),
        )

    def only(self, kept: NDArray[np.bool_]) -> Pool:
        """Those that are kept."""
        return Pool(self.rows[kept], self.sims[kept], self.ages[kept], self.pinned[kept], self.vectors[kept])

    def rank(self, count: int) -> list[Pick]:
        """The choice from these."""
        return ranking.rank_arrays(self.rows, self.sims, self.ages, self.pinned, self.vectors, count)


class ExhaustiveRanking:
    """One exhaustive list in the making.

    Args:
        exact: Gives places as a pool of rows that are not pinned.
        ages: Gives the ages at places, in days.
        recencies: float32, one a place: at least what the formula says.
        pins: The pinned rows; the search must not ask about them.
    """

    def __init__(
        self,
        table: CodesTable,
        frame: Frame,
        search: Search,
        exact: Callable[[NDArray[np.int64]], Pool],
        ages: Callable[[NDArray[np.int64]], NDArray[np.float64]],
        recencies: NDArray[np.float32],
        pins: Pool,
        count: int,
    ) -> None:
        self._table = table
        self._frame = frame
        self._search = search
        self._exact = exact
        self._ages = ages
        self._recencies = recencies * np.float32(ranking.WEIGHT_RECENCY) + _ROUNDING
        self._pool = pins
        self._count = count
        self._starts_with_sim = not bool(pins.pinned.any())
        self.fetched = 0
        """Rows whose vectors were needed."""

    def run(self) -> tuple[Pool, list[Pick]]:
        """What was fetched and is worth keeping, and the choice from all rows, as places in it."""
        if self._pool.pinned.sum() >= self._count:
            return self._pool, self._pool.rank(self._count)
        self._bounds = self._scores(slice(None))
        self._fetch(self._seeds())
        while True:
            picks = self._pool.rank(self._count)
            missing = self._not_excluded(picks)
            if not len(missing):
                return self._pool, picks
            self._fetch(missing)
            self._drop_hopeless()

    def _scores(self, places: NDArray[np.int64] | slice) -> NDArray[np.float32]:
        """Upper bounds of scores, redundancy left out; minus infinity where a place is not asked about."""
        uppers = self._search.uppers[places]
        scores = np.maximum(uppers, np.float32(0.0))
        scores *= np.float32(ranking.WEIGHT_SIM)
        scores += self._recencies[places]
        scores[np.isneginf(uppers)] = -np.inf
        return scores

    def _tighten(self, places: NDArray[np.int64]) -> None:
        self._search.tighten(places)
        self._bounds[places] = self._scores(places)

    def _seeds(self) -> NDArray[np.int64]:
        """Rows that are probably near the top."""
        wanted = _SEEDS + _SEEDS_EACH * self._count
        places = greatest(self._bounds, wanted * _LOOK)
        guesses = np.maximum(self._search.guesses(places), 0.0) * ranking.WEIGHT_SIM + self._recencies[places]
        self._bounds[places] = self._scores(places)
        if len(places) <= wanted:
            return places
        return places[np.argpartition(-guesses, wanted - 1)[:wanted]]

    def _fetch(self, places: NDArray[np.int64]) -> None:
        self._pool = self._pool.with_more(self._exact(places))
        self._search.settle(places)
        self._bounds[places] = -np.inf
        self.fetched += len(places)

    def _not_excluded(self, picks: list[Pick]) -> NDArray[np.int64]:
        """Places, at most `_BATCH`, the most promising first, that might have been chosen in place of `picks`."""
        if len(picks) < self._count:
            return np.flatnonzero(np.isfinite(self._bounds))[:_BATCH]
        free = [pick for pick in picks if not pick.is_pinned]
        start = free[0] if self._starts_with_sim and free else None
        by_score = free[1:] if start else free
        lowest = min((pick.score for pick in by_score), default=np.inf)
        places = np.flatnonzero((self._bounds >= lowest) | self._may_start(slice(None), start))
        self._tighten(places)
        may_start = self._may_start(places, start)
        kept = (self._bounds[places] >= lowest) | may_start
        places, may_start = places[kept], may_start[kept]
        self._search.deepen(places)
        self._bounds[places] = self._scores(places)
        may_start = self._may_start(places, start)
        may = may_start | self._may_be_chosen(places, picks, by_score, lowest)
        places = places[may]
        return places[np.argsort(-self._bounds[places], kind="stable")[:_BATCH]]

    def _may_start(self, places: NDArray[np.int64] | slice, start: Pick | None) -> NDArray[np.bool_]:
        """Whether each might have the greatest similarity of all, or as great a one as `start` and be newer."""
        uppers = self._search.uppers[places]
        if start is None:
            return np.zeros(len(uppers), np.bool_)
        if start.parts.sim > 0.0:
            return uppers >= start.parts.sim
        may: NDArray[np.bool_] = uppers > 0.0
        equal = np.flatnonzero(np.isfinite(uppers) & ~may)
        where = equal if isinstance(places, slice) else places[equal]
        may[equal] = self._ages(where) <= self._pool.ages[start.index]
        return may

    def _may_be_chosen(
        self, places: NDArray[np.int64], picks: list[Pick], by_score: list[Pick], lowest: float
    ) -> NDArray[np.bool_]:
        """Whether each could be chosen by score at some step, with what is chosen before it taken into account."""
        may: NDArray[np.bool_] = self._bounds[places] >= lowest
        if not by_score or np.count_nonzero(may) <= _FEW:
            return may
        near = self._search.details(places[may])
        chosen = self._pool.vectors[[pick.index for pick in picks]]
        targets, weights = vector_codes.exact_questions(self._frame, chosen)
        floors = near.decoded @ targets.T - near.errors @ weights.T - np.float32(vector_codes.MARGIN)
        floors = np.maximum.accumulate(np.maximum(floors, np.float32(0.0)), axis=1)
        before = np.concatenate([np.zeros((len(floors), 1), np.float32), floors], axis=1)
        steps = np.arange(len(picks) - len(by_score), len(picks))
        scores = self._bounds[near.places][:, None] - ranking.WEIGHT_REDUNDANCY * before[:, steps]
        reached = np.array([pick.score for pick in by_score])
        is_out = np.zeros(len(self._bounds), np.bool_)
        is_out[near.places[(scores < reached - 1e-9).all(axis=1)]] = True
        return may & ~is_out[places]

    def _drop_hopeless(self) -> None:
        """Forget fetched rows that no choice can contain, so that a hard question does not fill the memory.

        Of the K best scores without redundancy at most K - 1 are taken when a row is chosen, and redundancy takes 0.1
        at most. So a row more than 0.1 below the K-th is never chosen by its score. The greatest `sim` stays.
        """
        pool = self._pool
        if len(pool.rows) < _BATCH * 4:
            return
        bases = ranking.WEIGHT_SIM * np.where(
            np.isnan(pool.sims), 0.0, pool.sims
        ) + ranking.WEIGHT_RECENCY * ranking.recencies(pool.ages)
        bases[pool.pinned] = np.inf
        least = np.partition(bases, len(bases) - self._count - 1)[len(bases) - self._count - 1]
        kept = bases >= least - ranking.WEIGHT_REDUNDANCY - 1e-9
        kept |= pool.sims >= np.max(pool.sims[~pool.pinned], initial=0.0)
        self._pool = pool.only(kept)
