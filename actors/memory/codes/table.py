"""Column store of all codes in memory, in blocks, laid out for a single quick pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes import scan
from actors.memory.codes.directory import RowDirectory
from actors.memory.codes.records import Records
from actors.memory.codes.scan import BLOCK, Blocks
from actors.memory.codes.tuning import MEASURED, Tuning
from domain.memory.row_arrays import with_room
from domain.memory.vector_codes import Frame, FramedQuery

_FIRST_CAPACITY = 1024
SEGMENT = 65_536
"""Slots of a segment: some 8 MB of codes."""


class CodesTable:
    """Column store of codes in slots 0, 1, 2, ..., in the order of the side file's records.

    A slot whose row is gone or replaced is not alive. Codes stand in segments, so a growing table is never copied.
    """

    def __init__(self, frame: Frame, tuning: Tuning = MEASURED) -> None:
        """No slots yet.

        Args:
            frame: The frame of all codes.
            tuning: Says if the compiled pass is used where available.
        """
        self.frame = frame
        self._is_compiled = tuning.is_fast and scan.is_available()
        self.count = 0
        self.first_row, self.last_row = 0, -1
        """Least and greatest row so far, 0 and -1 before any."""
        self._rows = np.zeros(_FIRST_CAPACITY, np.int64)
        self._times = np.zeros(_FIRST_CAPACITY, np.float64)
        self._alive = np.zeros(_FIRST_CAPACITY, np.bool_)
        self._segments: list[Blocks] = []
        self._directory = RowDirectory(tuning.late_rows)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row at each slot."""
        return self._rows[: self.count]

    @property
    def times(self) -> NDArray[np.float64]:
        """When the row at each slot was said, seconds since the epoch."""
        return self._times[: self.count]

    @property
    def alive(self) -> NDArray[np.bool_]:
        """True for each live slot."""
        return self._alive[: self.count]

    def add(self, records: Records) -> None:
        """Take records in, the last of a row wins; the next slot is `count`."""
        begin, end = self.count, self.count + len(records)
        rows = np.ascontiguousarray(records["row"])
        if len(rows):
            self.first_row, self.last_row = min(self.first_row, int(rows.min())), max(self.last_row, int(rows.max()))
        self._alive[self.slots(rows)] = False
        self._rows, self._times = with_room(self._rows, end - 1), with_room(self._times, end - 1)
        self._alive = with_room(self._alive, end - 1)
        self._rows[begin:end], self._times[begin:end] = rows, records["time"]
        self._alive[begin:end] = ~np.isnan(records["time"])
        for number in range(begin // SEGMENT, -(-end // SEGMENT)):
            self._put(number, records[max(0, number * SEGMENT - begin) : (number + 1) * SEGMENT - begin])
        self.count = end
        self._directory.extend(self.rows)
        self._alive[begin:end] &= self._directory.slots(rows, self.rows) == np.arange(begin, end)

    def slots(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Live slot of each of `rows`, in the rows' order; rows without a slot are left out."""
        slots = self._directory.slots(rows, self.rows)
        slots = slots[slots >= 0]
        return slots[self._alive[slots]]

    def look(self, question: FramedQuery, mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Upper bound of each slot's cosine; see `scan.look`."""
        return scan.look(self._segments, self.frame, question, mask, is_compiled=self._is_compiled)

    def fine_products(self, records: Records, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Product of each decoded record of the second file with `vector`, (n,)."""
        return scan.fine_products(records, self.frame, vector, is_compiled=self._is_compiled)

    def codes_at(self, slots: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.uint8], NDArray[np.uint16]]:
        """Heads, signs and factors of some slots."""
        parts = []
        for slot in slots.tolist():
            blocks, block, vector = self._segments[slot // SEGMENT], slot % SEGMENT // BLOCK, slot % BLOCK
            head = blocks.heads[block, :, vector]
            parts.append((head, blocks.signs[block, :, vector % 16, vector // 16], blocks.factors[block, vector]))
        heads, signs, factors = zip(*parts, strict=True)
        return np.array(heads).view(np.int8), np.array(signs), np.array(factors)

    def _put(self, number: int, records: Records) -> None:
        """Add records to a segment, perhaps a new one."""
        if number == len(self._segments):
            self._segments.append(_empty_blocks(self.frame, SEGMENT // BLOCK))
        _put(self._segments[number], max(0, self.count - number * SEGMENT), records)


def _put(blocks: Blocks, begin: int, records: Records) -> None:
    """Spread the codes of `records` over the blocks, from slot `begin` on: record by record in a shared block."""
    whole = slice(min(-begin % BLOCK, len(records)), len(records) - (begin + len(records)) % BLOCK)
    if whole.stop <= whole.start:
        _put_each(blocks, begin, records)
        return
    _put_each(blocks, begin, records[: whole.start])
    _put_blocks(blocks, (begin + whole.start) // BLOCK, records[whole])
    _put_each(blocks, begin + whole.stop, records[whole.stop :])


def _put_blocks(blocks: Blocks, first: int, records: Records) -> None:
    count = len(records) // BLOCK
    part = slice(first, first + count)
    heads = np.ascontiguousarray(records["head"]).view(np.int16)
    blocks.heads[part] = heads.reshape(count, BLOCK, heads.shape[1]).transpose(0, 2, 1)
    signs = records["signs"]
    blocks.signs[part] = signs.reshape(count, 2, BLOCK // 2, signs.shape[1]).transpose(0, 3, 2, 1)
    blocks.factors[part] = records["factor"].reshape(-1, BLOCK)
    blocks.head_errors[part] = records["errors"][:, 0].reshape(-1, BLOCK)
    blocks.sign_errors[part] = records["errors"][:, 1].reshape(-1, BLOCK)


def _put_each(blocks: Blocks, begin: int, records: Records) -> None:
    slots = np.arange(begin, begin + len(records))
    block, vector = slots // BLOCK, slots % BLOCK
    blocks.heads[block, :, vector] = np.ascontiguousarray(records["head"]).view(np.int16)
    blocks.signs[block, :, vector % 16, vector // 16] = records["signs"]
    blocks.factors[block, vector] = records["factor"]
    blocks.head_errors[block, vector] = records["errors"][:, 0]
    blocks.sign_errors[block, vector] = records["errors"][:, 1]


def _empty_blocks(frame: Frame, count: int) -> Blocks:
    return Blocks(
        np.zeros((count, frame.head_bytes // 2, BLOCK), np.int16),
        np.zeros((count, frame.sign_bytes, BLOCK // 2, 2), np.uint8),
        np.zeros((count, BLOCK), np.uint16),
        np.zeros((count, BLOCK), np.uint8),
        np.zeros((count, BLOCK), np.uint8),
    )
