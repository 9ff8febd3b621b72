"""Cache of the newest records of a file, since questions ask most about recent messages."""

from __future__ import annotations

import mmap

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.records import RecordFile, Records

CHUNK = 16_384
"""Records of a chunk."""


class NewestRecords:
    """Read-through cache: the newest records from memory, the rest from the file.

    Records stand in chunks of consecutive slots. The oldest chunk goes as a whole, and its memory goes back to the
    system at once, so the cache takes no more than the given bytes and never copies what it has.
    """

    def __init__(self, file: RecordFile) -> None:
        self._file = file
        self._first = 0
        self._end = 0
        self._chunks: dict[int, _Chunk] = {}
        """First slot / CHUNK -> chunk, the oldest first."""

    @property
    def first(self) -> int:
        """Slot of the oldest record in memory; the next slot of the file without any."""
        return self._first

    def add(self, first: int, records: Records, spare_bytes: int) -> None:
        """Keep `records`, stored in the file from `first` on; the oldest go when `spare_bytes` are used up."""
        self._put(first, records, np.ones(len(records), np.bool_), spare_bytes)

    def read_back(self, count: int, spare_bytes: int) -> None:
        """Read the newest of the expected `count` records of the file; unsound records stay unknown."""
        self._chunks.clear()
        chunks = -(-count // CHUNK)
        numbers = range(max(0, chunks - self._fitting(spare_bytes)), chunks)
        self._first = self._end = min(count, numbers.start * CHUNK)
        for number in numbers:
            records = self._file.read(number * CHUNK, min(CHUNK, count - number * CHUNK))
            slots = np.arange(number * CHUNK, number * CHUNK + len(records))
            self._put(number * CHUNK, records, self._file.are_sound(records, slots), spare_bytes)

    def pick(self, slots: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Records]:
        """A flag for each sound record at `slots`, and all records."""
        is_late = (slots >= self._first) & (slots < self._end)
        if not is_late.any():
            records = self._file.pick(slots)
            return self._file.are_sound(records, slots), records
        is_sound = np.zeros(len(slots), np.bool_)
        data = np.empty((len(slots), self._file.size), np.uint8)  # as bytes, for much faster copying
        early = np.flatnonzero(~is_late)
        if len(early):
            read = self._file.pick(slots[early])
            data[early], is_sound[early] = _as_bytes(read), self._file.are_sound(read, slots[early])
        numbers = np.where(is_late, slots // CHUNK, -1)
        for number, chunk in self._chunks.items():
            at = np.flatnonzero(numbers == number)
            if len(at):
                within = slots[at] - number * CHUNK
                data[at], is_sound[at] = chunk.data.take(within, axis=0), chunk.known[within]
        return is_sound, self._file.from_bytes(data)

    def _put(self, first: int, records: Records, known: NDArray[np.bool_], spare_bytes: int) -> None:
        if first < self._first:  # written over, and not kept
            records, known, first = records[self._first - first :], known[self._first - first :], self._first
        end, data, begin = first + len(records), _as_bytes(records), first
        while begin < end:
            number = begin // CHUNK
            stop = min(end, (number + 1) * CHUNK)
            chunk = self._chunks.get(number)
            if chunk is None:
                chunk = self._chunks[number] = _Chunk(self._file.size)
            within, part = slice(begin - number * CHUNK, stop - number * CHUNK), slice(begin - first, stop - first)
            chunk.data[within], chunk.known[within] = data[part], known[part]
            begin = stop
        self._end = end
        self._drop(spare_bytes)

    def _drop(self, spare_bytes: int) -> None:
        """Evict the oldest chunks."""
        for number in list(self._chunks)[: max(0, len(self._chunks) - self._fitting(spare_bytes))]:
            del self._chunks[number]
            self._first = min((number + 1) * CHUNK, self._end)

    def _fitting(self, spare_bytes: int) -> int:
        """Number of chunks that fit."""
        return max(0, spare_bytes) // (CHUNK * self._file.size)


class _Chunk:
    """Room for the records of CHUNK slots; what is unused takes no memory."""

    def __init__(self, record_size: int) -> None:
        # A map of its own: freed memory of the allocator stays with the process, in holes between other values.
        room = mmap.mmap(-1, CHUNK * record_size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.data = np.frombuffer(room, np.uint8).reshape(CHUNK, record_size)
        self.known = np.zeros(CHUNK, np.bool_)


def _as_bytes(records: Records) -> NDArray[np.uint8]:
    """Records as lines of bytes."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), records.dtype.itemsize)
