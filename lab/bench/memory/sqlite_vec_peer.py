"""Peer on sqlite-vec: the nearest rows in float32."""

from __future__ import annotations

from pathlib import Path

import apsw
import numpy as np
import sqlite_vec  # type: ignore[import-untyped]
from numpy.typing import NDArray

from lab.bench.memory import data

_BATCH = 10_000


class SqliteVec:
    """A vec0 table of all vectors at `path`, created if missing or incomplete."""

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

    def nearest(self, query: NDArray[np.float32], count: int) -> list[int]:
        """The `count` rows with the greatest cosines."""
        statement = "SELECT rowid FROM nearest WHERE embedding MATCH ? AND k = ? ORDER BY distance"
        return [int(row) for (row,) in self._connection.execute(statement, (query.tobytes(), count))]

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
