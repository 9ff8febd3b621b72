"""Column store of all codes in memory, in blocks, laid out for a single quick pass."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes import scan
from actors.memory.codes.directory import RowDirectory
from actors.memory.codes.records import Records
from actors.memory.codes.scan import BLOCK, Blocks
from actors.memory.codes.tuning import MEASURED, Tuning
from domain.memory.vector_codes import Frame, FramedQuery

_FIRST_CAPACITY = 1024
_SMALL = 65_536
"""Slots up to which a table grows by halves."""
_Kind = TypeVar("_Kind", bound=np.generic)


class CodesTable:
    """Column store of codes in slots 0, 1, 2, ..., in the order of the side file's records.

    A slot whose row is gone or replaced is not alive.
    """

    def __init__(self, frame: Frame, tuning: Tuning = MEASURED) -> None:
        """No slots yet.

        Args:
            frame: The frame of all codes.
            tuning: Says if the compiled pass is used where available.
        """
        self.frame = frame
        self._memory_bytes = tuning.memory_bytes
        self._is_compiled = tuning.is_fast and scan.is_available()
        self.count = 0
        self.first_row, self.last_row = 0, -1
        """Least and greatest row so far, 0 and -1 before any."""
        self._rows = np.zeros(_FIRST_CAPACITY, np.int64)
        self._times = np.zeros(_FIRST_CAPACITY, np.float64)
        self._alive = np.zeros(_FIRST_CAPACITY, np.bool_)
        self._blocks = _empty_blocks(frame, _FIRST_CAPACITY // BLOCK)
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
        self.reserve(end)
        self._rows[begin:end], self._times[begin:end] = rows, records["time"]
        self._alive[begin:end] = ~np.isnan(records["time"])
        self._put(begin, records)
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
        return scan.look(self._blocks, self.frame, question, mask, is_compiled=self._is_compiled)

    def fine_products(self, records: Records, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Product of each decoded record of the second file with `vector`, (n,)."""
        return scan.fine_products(records, self.frame, vector, is_compiled=self._is_compiled)

    def codes_at(self, slots: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.uint8], NDArray[np.uint16]]:
        """Heads, signs and factors of some slots."""
        block, vector = slots // BLOCK, slots % BLOCK
        blocks = self._blocks
        heads = np.ascontiguousarray(blocks.heads[block, :, vector]).view(np.int8)
        return heads, blocks.signs[block, :, vector % 16, vector // 16], blocks.factors[block, vector]

    def reserve(self, size: int) -> None:
        """Make room for so many slots; unused room takes no memory.

        A large table gets room for all that `memory_bytes` allow at once, as each growth has every array twice.
        """
        capacity = len(self._rows)
        if size <= capacity:
            return
        capacity = max(size, capacity + capacity // 2)
        if capacity > _SMALL:
            capacity = max(capacity, self._memory_bytes // self._slot_bytes())
        capacity = -(-capacity // BLOCK) * BLOCK
        for name in ("_rows", "_times", "_alive"):
            setattr(self, name, _grown(getattr(self, name), capacity, self.count))
        for field in fields(Blocks):  # one after another: each array goes before the next one is made
            grown = _grown(getattr(self._blocks, field.name), capacity // BLOCK, -(-self.count // BLOCK))
            self._blocks = replace(self._blocks, **{field.name: grown})

    def _slot_bytes(self) -> int:
        columns: int = sum(getattr(self._blocks, field.name).strides[0] for field in fields(Blocks)) // BLOCK
        return columns + sum(each.itemsize for each in (self._rows, self._times, self._alive))

    def _put(self, begin: int, records: Records) -> None:
        """Spread the codes of `records` over the blocks: record by record in a shared block."""
        whole = slice(min(-begin % BLOCK, len(records)), len(records) - (begin + len(records)) % BLOCK)
        if whole.stop <= whole.start:
            self._put_each(begin, records)
            return
        self._put_each(begin, records[: whole.start])
        self._put_blocks((begin + whole.start) // BLOCK, records[whole])
        self._put_each(begin + whole.stop, records[whole.stop :])

    def _put_blocks(self, first: int, records: Records) -> None:
        count = len(records) // BLOCK
        part = slice(first, first + count)
        blocks = self._blocks
        heads = np.ascontiguousarray(records["head"]).view(np.int16)
        blocks.heads[part] = heads.reshape(count, BLOCK, heads.shape[1]).transpose(0, 2, 1)
        signs = records["signs"]
        blocks.signs[part] = signs.reshape(count, 2, BLOCK // 2, signs.shape[1]).transpose(0, 3, 2, 1)
        blocks.factors[part] = records["factor"].reshape(-1, BLOCK)
        blocks.head_errors[part] = records["errors"][:, 0].reshape(-1, BLOCK)
        blocks.sign_errors[part] = records["errors"][:, 1].reshape(-1, BLOCK)

    def _put_each(self, begin: int, records: Records) -> None:
        slots = np.arange(begin, begin + len(records))
        block, vector = slots // BLOCK, slots % BLOCK
        blocks = self._blocks
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


def _grown(before: NDArray[_Kind], capacity: int, used: int) -> NDArray[_Kind]:
    after = np.zeros((capacity, *before.shape[1:]), before.dtype)
    after[:used] = before[:used]
    return after
