"""Cache of the newest records of a file, since questions ask most about recent messages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.records import RecordFile, Records

_LEAST_ROOM = 1024


class NewestRecords:
    """Read-through cache: the newest records from memory, the rest from the file."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file
        self._first = 0
        self._count = 0
        self._data = np.zeros((0, file.size), np.uint8)
        self._known = np.zeros(0, np.bool_)

    def add(self, first: int, records: Records, spare_bytes: int) -> None:
        """Keep `records`, stored in the file from `first` on; the oldest go when `spare_bytes` are used up."""
        self._put(first, records, np.ones(len(records), np.bool_), spare_bytes)

    def read_back(self, count: int, spare_bytes: int) -> None:
        """Read the newest of the expected `count` records of the file; unsound records stay unknown."""
        fits = max(spare_bytes, 0) // self._file.size
        self._first, self._count = max(0, count - fits), 0
        self._make_room(count - self._first)
        for first in range(self._first, count, _LEAST_ROOM):
            records = self._file.read(first, min(_LEAST_ROOM, count - first))
            is_sound = self._file.are_sound(records, np.arange(first, first + len(records)))
            self._put(first, records, is_sound, spare_bytes)

    def pick(self, slots: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Records]:
        """A flag for each sound record at `slots`, and all records."""
        within = slots - self._first
        is_late = (within >= 0) & (within < self._count)
        if is_late.all():
            return self._known[within], self._take_records(within)
        if not is_late.any():
            records = self._file.pick(slots)
            return self._file.are_sound(records, slots), records
        is_sound = np.zeros(len(slots), np.bool_)
        records = self._file.empty(len(slots))
        records[is_late], is_sound[is_late] = self._take_records(within[is_late]), self._known[within[is_late]]
        early = np.flatnonzero(~is_late)
        read = self._file.pick(slots[early])
        records[early], is_sound[early] = read, self._file.are_sound(read, slots[early])
        return is_sound, records

    def _take_records(self, within: NDArray[np.int64]) -> Records:
        """Records in memory; as bytes, for much faster copying."""
        return self._file.from_bytes(self._data.take(within, axis=0))

    def _put(self, first: int, records: Records, known: NDArray[np.bool_], spare_bytes: int) -> None:
        if first < self._first:  # written over, and not kept
            records, known, first = records[self._first - first :], known[self._first - first :], self._first
        end = first - self._first + len(records)
        self._make_room(end)
        part = slice(first - self._first, end)
        self._data[part] = records.view(np.uint8).reshape(len(records), self._file.size)
        self._known[part] = known
        self._count = end
        self._drop(spare_bytes)

    def _make_room(self, count: int) -> None:
        if count <= len(self._known):
            return
        room = max(count, len(self._known) * 3 // 2, _LEAST_ROOM)
        data, known_rows = np.zeros((room, self._file.size), np.uint8), np.zeros(room, np.bool_)
        data[: self._count], known_rows[: self._count] = self._data[: self._count], self._known[: self._count]
        self._data, self._known = data, known_rows

    def _drop(self, spare_bytes: int) -> None:
        """Evict the oldest records, some more than necessary, to evict less often."""
        fits = max(spare_bytes, 0) // self._file.size
        if self._count <= fits:
            return
        count = min(fits * 7 // 8, self._count)
        gone = self._count - count
        data, known_rows = self._data[gone : self._count].copy(), self._known[gone : self._count].copy()
        self._data, self._known = data, known_rows
        self._first, self._count = self._first + gone, count
