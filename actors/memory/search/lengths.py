"""Document lengths: how many words each row of the keyword index holds, answered for many rows at once."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from domain.memory.row_arrays import with_room

PART = 65_536
"""Rows read at a time."""


class Lengths:
    """4 bytes a row, read from the index when first asked for."""

    def __init__(self, connection: apsw.Connection, part: int = PART) -> None:
        self._part = part
        self._connection = connection
        self._lengths = np.zeros(1, np.int32)
        """Row number -> its number of words; 0 for no row."""
        self._is_loaded = False
        self._rows = self._sum = 0

    @property
    def rows(self) -> int:
        """Number of rows."""
        self._load()
        return self._rows

    @property
    def mean(self) -> float:
        """Mean number of words of a row; not to be called without rows."""
        self._load()
        return self._sum / self._rows

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of words of each of `rows`; 0 for rows added after the index was read."""
        self._load()
        lengths = np.zeros(len(rows), np.int64)
        is_known = rows < len(self._lengths)
        lengths[is_known] = self._lengths[rows[is_known]]
        return lengths

    def add(self, rows: Sequence[int]) -> None:
        """Take in `rows`, now present in the index."""
        if self._is_loaded:
            self._read(_OF_ROWS, json.dumps(list(rows)))

    def drop(self, row: int) -> None:
        """Leave out a removed row."""
        if row < len(self._lengths) and self._lengths[row]:
            self._rows -= 1
            self._sum -= int(self._lengths[row])
            self._lengths[row] = 0

    def _load(self) -> None:
        if not self._is_loaded:
            self._is_loaded = True
            last = 0
            while newest := self._read(_AFTER, last, self._part):
                last = newest

    def _read(self, query: str, *values: apsw.SQLiteValue) -> int:
        """Take in the rows of `query`; the last row, 0 without rows."""
        ((listed, coded),) = self._connection.execute(query, values)
        if not listed:
            return 0
        rows = np.fromstring(str(listed), np.int64, sep=",")
        lengths = _decode_varints(bytes.fromhex(str(coded)))
        last = int(rows[-1])
        self._lengths = with_room(self._lengths, last)
        self._rows += len(rows) - int(np.count_nonzero(self._lengths[rows]))
        self._sum += int(lengths.sum()) - int(self._lengths[rows].sum())
        self._lengths[rows] = lengths
        return last


def _decode_varints(data: bytes) -> NDArray[np.int64]:
    """The successive numbers in `data`, seven bits a byte, highest first, the last byte of each below 128.

    Source: SQLite, "Database File Format", 1.6 (varint); no number here has nine bytes.
    """
    codes = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(codes < 128)
    begins = np.concatenate([[0], ends[:-1] + 1])
    values = np.zeros(len(ends), np.int64)
    for place in range(int((ends - begins).max(initial=-1)) + 1):
        goes_on = begins + place <= ends
        values[goes_on] = values[goes_on] * 128 + (codes[begins[goes_on] + place] & 127)
    return values


_LISTED = "SELECT group_concat(id), group_concat(hex(sz), '') FROM"
_AFTER = f"{_LISTED} (SELECT id, sz FROM words_docsize WHERE id > ? ORDER BY id LIMIT ?)"
_OF_ROWS = (
    f"{_LISTED} (SELECT id, sz FROM words_docsize WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT -1)"
)
"""The keyword index keeps in `sz` how many words a row holds (FTS5, "The Docsize Table")."""
