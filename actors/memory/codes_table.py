"""The codes of all vectors in memory, laid out for one quick pass over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes import CHUNK
from actors.memory.codes_records import Records
from domain.vector_codes import LENGTHS, Frame, Question, head_products

try:
    import numkong
except ImportError:  # no wheel for this machine: numpy does the same, more slowly
    IS_FAST = False
else:
    IS_FAST = True

_FIRST_CAPACITY = 1024
_MOST_LATE = 32_768
"""Rows out of order that are searched apart before all are sorted anew."""


class CodesTable:
    """Places 0, 1, 2, ... in the order of the side file's records; a place whose row is gone or replaced is not alive.

    Args:
        frame: The frame of all codes.
        is_fast: Whether to use numkong where it is installed.
    """

    def __init__(self, frame: Frame, *, is_fast: bool = True) -> None:
        self._frame = frame
        self._product = _fast_products if is_fast and IS_FAST else _plain_products
        self._prepare = _pack if is_fast and IS_FAST else _keep
        self._full: list[Any] = []
        self._tail = np.zeros((CHUNK, frame.head_bytes), np.int8)
        self.count = 0
        self._rows = np.zeros(_FIRST_CAPACITY, np.int64)
        self._times = np.zeros(_FIRST_CAPACITY, np.float64)
        self._alive = np.zeros(_FIRST_CAPACITY, np.bool_)
        self._lengths = np.zeros((LENGTHS, _FIRST_CAPACITY), np.uint8)
        self._middle = np.zeros((_FIRST_CAPACITY, frame.middle_bytes), np.uint8)
        self._directory = _Directory()

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row at each place."""
        return self._rows[: self.count]

    @property
    def times(self) -> NDArray[np.float64]:
        """When the row at each place was said, seconds since the epoch."""
        return self._times[: self.count]

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Whether each place counts."""
        return self._alive[: self.count]

    @property
    def lengths(self) -> NDArray[np.uint8]:
        """The four lengths of each place's codes."""
        return self._lengths[:, : self.count].T

    @property
    def middle(self) -> NDArray[np.uint8]:
        """The middle of each place's codes."""
        return self._middle[: self.count]

    def add(self, records: Records) -> None:
        """Take records in, the last of a row wins; the next place is `count`."""
        begin, end = self.count, self.count + len(records)
        rows = np.ascontiguousarray(records["row"])
        self._alive[self.places(rows)] = False
        self._reserve(end)
        self._rows[begin:end], self._times[begin:end] = rows, records["time"]
        self._lengths[:, begin:end], self._middle[begin:end] = records["lengths"].T, records["middle"]
        self._alive[begin:end] = ~np.isnan(records["time"])
        self._add_heads(np.ascontiguousarray(records["head"]), begin)
        self.count = end
        self._directory.extend(self.rows)
        self._alive[begin:end] &= self._directory.places(rows, self.rows) == np.arange(begin, end)

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The living places of `rows`, in their order; rows that have none are left out."""
        found = self._directory.places(rows, self.rows)
        found = found[found >= 0]
        return found[self._alive[found]]

    def products(self, question: Question) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """(first place, products of the heads with the question's) over all places; the array lives until the next."""
        yield from self._product(self._full, question)
        rest = self.count - len(self._full) * CHUNK
        if rest:
            yield len(self._full) * CHUNK, head_products(self._tail[:rest], question)

    def _reserve(self, size: int) -> None:
        """Make room; what is not used yet takes no memory."""
        capacity = len(self._rows)
        if size <= capacity:
            return
        capacity = max(size, 2 * capacity)
        for name in ("_rows", "_times", "_alive", "_middle"):
            before = getattr(self, name)
            after = np.empty((capacity, *before.shape[1:]), before.dtype)
            after[: self.count] = before[: self.count]
            setattr(self, name, after)
        lengths = np.empty((LENGTHS, capacity), np.uint8)
        lengths[:, : self.count] = self._lengths[:, : self.count]
        self._lengths = lengths

    def _add_heads(self, heads: NDArray[np.int8], begin: int) -> None:
        while len(heads):
            used = begin % CHUNK
            fits = min(CHUNK - used, len(heads))
            self._tail[used : used + fits] = heads[:fits]
            begin += fits
            heads = heads[fits:]
            if begin % CHUNK == 0:
                self._full.append(self._prepare(self._tail))


class _Directory:
    """Finds a row's last place: one sorted part, and a small one that came since and does not continue it."""

    def __init__(self) -> None:
        self._sorted_count = 0
        self._order: NDArray[np.int64] | None = None
        self._late: NDArray[np.int64] | None = None

    def extend(self, rows: NDArray[np.int64]) -> None:
        """`rows` has become longer."""
        begin = self._sorted_count
        if self._order is None and bool((np.diff(rows[max(0, begin - 1) :]) > 0).all()):
            self._sorted_count = len(rows)
        elif len(rows) - begin > _MOST_LATE:
            self._order = np.argsort(rows, kind="stable")
            self._sorted_count = len(rows)
        self._late = None

    def places(self, wanted: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The last place of each of `wanted` in `rows`; -1 where there is none."""
        early = rows[: self._sorted_count]
        found = _search(early if self._order is None else early[self._order], self._order, wanted)
        if self._sorted_count < len(rows):
            late = rows[self._sorted_count :]
            if self._late is None:
                self._late = np.argsort(late, kind="stable")
            later = _search(late[self._late], self._late, wanted)
            found = np.where(later >= 0, later + self._sorted_count, found)
        return found


def _search(
    ascending: NDArray[np.int64], order: NDArray[np.int64] | None, wanted: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Where each of `wanted` stands last; -1 where it does not."""
    at = np.searchsorted(ascending, wanted, side="right") - 1
    at[at >= 0] = np.where(ascending[at[at >= 0]] == wanted[at >= 0], at[at >= 0], -1)
    if order is None:
        return at
    at[at >= 0] = order[at[at >= 0]]
    return at


def _pack(heads: NDArray[np.int8]) -> Any:
    return numkong.dots_pack(heads, "int8")


def _keep(heads: NDArray[np.int8]) -> Any:
    return heads.copy()


def _fast_products(packs: list[Any], question: Question) -> Iterator[tuple[int, NDArray[np.float32]]]:
    out = numkong.zeros((1, CHUNK), dtype="int32")
    whole = np.asarray(out)[0]
    found = np.empty(CHUNK, np.float32)
    asked = question.head[None]
    for number, pack in enumerate(packs):
        numkong.dots_packed(asked, pack, out=out)
        found[:] = whole
        yield number * CHUNK, found


def _plain_products(heads: list[Any], question: Question) -> Iterator[tuple[int, NDArray[np.float32]]]:
    for number, head in enumerate(heads):
        yield number * CHUNK, head_products(head, question)
