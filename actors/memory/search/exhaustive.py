"""Exhaustive ranking: the source's formula over every row, exact, from vectors read in chunks.

Redundancy only lowers a score, so a row's score without redundancy is an upper bound. Rank the rows with the greatest
bounds. If no other row's bound reaches the lowest chosen score, no other row can be chosen at any step: the list is the
same as from all rows. Otherwise take in the rows with bounds that reach the score, and rank again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.engine import VectorSource
from domain.memory import ranking
from domain.memory.ranking import Pick

DAY_S = 86_400.0
CHUNK_ROWS = 1024
"""Vectors in memory at a time while similarities are computed."""
POOL_PER_WANTED = 8
_ROUNDING = 1e-9
"""More than the float64 sum of a score can differ between two runs."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows with their similarity to a question and their age in days; a similarity of NaN is unknown."""

    rows: NDArray[np.int64]
    sims: NDArray[np.float64]
    ages: NDArray[np.float64]

    def take(self, places: NDArray[np.int64]) -> Columns:
        """Rows at `places`."""
        return Columns(self.rows[places], self.sims[places], self.ages[places])


def rank_every_row(
    source: VectorSource,
    query: NDArray[np.float32],
    now_s: float,
    pinned: Mapping[int, float],
    count: int,
    mask: NDArray[np.bool_],
    *,
    pool_per_wanted: int = POOL_PER_WANTED,
) -> list[tuple[int, Pick]]:
    """The rows chosen by `domain.memory.ranking.rank` from all, in order, each with its score and its parts.

    Args:
        source: The vectors of the index.
        query: float32 (dimensions,).
        now_s: Seconds since the epoch; ages count from there.
        pinned: Row -> time of its message, of every allowed pin. The similarity of a pin without a vector is unknown.
            Pins need not be in `mask`.
        count: Most rows wanted, from 0.
        mask: True for each allowed row number.
        pool_per_wanted: Rows of the first pool for each wanted row; no list depends on the number.

    Raises:
        ValueError: `count` is negative.
    """
    if count < 0:
        raise ValueError(f"cannot choose {count} rows: the count must not be negative")
    rows = source.rows()
    pins = _pins(source, query, now_s, pinned, rows)
    rows = rows[rows < len(mask)]
    others = _others(source, query, now_s, np.setdiff1d(rows[mask[rows]], pins.rows, assume_unique=True))
    bounds = ranking.WEIGHT_SIM * others.sims + ranking.WEIGHT_RECENCY * ranking.recencies(others.ages)
    order = np.argsort(-bounds, kind="stable")
    most_similar = np.lexsort((others.rows, np.maximum(others.ages, 0.0), -others.sims))[:1]
    size = min(pool_per_wanted * count, len(order))
    while True:
        pool = others.take(np.union1d(order[:size], most_similar))
        picks = _rank(source, pins, pool, count)
        needed = int(np.count_nonzero(bounds >= _lowest(picks) - _ROUNDING))
        if needed <= size:
            return picks
        size = needed


def _lowest(picks: list[tuple[int, Pick]]) -> float:
    """The lowest score by which a row was chosen; infinity without a row.

    Pins are chosen for being pins, and without a pin the first row for its similarity.
    """
    return min((pick.score for place, (_, pick) in enumerate(picks) if place and not pick.is_pinned), default=np.inf)


def _rank(source: VectorSource, pins: Columns, pool: Columns, count: int) -> list[tuple[int, Pick]]:
    rows = np.concatenate([pins.rows, pool.rows])
    is_pinned = np.arange(len(rows)) < len(pins.rows)
    sims, ages = np.concatenate([pins.sims, pool.sims]), np.concatenate([pins.ages, pool.ages])
    picks = ranking.rank_arrays(rows, sims, ages, is_pinned, source.fetch(rows), count)
    return [(int(rows[pick.index]), pick) for pick in picks]


def _others(source: VectorSource, query: NDArray[np.float32], now_s: float, rows: NDArray[np.int64]) -> Columns:
    sims, ages = np.zeros(len(rows)), np.zeros(len(rows))
    for begin in range(0, len(rows), CHUNK_ROWS):
        part = slice(begin, begin + CHUNK_ROWS)
        sims[part] = ranking.similarities(source.fetch(rows[part]), query)
        ages[part] = (now_s - source.times(rows[part])) / DAY_S
    return Columns(rows, sims, ages)


def _pins(
    source: VectorSource,
    query: NDArray[np.float32],
    now_s: float,
    pinned: Mapping[int, float],
    with_vector: NDArray[np.int64],
) -> Columns:
    rows = np.array(sorted(pinned), np.int64)
    ages = (now_s - np.array([pinned[row] for row in rows.tolist()], np.float64)) / DAY_S
    sims = np.full(len(rows), np.nan)
    is_known = np.isin(rows, with_vector)
    sims[is_known] = ranking.similarities(source.fetch(rows[is_known]), query)
    return Columns(rows, sims, ages)
