"""Vectors in memory, as an index would give them, and draws of vectors and times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from domain.memory import ranking

DAY_S = 86_400.0
START_S = 1_700_000_000.0


class Corpus:
    """Draws vectors and times: clusters, doubles, opposites, nothing; few different times, so that many are equal."""

    def __init__(self, seed: int, dims: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.dims = dims
        self._centres = self.rng.standard_normal((4, dims)) / np.arange(1, dims + 1) ** 0.5

    def vectors(self, count: int) -> NDArray[np.float32]:
        centres = self._centres[self.rng.integers(0, 4, count)]
        noise = self.rng.choice([0.0, 0.1, 1.0], (count, 1)) * self.rng.standard_normal((count, self.dims))
        drawn = (centres + noise) * self.rng.choice([-1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 5.0], (count, 1))
        drawn[self.rng.random(count) < 0.02] = np.nan
        vectors: NDArray[np.float32] = drawn.astype(np.float32)
        return vectors

    def times(self, count: int) -> NDArray[np.float64]:
        days = np.where(self.rng.random(count) < 0.5, self.rng.integers(0, 5, count), self.rng.random(count) * 200)
        return START_S + days * DAY_S


class Vectors:
    """Source with a count of fetches."""

    def __init__(self, dims: int) -> None:
        self.dims = dims
        self.known: dict[int, tuple[float, NDArray[np.float32]]] = {}
        self.fetched = 0

    def put(self, rows: NDArray[np.int64], vectors: NDArray[np.float32], times: NDArray[np.float64]) -> None:
        for row, vector, time in zip(rows.tolist(), vectors, times.tolist(), strict=True):
            self.known[row] = (time, vector)

    def drop(self, rows: NDArray[np.int64]) -> None:
        for row in rows.tolist():
            self.known.pop(row, None)

    def rows(self) -> NDArray[np.int64]:
        return np.array(sorted(self.known), np.int64)

    def times(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([self.known[row][0] for row in rows.tolist()], np.float64)

    def fetch(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        self.fetched += len(rows)
        none = np.nan, np.zeros(self.dims, np.float32)
        return np.array([self.known.get(row, none)[1] for row in rows.tolist()], np.float32).reshape(-1, self.dims)

    def nearest(
        self, query: NDArray[np.float32], count: int, allowed: set[int] | None
    ) -> tuple[list[int], list[float]]:
        """The truth about `Nearest.top`."""
        rows = np.array([row for row in self.rows().tolist() if allowed is None or row in allowed], np.int64)
        found = ranking.cosines(self.fetch(rows), query)
        order = np.lexsort((rows, -self.times(rows), -found))[:count]
        return rows[order].tolist(), found[order].tolist()

    def rank_hits(
        self,
        query: NDArray[np.float32],
        now: float,
        pinned: dict[int, float],
        count: int,
        allowed: set[int] | None,
    ) -> list[tuple[int, float, bool]]:
        """The truth about `rank_every_row`: every row, by the formula."""
        every = {row for row in self.known if allowed is None or row in allowed} | set(pinned)
        candidates = []
        for row in sorted(every):
            time, vector = self.known.get(row, (pinned.get(row, 0.0), np.zeros(self.dims, np.float32)))
            sim = float(ranking.similarities(vector[None], query)[0]) if row in self.known else np.nan
            age = (now - pinned.get(row, time)) / DAY_S
            candidates.append(ranking.Candidate(row, sim, age, row in pinned, vector))
        return [(one.candidate.row, one.score, one.is_pinned) for one in ranking.rank(candidates, count)]
