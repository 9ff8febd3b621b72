"""Doubly linked lists of turns: the turns before and after each in its window, for many rows at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain

import apsw
import numpy as np
from numpy.typing import NDArray

from actors.memory.search.listing import rows_in_order
from domain.memory.row_arrays import with_room

NONE = 0
"""No row: row numbers begin at 1."""
_Rows = NDArray[np.int32]


class Order:
    """The turns of all windows as chains, in arrays of 8 bytes a row, read from the index when first asked for."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._before: _Rows = np.zeros(1, np.int32)
        self._after: _Rows = np.zeros(1, np.int32)
        self._is_loaded = False

    def beside(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The row before and the row after each of `rows` in its window, `NONE` without a row."""
        if not self._is_loaded:
            self._load()
        return _at(self._before, rows), _at(self._after, rows)

    def add(self, window: int, rows: Sequence[int]) -> None:
        """Take in `rows` of a window, now present in the index, at any place of the window."""
        if not self._is_loaded:
            return
        ((first, last),) = self._connection.execute(_SPAN, (json.dumps(list(rows)),))
        around = self._connection.execute(_AROUND, (window, first, last))
        turns = np.fromiter(chain.from_iterable(around), np.int64)
        self._reserve(int(turns.max()))
        self._link(turns)

    def drop(self, row: int) -> None:
        """Leave out a removed row."""
        if row >= len(self._before):
            return
        before, after = int(self._before[row]), int(self._after[row])
        self._before[row] = self._after[row] = NONE
        self._link(np.array([before, after], np.int64))

    def _load(self) -> None:
        ((last,),) = self._connection.execute("SELECT coalesce(max(id), 0) FROM turns")
        self._reserve(int(str(last)))
        last_window, last_row = 0, NONE
        for windows, rows in rows_in_order(self._connection):
            windows, rows = np.append(last_window, windows), np.append(last_row, rows)
            follows = windows[1:] == windows[:-1]
            self._after[rows[:-1][follows]] = rows[1:][follows]
            self._before[rows[1:][follows]] = rows[:-1][follows]
            last_window, last_row = windows[-1], rows[-1]
        self._is_loaded = True

    def _link(self, turns: NDArray[np.int64]) -> None:
        """Let each of `turns` follow the turn before; `NONE` stands for an end."""
        self._before[turns[1:]] = turns[:-1]
        self._after[turns[:-1]] = turns[1:]
        self._before[NONE] = self._after[NONE] = NONE

    def _reserve(self, row: int) -> None:
        self._before, self._after = with_room(self._before, row), with_room(self._after, row)


def _at(neighbours: _Rows, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Neighbours of `rows`; `NONE` for rows added after the index was read."""
    beside = np.full(len(rows), NONE, np.int64)
    is_known = rows < len(neighbours)
    beside[is_known] = neighbours[rows[is_known]]
    return beside


_SPAN = "SELECT min(timestamp), max(timestamp) FROM turns WHERE id IN (SELECT value FROM json_each(?))"
_AROUND = """
SELECT id FROM turns
WHERE window = ?1
  AND timestamp >= coalesce((SELECT max(timestamp) FROM turns WHERE window = ?1 AND timestamp < ?2), ?2)
  AND timestamp <= coalesce((SELECT min(timestamp) FROM turns WHERE window = ?1 AND timestamp > ?3), ?3)
ORDER BY timestamp, id
"""
