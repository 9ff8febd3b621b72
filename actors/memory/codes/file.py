"""Append-only side files of the index: every vector's compact codes, derived, versioned and checked.

The first file has a header (its purpose, space and frame), then records of a fixed size, only ever appended: the part
of a vector needed by every question, or, with a time of NaN, a tombstone of the row. The last record of a row counts.
Each record carries a sum over itself and its slot. A torn end is cut off; any other damage makes the file unfit, and so
do another version, space or size. An unfit file is built anew from the index, the only source of truth; no file is
synced.

The second file has a record for each of the first, with the part needed by few questions. Records are read and checked
on demand; an unsound record is passed over.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.newest import NewestRecords
from actors.memory.codes.records import Field, RecordFile, Records, open_file, read, write
from actors.memory.codes.tuning import MEASURED, Tuning
from domain.memory.vector_codes import Codes, Frame

VERSION = 3
_MAGIC = b"remembrancer-codes\n"
_LENGTHS = struct.Struct("<II")
_DIGEST = 16
_ALIGN = 4096
_MOST_HEADER = 1 << 28


class UnfitCodesError(Exception):
    """The file cannot serve; the text says why."""


class OutgrownCodesError(UnfitCodesError):
    """The file is sound, but a new file serves better."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """Use of a file.

    Attributes:
        space: Names the model and the generation of the index: two indexes with the same row numbers differ in it.
        dims: Size of the vectors.
        fitted_rows: Number of vectors at the choice of the frame.
    """

    space: str
    dims: int
    fitted_rows: int


class CodesFile:
    """Both open side files: records appended, read back, checked.

    Use `open` or `create`.
    """

    def __init__(self, purpose: Purpose, frame: Frame, first: RecordFile, second: RecordFile, tuning: Tuning) -> None:
        self.purpose = purpose
        self.frame = frame
        self._first = first
        self._second = second
        self._tuning = tuning
        self._newest = NewestRecords(second)
        self.count = 0
        """Number of records known to be sound; `chunks` counts the records of an opened file."""

    @classmethod
    def open(cls, path: Path, space: str, dims: int, tuning: Tuning = MEASURED) -> CodesFile:
        """The files at `path` and beside, with a checked header.

        Raises:
            UnfitCodesError: the file is missing, or of another version, space or size, or has a damaged header.
        """
        try:
            descriptor = open_file(path)
        except FileNotFoundError as error:
            raise UnfitCodesError("there is none") from error
        try:
            purpose, frame, start = _read_header(descriptor)
            if (purpose.space, purpose.dims) != (space, dims):
                raise UnfitCodesError(f"it is of {purpose.space} with {purpose.dims} dimensions")
            second = open_file(second_path(path), create=True)
        except (UnfitCodesError, OSError):
            os.close(descriptor)
            raise
        return cls(purpose, frame, *_record_files(frame, descriptor, start, second), tuning)

    @classmethod
    def create(cls, path: Path, purpose: Purpose, frame: Frame, tuning: Tuning = MEASURED) -> CodesFile:
        """Empty files at `path` and beside; earlier content is gone at once."""
        header = _header(purpose, frame)
        fresh = path.with_name(path.name + ".new")
        fresh.unlink(missing_ok=True)
        second_path(path).unlink(missing_ok=True)
        descriptor = open_file(fresh, create=True)
        try:
            write(descriptor, header, 0)
            fresh.replace(path)
            second = open_file(second_path(path), create=True)
        except OSError:
            os.close(descriptor)
            raise
        return cls(purpose, frame, *_record_files(frame, descriptor, len(header), second), tuning)

    def on_disk(self) -> int:
        """Number of whole records in the first file, sound or not."""
        return self._first.on_disk()

    def chunks(self) -> Iterator[Records]:
        """All records of the first file, up to `chunk_records` at a time, in their order; a torn end is cut off.

        Raises:
            UnfitCodesError: a damaged record, and not the last.
        """
        self.count = 0
        chunk = self._tuning.chunk_records
        while len(records := self._first.read(self.count, chunk)):
            wrong = np.flatnonzero(~self._first.are_sound(records, np.arange(self.count, self.count + len(records))))
            sound = int(wrong[0]) if len(wrong) else len(records)
            if sound < len(records) and self._first.on_disk() > self.count + sound + 1:
                raise UnfitCodesError(f"record {self.count + sound} is damaged")
            self.count += sound
            if sound:
                yield records[:sound]
            if sound < chunk:
                break
        self._first.cut(self.count)
        self._newest.read_back(self.count, self._spare_bytes())

    def append(self, rows: NDArray[np.int64], times: NDArray[np.float64], codes: Codes) -> Records:
        """Write records at the end; gives the records of the first file. A time of NaN marks a removed row.

        Raises:
            OSError: the records could not all be written; the next call writes over the rest.
        """
        detail = self._second.empty(len(rows))
        detail["row"], detail["head"] = rows, codes.head
        detail["fine"], detail["factor"], detail["errors"] = codes.fine, codes.fine_factors, codes.fine_errors
        self._second.write(self.count, detail)
        self._newest.add(self.count, detail, self._spare_bytes())
        records = self._first.empty(len(rows))
        records["row"], records["time"] = rows, times
        records["head"], records["signs"] = codes.head, codes.signs
        records["factor"], records["errors"] = codes.factors, codes.errors
        try:
            self._first.write(self.count, records)
        except OSError:
            self._first.cut(self.count)  # whole records of what failed would count at the next opening
            raise
        self.count += len(records)
        return records

    def erase(self, slots: NDArray[np.int64]) -> None:
        """Write over records, so no part of their codes is left in the files; each record becomes a tombstone.

        Raises:
            OSError: the records could not all be written over; the next call does so.
        """
        for begin in range(0, len(slots), self._tuning.chunk_records):
            part = slots[begin : begin + self._tuning.chunk_records]
            records = self._first.pick(part)
            with_codes = np.flatnonzero(~np.isnan(records["time"]))
            for slot, row in zip(part[with_codes].tolist(), records["row"][with_codes].tolist(), strict=True):
                for file in (self._second, self._first):  # the first file's record tells what is still to be done
                    blank = file.empty(1)
                    blank["row"] = row
                    if file is self._first:
                        blank["time"] = np.nan
                    file.write(slot, blank)

    def details(self, slots: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Records]:
        """A flag for each sound record of the second file at `slots`, and the records."""
        return self._newest.pick(slots)

    def _spare_bytes(self) -> int:
        """Bytes of memory available to the second file."""
        return self._tuning.memory_bytes - self.count * self._first.size

    def close(self) -> None:
        """Give the files back. Idempotent."""
        self._first.close()
        self._second.close()


def second_path(path: Path) -> Path:
    """Path of the second file of `path`."""
    return path.with_name(path.name + "-rest")


def _record_files(frame: Frame, first: int, start: int, second: int) -> tuple[RecordFile, RecordFile]:
    """Both files' records."""
    basic: list[Field] = [
        ("row", "<i8"),
        ("time", "<f8"),
        ("head", "i1", (frame.head_bytes,)),
        ("signs", "u1", (frame.sign_bytes,)),
        ("factor", "<u2"),
        ("errors", "u1", (2,)),
    ]
    detailed: list[Field] = [
        ("row", "<i8"),
        ("factor", "<f4"),
        ("errors", "<f4", (2,)),
        ("head", "i1", (frame.head_bytes,)),
        ("fine", "u1", (frame.fine_bytes,)),
    ]
    # Codes say nothing in another frame: files of two lives must not be mixed.
    mark = int.from_bytes(hashlib.blake2b(frame.basis.tobytes(), digest_size=4).digest(), "little")
    return RecordFile(first, start, basic, mark), RecordFile(second, 0, detailed, mark)


