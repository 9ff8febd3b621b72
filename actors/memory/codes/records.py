"""Fixed-size records in a file, each with a checksum over itself and its slot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from actors.linux.disk import give_back
from actors.memory.codes import scan

Records: TypeAlias = "NDArray[np.void]"
Field: TypeAlias = "tuple[str, str] | tuple[str, str, tuple[int, ...]]"
_SEED = 0x9E3779B97F4A7C15
_WORD = 4


class RecordFile:
    """Array of records in an open file, in slots 0, 1, 2, ..."""

    def __init__(self, descriptor: int, start: int, fields: list[Field], mark: int = 0) -> None:
        """Begin without reading.

        Args:
            descriptor: Open for reading and writing; closed with this object.
            start: Offset of record 0.
            fields: In numpy's description; padding and the sum are added.
            mark: Goes into every sum: records of a file with another mark are not sound.
        """
        padding = -np.dtype(fields).itemsize % _WORD
        self._type = np.dtype([*fields, ("padding", "u1", (padding,)), ("check", "<u4")])
        self._descriptor = descriptor
        self._start = start
        self._mark = np.uint32(mark)
        slots = np.arange(1, self._type.itemsize // _WORD, dtype=np.uint64)
        self._factors = (slots * np.uint64(_SEED) >> np.uint64(32)).astype(np.uint32) | np.uint32(1)

    @property
    def size(self) -> int:
        """Bytes of a record."""
        return self._type.itemsize

    def empty(self, count: int) -> Records:
        """Records of zeros, to be filled and written."""
        return np.zeros(count, self._type)

    def from_bytes(self, data: NDArray[np.uint8]) -> Records:
        """Records with the bytes `data`, contiguous, a line each."""
        return data.reshape(-1).view(self._type)

    def on_disk(self) -> int:
        """Number of whole records in the file."""
        return (os.fstat(self._descriptor).st_size - self._start) // self._type.itemsize

    def read(self, first: int, count: int) -> Records:
        """Up to `count` whole records from `first` on; fewer at the file's end."""
        data = read(self._descriptor, count * self._type.itemsize, self._offset(first))
        return np.frombuffer(data, self._type, len(data) // self._type.itemsize)

    def pick(self, slots: NDArray[np.int64]) -> Records:
        """The records at `slots`; zeros for records missing from the file."""
        offsets = self._start + slots * self._type.itemsize
        if scan.is_available():
            return self.from_bytes(scan.read(self._descriptor, offsets, self._type.itemsize))
        records = self.empty(len(slots))
        data = memoryview(records.view(np.uint8).data)
        for number, offset in enumerate(offsets.tolist()):
            begin = number * self._type.itemsize
            os.preadv(self._descriptor, [data[begin : begin + self._type.itemsize]], offset)
        return records

    def write(self, first: int, records: Records) -> None:
        """Complete `records` with their sums and write them from slot `first` on."""
        records["check"] = self._sums(records, np.arange(first, first + len(records)))
        write(self._descriptor, records.tobytes(), self._offset(first))

    def are_sound(self, records: Records, slots: NDArray[np.int64]) -> NDArray[np.bool_]:
        """True for each record whose checksum is right for its slot."""
        sound: NDArray[np.bool_] = records["check"] == self._sums(records, slots)
        return sound

    def cut(self, count: int) -> None:
        """Leave the first `count` records."""
        os.ftruncate(self._descriptor, self._offset(count))

    def close(self) -> None:
        """Give the file back. Idempotent."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            give_back(descriptor)

    def _offset(self, slot: int) -> int:
        return self._start + slot * self._type.itemsize

    def _sums(self, records: Records, slots: NDArray[np.int64]) -> NDArray[np.uint32]:
        words = records.view("<u4").reshape(len(records), len(self._factors) + 1)
        own = ((slots.astype(np.uint64) + np.uint64(1)) * np.uint64(_SEED) >> np.uint64(32)).astype(np.uint32)
        sums: NDArray[np.uint32] = np.einsum("ij,j->i", words[:, :-1], self._factors) + (own ^ self._mark)
        return sums


def open_file(path: Path, *, create: bool = False) -> int:
    """Descriptor for reading and writing; the file is for its owner only.

    Raises:
        FileNotFoundError: the file is missing and `create` is False.
    """
    return os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o600)


def read(descriptor: int, size: int, offset: int) -> bytes:
    """`size` bytes, or fewer at the file's end."""
    parts = []
    while size > 0 and (part := os.pread(descriptor, size, offset)):
        parts.append(part)
        size -= len(part)
        offset += len(part)
    return b"".join(parts)


def write(descriptor: int, data: bytes, offset: int) -> None:
    """All of `data`."""
    view = memoryview(data)
    while view:
        count = os.pwrite(descriptor, view, offset)
        view = view[count:]
        offset += count
