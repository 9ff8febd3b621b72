"""Row store of the index's vectors, for searches."""

from __future__ import annotations

import json
from itertools import chain

import apsw
import numpy as np
from numpy.typing import NDArray

from actors.memory.index.seal import AlteredIndexError, vector_sum
from domain.memory.row_arrays import with_room

MOST_SUMS = 8_192
"""Cached sums, of some hundred bytes each."""
PAGES_KIB = 12_000
"""Pages of the index kept in memory: the pages above the leaves of a million vectors, and some more."""
PART = 65_536
"""Vectors whose rows are learned at a time."""
_NAMED = "SELECT id, vector FROM turns WHERE ?1 IS NOT NULL AND vector IS NOT NULL"
_FIRST_AND_LAST = "SELECT (SELECT min(vector) FROM turns), (SELECT max(vector) FROM turns)"
_NAMED_BETWEEN = "SELECT group_concat(id), group_concat(vector) FROM turns WHERE vector BETWEEN ? AND ?"
_LIKE_THEIRS = "SELECT turns.id, vectors.id FROM turns JOIN vectors ON vectors.hash = turns.hash AND vectors.space = ?1"
"""For a space not in use: turns name the vectors of the space in use."""
_VECTORS = "SELECT id, sum, embedding FROM vectors WHERE id IN (SELECT value FROM json_each(?))"
_THESE = "AND turns.id IN (SELECT value FROM json_each(?2))"


class IndexVectors:
    """All vectors of a space; rows are numbers of turns.

    The vector of each row is cached once known, 4 bytes a row: a look-up takes as long as reading the vector.
    """

    def __init__(self, connection: apsw.Connection, space: int, dimensions: int, part: int = PART) -> None:
        self._part = part
        self._connection = connection
        self.space = space
        self._dimensions = dimensions
        list(connection.execute(f"PRAGMA cache_size = -{PAGES_KIB}"))
        ((in_use,),) = connection.execute("SELECT max(value) FROM meta WHERE key = 'space'")
        self._select = _NAMED if in_use == space else _LIKE_THEIRS
        self._vectors: NDArray[np.int32] = np.zeros(1024, np.int32)
        """Row -> number of its vector; 0 for an unknown or missing vector."""
        self._sums: dict[int, int] = {}
        """Number of a vector -> its sum, for vectors already read."""
        self._version = 0
        """Version of the index as written by other connections."""

    def rows(self) -> NDArray[np.int64]:
        """Every row with a vector, ascending."""
        self._is_other()
        self.forget()
        if self._select == _NAMED:
            self._learn_named()
        else:
            self._learn(self._select)
        return np.flatnonzero(self._vectors)

    def ready(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of `rows` with a vector, ascending."""
        ready: NDArray[np.int64] = np.sort(rows[self._numbers(rows) > 0])
        return ready

    def forget(self, rows: NDArray[np.int64] | None = None) -> None:
        """Forget the vector numbers of `rows`, or of all rows: the rows are gone or changed."""
        self._vectors[slice(None) if rows is None else rows[rows < len(self._vectors)]] = 0
        if rows is None or len(rows):
            self._sums.clear()  # a later vector may get the number of a deleted one

    def times(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """When each was said, in seconds since the epoch, in the order of `rows`."""
        times = dict(
            self._connection.execute(
                "SELECT id, timestamp FROM turns WHERE id IN (SELECT value FROM json_each(?))", (_list_rows(rows),)
            )
        )
        return np.array([times[row] / 1000 for row in rows.tolist()], np.float64)

    def fetch(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The rows' vectors, stacked in the order of `rows`; zeros for a row without a vector."""
        numbers = self._numbers(rows)
        vectors = np.zeros((len(rows), self._dimensions), "<f4")
        there = np.flatnonzero(numbers)
        if len(there):
            self._read(numbers[there].tolist(), vectors, there.tolist())
        return vectors.astype(np.float32, copy=False)

    def _read(self, numbers: list[int], into: NDArray[np.float32], places: list[int]) -> None:
        """Read vectors into their places, each with its sum or, if the sum is known, without an object of its own.

        Raises:
            AlteredIndexError: a vector was altered.
        """
        size = into.itemsize * self._dimensions
        buffer = into.data.cast("B")
        unread = self._with_sums(numbers)
        blob = self._connection.blob_open("main", "vectors", "embedding", numbers[0], False)
        try:
            reopen, read = blob.reopen, blob.read_into
            for number, place in zip(numbers, places, strict=True):
                part = buffer[place * size : (place + 1) * size]
                if number in unread:
                    part[:] = unread[number]
                else:
                    reopen(number)
                    read(part, 0, size)
                if vector_sum(part) != self._sums[number]:
                    raise AlteredIndexError(f"vector {number} is not what was stored")
        finally:
            blob.close()

    def _with_sums(self, numbers: list[int]) -> dict[int, bytes]:
        """Vectors without a known sum; the sum is known afterwards."""
        unknown = [number for number in numbers if number not in self._sums]
        if not unknown:
            return {}
        if len(self._sums) > MOST_SUMS:
            self._sums.clear()
            unknown = numbers
        read: dict[int, bytes] = {}
        for number, total, vector in self._connection.execute(_VECTORS, (json.dumps(unknown),)):
            self._sums[number], read[number] = total, vector
        return read

    def _numbers(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """Number of each row's vector; 0 for a row without a vector."""
        if self._is_other():
            self.forget()
            self._sums.clear()
        self._vectors = with_room(self._vectors, int(rows.max(initial=0)))
        numbers = self._vectors[rows]
        unknown = rows[numbers == 0]
        if len(unknown):
            self._learn(f"{self._select} {_THESE}", _list_rows(unknown))
            numbers = self._vectors[rows]
        return numbers

    def _is_other(self) -> bool:
        """True if another connection has written the index since the last call; the index may be a new file."""
        before = self._version
        ((self._version,),) = self._connection.execute("PRAGMA data_version")
        return self._version != before

    def _learn(self, statement: str, *values: apsw.SQLiteValue) -> None:
        """Cache a statement's rows and their vectors."""
        pairs = chain.from_iterable(self._connection.execute(statement, (self.space, *values)))
        self._keep(*np.fromiter(pairs, np.int64).reshape(-1, 2).T)

    def _learn_named(self) -> None:
        """Cache the vectors of all turns, in pieces of text: rows made into objects take twice as long."""
        ((first, last),) = self._connection.execute(_FIRST_AND_LAST)
        for begin in range(first or 1, (last or 0) + 1, self._part):
            ((rows, vectors),) = self._connection.execute(_NAMED_BETWEEN, (begin, begin + self._part - 1))
            if rows:
                self._keep(np.fromstring(rows, np.int64, sep=","), np.fromstring(vectors, np.int64, sep=","))

    def _keep(self, rows: NDArray[np.int64], vectors: NDArray[np.int64]) -> None:
        self._vectors = with_room(self._vectors, int(rows.max(initial=0)))
        self._vectors[rows] = vectors


def _list_rows(rows: NDArray[np.int64]) -> str:
    return json.dumps(rows.tolist())