def _header(purpose: Purpose, frame: Frame) -> bytes:
    description = {
        "version": VERSION,
        "space": purpose.space,
        "dims": purpose.dims,
        "fitted_rows": purpose.fitted_rows,
        "head": frame.head,
        "head_step": frame.head_step,
    }
    text = json.dumps(description).encode()
    arrays = frame.basis.astype("<f4").tobytes()
    body = _MAGIC + _LENGTHS.pack(len(text), len(arrays)) + text + arrays
    whole = body + hashlib.blake2b(body, digest_size=_DIGEST).digest()
    return whole + bytes(-len(whole) % _ALIGN)


def _read_header(descriptor: int) -> tuple[Purpose, Frame, int]:
    begin = len(_MAGIC) + _LENGTHS.size
    opening = read(descriptor, begin, 0)
    if len(opening) < begin or not opening.startswith(_MAGIC):
        raise UnfitCodesError("it is not a file of codes")
    text_size, arrays_size = _LENGTHS.unpack(opening[len(_MAGIC) :])
    size = begin + text_size + arrays_size + _DIGEST
    whole = read(descriptor, size, 0) if size <= _MOST_HEADER else b""
    body, digest = whole[:-_DIGEST], whole[-_DIGEST:]
    if len(whole) < size or hashlib.blake2b(body, digest_size=_DIGEST).digest() != digest:
        raise UnfitCodesError("its header is damaged")
    description = json.loads(body[begin : begin + text_size])
    if description["version"] != VERSION:
        raise UnfitCodesError(f"it is of version {description['version']}, not {VERSION}")
    purpose = Purpose(description["space"], description["dims"], description["fitted_rows"])
    basis = np.frombuffer(body, "<f4", offset=begin + text_size).astype(np.float32)
    frame = Frame(basis.reshape(purpose.dims, purpose.dims), description["head"], description["head_step"])
    return purpose, frame, size + -size % _ALIGN
