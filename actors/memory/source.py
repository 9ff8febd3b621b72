"""The index's vectors as the ranking reads them."""

from __future__ import annotations

import json

import apsw
import numpy as np
from numpy.typing import NDArray

_WITH_VECTOR = "turns JOIN vectors ON vectors.space = ? AND vectors.hash = turns.hash"


class IndexVectors:
    """All vectors of one space; rows are numbers of turns."""

    def __init__(self, connection: apsw.Connection, space: int, dimensions: int) -> None:
        self._connection = connection
        self.space = space
        self._dimensions = dimensions

    def rows(self) -> NDArray[np.int64]:
        """Every row that has a vector, ascending."""
        ((current,),) = self._connection.execute("SELECT max(value) FROM meta WHERE key = 'space'")
        if current == self.space:
            # What has none stands in an index of its own, so that no row itself must be read.
            every = np.fromiter((row for (row,) in self._connection.execute("SELECT id FROM turns")), np.int64)
            waiting = self._connection.execute("SELECT id FROM turns WHERE status <> 'ok'")
            return np.setdiff1d(every, np.fromiter((row for (row,) in waiting), np.int64))
        found = self._connection.execute(f"SELECT turns.id FROM {_WITH_VECTOR} ORDER BY turns.id", (self.space,))
        return np.fromiter((row for (row,) in found), np.int64)

    def ready(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of `rows` that have a vector, ascending."""
        found = self._connection.execute(
            f"SELECT turns.id FROM {_WITH_VECTOR} WHERE turns.id IN (SELECT value FROM json_each(?)) ORDER BY turns.id",
            (self.space, _listed(rows)),
        )
        return np.fromiter((row for (row,) in found), np.int64)

    def times(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """When each was said, in seconds since the epoch, in the order of `rows`."""
        found = dict(
            self._connection.execute(
                "SELECT id, timestamp FROM turns WHERE id IN (SELECT value FROM json_each(?))", (_listed(rows),)
            )
        )
        return np.array([found[row] / 1000 for row in rows.tolist()], np.float64)

    def fetch(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Their vectors, one under the other in the order of `rows`; zeros for one that has none."""
        found = list(
            self._connection.execute(
                f"SELECT turns.id, embedding FROM {_WITH_VECTOR} WHERE turns.id IN (SELECT value FROM json_each(?))",
                (self.space, _listed(rows)),
            )
        )
        vectors = np.zeros((len(rows), self._dimensions), np.float32)
        if found:
            order = np.argsort(rows)
            there = np.array([row for row, _ in found], np.int64)
            places = order[np.searchsorted(rows, there, sorter=order)]
            vectors[places] = np.frombuffer(b"".join(vector for _, vector in found), "<f4").reshape(len(found), -1)
        return vectors


def _listed(rows: NDArray[np.int64]) -> str:
    return json.dumps(rows.tolist())
