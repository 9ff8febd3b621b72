"""Peer on sqlite-vec, as others do it: its nearest 50 in float32, then the formula over these."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
import sqlite_vec  # type: ignore[import-untyped]
from numpy.typing import NDArray

from domain.memory import ranking
from lab.bench.memory import data

NEAREST = 50
DAY_S = 86_400.0
_BATCH = 10_000


class SqliteVec:
    """A vec0 table of all vectors at `path`, made when it is not there or not whole."""

    def __init__(self, path: Path, vectors: NDArray[np.float32]) -> None:
        done = path.with_suffix(".done")
        is_whole = done.exists()
        if not is_whole:
            path.unlink(missing_ok=True)
        self._connection = apsw.Connection(str(path))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        self._connection.enable_load_extension(False)
        if not is_whole:
            self._fill(vectors)
            done.touch()

    def ranked(
        self, query: NDArray[np.float32], times: NDArray[np.float64], pins: Sequence[int], count: int
    ) -> list[int]:
        """The rows that the formula chooses from the nearest 50 and the pins."""
        found = list(
            self._connection.execute(
                "SELECT rowid, embedding FROM nearest WHERE embedding MATCH ? AND k = ?", (query.tobytes(), NEAREST)
            )
        )
        known = {row for row, _ in found}
        for row in pins:
            if row not in known:
                found.extend(self._connection.execute("SELECT rowid, embedding FROM nearest WHERE rowid = ?", (row,)))
        rows = np.array([row for row, _ in found], np.int64)
        vectors = np.stack([np.frombuffer(vector, np.float32) for _, vector in found])
        return ranked(rows, vectors, query, times, pins, count)

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    def _fill(self, vectors: NDArray[np.float32]) -> None:
        do = self._connection.execute
        list(do("PRAGMA journal_mode = off"))
        list(do("PRAGMA synchronous = off"))
        size = data.DIMS
        do(f"CREATE VIRTUAL TABLE nearest USING vec0(embedding float[{size}] distance_metric=cosine)")
        for begin in range(0, len(vectors), _BATCH):
            part = np.asarray(vectors[begin : begin + _BATCH])
            with self._connection:
                self._connection.executemany(
                    "INSERT INTO nearest(rowid, embedding) VALUES (?, ?)",
                    ((begin + place + 1, vector.tobytes()) for place, vector in enumerate(part)),
                )


def ranked(
    rows: NDArray[np.int64],
    vectors: NDArray[np.float32],
    query: NDArray[np.float32],
    times: NDArray[np.float64],
    pins: Sequence[int],
    count: int,
) -> list[int]:
    """The formula over what a search found: the rows chosen."""
    ages = (data.NOW_S - times[rows - 1]) / DAY_S
    sims = ranking.similarities(vectors, query)
    picks = ranking.rank_arrays(rows, sims, ages, np.isin(rows, list(pins)), vectors, count)
    return [int(rows[pick.index]) for pick in picks]
