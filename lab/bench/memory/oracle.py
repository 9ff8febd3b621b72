"""The truth about an exhaustive list: every vector, in float32 first, and exactly what could matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from domain.memory import ranking
from lab.bench.memory import data

DAY_S = 86_400.0
_ROUNDING = 1e-4
"""More than the float32 score of a row can be wrong."""
_ASKED = 100
"""Questions put to a block at a time."""


@dataclass
class _Near:
    """Of one question: rows that could be in its list, and the least score without redundancy that they must have."""

    places: NDArray[np.int64]
    sims: NDArray[np.float32]
    bases: NDArray[np.float32]


def exact_lists(
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    times: NDArray[np.float64],
    queries: NDArray[np.float32],
    pinned: Sequence[Iterable[int]],
    count: int,
) -> list[list[int]]:
    """For each query the rows that the formula chooses from all, in order.

    A row more than 0.1 below the `count`-th best without redundancy can only be chosen for its similarity or its pin:
    redundancy takes 0.1 at most. Those that remain are ranked by `domain.memory.ranking`.

    Args:
        vectors: (rows, dims), float32; may be mapped.
    """
    near = [_Near(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.float32)) for _ in queries]
    ages = (data.NOW_S - times) / DAY_S
    recent = (ranking.WEIGHT_RECENCY * ranking.recencies(ages)).astype(np.float32)
    for begin in range(0, len(rows), 20_000):
        block = np.asarray(vectors[begin : begin + 20_000])
        lengths = np.linalg.norm(block, axis=1)
        for first in range(0, len(queries), _ASKED):
            sims = queries[first : first + _ASKED] @ block.T
            sims /= lengths
            np.clip(sims, 0.0, 1.0, out=sims)
            for known, found in zip(near[first : first + _ASKED], sims, strict=True):
                _keep(known, begin, found, recent[begin : begin + 20_000], count)
    places = {int(row): place for place, row in enumerate(rows)}
    return [
        _ranked(known.places, [places[row] for row in pins], query, (vectors, rows, ages), count)
        for known, query, pins in zip(near, queries, pinned, strict=True)
    ]


def _keep(known: _Near, begin: int, sims: NDArray[np.float32], recent: NDArray[np.float32], count: int) -> None:
    """Take in a block's rows, and let those go that cannot matter."""
    bases = np.float32(ranking.WEIGHT_SIM) * sims + recent
    floor = _floor(known.bases, count)
    top = known.sims.max(initial=-1.0)
    at = np.flatnonzero((bases >= floor) | (sims >= top - _ROUNDING))
    known.places = np.concatenate([known.places, at + begin])
    known.sims = np.concatenate([known.sims, sims[at]])
    known.bases = np.concatenate([known.bases, bases[at]])
    kept = (known.bases >= _floor(known.bases, count)) | (known.sims >= known.sims.max(initial=-1.0) - _ROUNDING)
    known.places, known.sims, known.bases = known.places[kept], known.sims[kept], known.bases[kept]


def _floor(bases: NDArray[np.float32], count: int) -> float:
    """Below this no row can be chosen by its score; one more is counted, for the one chosen by similarity."""
    if len(bases) <= count:
        return -np.inf
    return float(np.partition(bases, len(bases) - count - 1)[-count - 1]) - ranking.WEIGHT_REDUNDANCY - _ROUNDING


def _ranked(
    near: NDArray[np.int64],
    pinned: list[int],
    query: NDArray[np.float32],
    truth: tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float64]],
    count: int,
) -> list[int]:
    vectors, rows, ages = truth
    places = np.union1d(near, np.array(pinned, np.int64))
    found = np.asarray(vectors[places])
    sims = ranking.similarities(found, query)
    picks = ranking.rank_arrays(rows[places], sims, ages[places], np.isin(places, pinned), found, count)
    return [int(rows[places[pick.index]]) for pick in picks]
