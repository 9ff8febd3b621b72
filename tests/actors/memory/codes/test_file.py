"""The side files of codes: kept, mended, or built anew, and never believed when they do not fit."""

from __future__ import annotations

import errno
import hashlib
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from actors.memory.codes import records as codes_records
from actors.memory.codes.file import CodesFile, Purpose, UnfitCodesError, second_path
from actors.memory.codes.nearest import Nearest
from actors.memory.codes.newest import CHUNK, NewestRecords
from actors.memory.codes.records import RecordFile, open_file
from domain.memory import vector_codes
from domain.memory.vector_codes import Frame
from tests.actors.memory.vectors import START_S, Vectors

DIMS = 120
SPACE = "model/1"
COUNT = 200
MAGIC = b"remembrancer-codes\n"


def source_of(count: int, seed: int = 1, dims: int = DIMS) -> Vectors:
    rng = np.random.default_rng(seed)
    source = Vectors(dims)
    vectors = (rng.standard_normal((count, dims)) / np.arange(1, dims + 1) ** 0.5).astype(np.float32)
    source.put(np.arange(count), vectors, START_S + rng.random(count) * 1e7)
    return source


def built(path: Path, source: Vectors, space: str = SPACE) -> Nearest:
    return Nearest.open(path, space, source.dims, source)


def reopen(path: Path, source: Vectors, space: str = SPACE) -> tuple[Nearest, int]:
    """The searches, and how many vectors opening them had to read."""
    source.fetched = 0
    nearest = built(path, source, space)
    return nearest, source.fetched


def is_right(nearest: Nearest, source: Vectors) -> bool:
    query = np.random.default_rng(9).standard_normal(source.dims).astype(np.float32)
    rows, sims = nearest.top(query, 20)
    return (rows.tolist(), sims.tolist()) == source.nearest(query, 20, None)


def test_a_file_that_fits_is_read_and_hardly_a_vector_with_it(tmp_path: Path) -> None:
    source = source_of(COUNT)
    built(tmp_path / "codes", source).close()
    nearest, fetched = reopen(tmp_path / "codes", source)
    assert fetched < COUNT
    assert is_right(nearest, source)
    nearest.close()


def flip(path: Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("hello\n" * 2000),
    "magic": lambda path: flip(path, 0),
    "header": lambda path: flip(path, 60),
    "basis": lambda path: flip(path, 5_000),
    "cut header": lambda path: os.truncate(path, 300),
    "record in the middle": lambda path: flip(path, path.stat().st_size - 9_000),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.parametrize("damage", list(DAMAGE))
def test_a_damaged_file_is_built_anew(tmp_path: Path, damage: str) -> None:
    source, path = source_of(COUNT), tmp_path / "codes"
    built(path, source).close()
    DAMAGE[damage](path)
    nearest, fetched = reopen(path, source)
    assert fetched >= COUNT
    assert is_right(nearest, source)
    nearest.close()
    assert reopen(path, source)[1] < COUNT


@pytest.mark.parametrize("lost", [1, 100, 1000])
def test_a_torn_end_is_cut_off_and_what_it_held_is_read_again(tmp_path: Path, lost: int) -> None:
    source, path = source_of(COUNT), tmp_path / "codes"
    built(path, source).close()
    os.truncate(path, path.stat().st_size - lost)
    nearest, fetched = reopen(path, source)
    assert fetched < COUNT
    assert len(nearest.rows) == COUNT
    assert is_right(nearest, source)
    nearest.close()


@pytest.mark.parametrize("damage", ["gone", "empty", "zeroed", "shifted"])
def test_without_its_second_file_the_answers_are_the_same(tmp_path: Path, damage: str) -> None:
    source, path = source_of(COUNT), tmp_path / "codes"
    built(path, source).close()
    second = second_path(path)
    data = second.read_bytes()
    record = len(data) // COUNT
    if damage == "gone":
        second.unlink()
    else:
        second.write_bytes({"empty": b"", "zeroed": bytes(len(data)), "shifted": data[record:]}[damage])
    nearest, _ = reopen(path, source)
    assert is_right(nearest, source)
    nearest.close()


def with_version(path: Path, version: bytes) -> None:
    """Make the header of a file be of another version, and sound."""
    data = path.read_bytes()
    texts, arrays = struct.unpack_from("<II", data, len(MAGIC))
    end = len(MAGIC) + 8 + texts + arrays
    body = data[:end].replace(b'"version": 3', b'"version": ' + version)
    path.write_bytes(body + hashlib.blake2b(body, digest_size=16).digest() + data[end + 16 :])


def test_a_file_of_another_space_size_or_version_is_built_anew(tmp_path: Path) -> None:
    source, path = source_of(COUNT), tmp_path / "codes"
    built(path, source).close()
    assert reopen(path, source, "model/2")[1] >= COUNT
    assert reopen(path, source_of(COUNT, dims=40), "model/2")[1] >= COUNT
    with_version(path, b"4")
    with pytest.raises(UnfitCodesError, match="version 4, not 3"):
        CodesFile.open(path, "model/2", 40)


def test_a_file_whose_rows_mean_something_else_now_is_built_anew(tmp_path: Path) -> None:
    path = tmp_path / "codes"
    built(path, source_of(COUNT, seed=1)).close()
    other = source_of(COUNT, seed=2)
    nearest, fetched = reopen(path, other)
    assert fetched >= COUNT
    assert is_right(nearest, other)
    nearest.close()


def test_a_frame_of_too_few_vectors_is_chosen_anew(tmp_path: Path) -> None:
    path, few, many = tmp_path / "codes", source_of(10), source_of(COUNT)
    built(path, few).close()
    nearest, fetched = reopen(path, many)
    assert fetched >= COUNT
    assert is_right(nearest, many)
    nearest.close()


def test_what_failed_to_be_written_is_written_over(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((4, 20)).astype(np.float32)
    frame = vector_codes.fit_frame([vectors], 20, rng)
    file = CodesFile.create(tmp_path / "codes", Purpose(SPACE, 20, 4), frame)
    codes = vector_codes.encode(frame, vectors)
    file.append(np.arange(4), np.arange(4.0), codes)
    with (tmp_path / "codes").open("ab") as end:
        end.write(b"half a record")
    file.append(np.arange(4, 8), np.arange(4.0), codes)
    file.close()
    again = CodesFile.open(tmp_path / "codes", SPACE, 20)
    assert [row for records in again.chunks() for row in records["row"].tolist()] == list(range(8))
    again.close()


def test_the_newest_records_come_from_memory_and_the_others_from_the_file(tmp_path: Path) -> None:
    descriptor = open_file(tmp_path / "records", create=True)
    file = RecordFile(descriptor, 0, [("row", "<i8")])
    count, room = 3 * CHUNK + 100, (2 * CHUNK + 50) * file.size
    records = file.empty(count)
    records["row"] = np.arange(count) * 3
    file.write(0, records)
    newest = NewestRecords(file)
    newest.read_back(count, room)
    assert newest.first == 2 * CHUNK
    late = 3 * CHUNK - 1
    os.pwrite(descriptor, bytes(file.size), 5 * file.size)
    os.pwrite(descriptor, bytes(file.size), late * file.size)
    slots = np.array([late, 5, 7, 3 * CHUNK, 2 * CHUNK, 2 * CHUNK - 1, count - 1])
    is_sound, picked = newest.pick(slots)
    assert is_sound.tolist() == [True, False, True, True, True, True, True]
    assert picked["row"][is_sound].tolist() == (slots[is_sound] * 3).tolist()
    more = file.empty(CHUNK)
    more["row"] = 7
    file.write(count, more)
    newest.add(count, more, room)
    assert newest.first == 3 * CHUNK
    is_sound, picked = newest.pick(np.array([count + CHUNK - 1, late, count, count - 1]))
    assert is_sound.tolist() == [True, False, True, True]
    assert picked["row"][is_sound].tolist() == [7, 7, (count - 1) * 3]
    file.close()


def test_records_written_over_and_unsound_ones_are_told_apart_in_memory_as_in_the_file(tmp_path: Path) -> None:
    descriptor = open_file(tmp_path / "records", create=True)
    file = RecordFile(descriptor, 0, [("row", "<i8")])
    first, second = file.empty(10), file.empty(4)
    first["row"], second["row"] = 1, 2
    file.write(0, first)
    os.pwrite(descriptor, bytes(file.size), 3 * file.size)
    newest = NewestRecords(file)
    newest.read_back(10, CHUNK * file.size)
    file.write(8, second)
    newest.add(8, second, CHUNK * file.size)
    is_sound, picked = newest.pick(np.arange(12))
    assert np.flatnonzero(~is_sound).tolist() == [3]
    assert picked["row"][is_sound].tolist() == [1] * 7 + [2] * 4
    file.close()


@pytest.mark.parametrize("spare_bytes", [-5, 0, CHUNK])
def test_where_no_chunk_fits_every_record_comes_from_the_file(tmp_path: Path, spare_bytes: int) -> None:
    file = RecordFile(open_file(tmp_path / "records", create=True), 0, [("row", "<i8")])
    records = file.empty(CHUNK + 5)
    records["row"] = np.arange(CHUNK + 5)
    file.write(0, records)
    newest = NewestRecords(file)
    newest.read_back(CHUNK - 3, spare_bytes)
    assert newest.first == CHUNK - 3
    newest.add(CHUNK - 3, records[CHUNK - 3 :], spare_bytes)
    assert newest.first == CHUNK + 5
    slots = np.array([0, CHUNK - 1, CHUNK, CHUNK + 4])
    is_sound, picked = newest.pick(slots)
    assert is_sound.all()
    assert picked["row"].tolist() == slots.tolist()
    file.close()


def test_fine_codes_of_another_life_are_not_believed(tmp_path: Path) -> None:
    source = source_of(COUNT)
    for name in ("one", "other"):
        built(tmp_path / name, source).close()
    second_path(tmp_path / "one").write_bytes(second_path(tmp_path / "other").read_bytes())
    nearest, _ = reopen(tmp_path / "one", source)
    assert is_right(nearest, source)
    nearest.close()


def test_whole_records_of_a_write_that_failed_never_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, path = source_of(COUNT), tmp_path / "codes"
    nearest = built(path, source)
    rng = np.random.default_rng(3)
    rows, vectors = np.arange(COUNT, COUNT + 10), rng.standard_normal((10, DIMS)).astype(np.float32)
    whole = codes_records.write
    written: list[int] = []

    def full_disk(descriptor: int, data: bytes, offset: int) -> None:
        written.append(len(data))
        whole(descriptor, data if len(written) == 1 else data[: len(data) * 9 // 10], offset)
        if len(written) > 1:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(codes_records, "write", full_disk)
        with pytest.raises(OSError, match="No space"):
            nearest.append(rows, vectors, np.full(10, START_S))
    nearest.append(rows[5:6], vectors[:1], np.full(1, START_S))
    nearest.close()
    source.put(rows[5:6], vectors[:1], np.full(1, START_S))
    nearest, _ = reopen(path, source)
    assert sorted(nearest.rows.tolist()) == source.rows().tolist()
    assert is_right(nearest, source)
    nearest.close()


def test_the_widest_vectors_that_the_settings_allow_have_a_header_that_can_be_read(tmp_path: Path) -> None:
    frame = Frame(np.zeros((4096, 4096), np.float32), 96, 0.1)
    CodesFile.create(tmp_path / "codes", Purpose(SPACE, 4096, 0), frame).close()
    CodesFile.open(tmp_path / "codes", SPACE, 4096).close()


def test_a_corpus_of_few_directions_is_known_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    few = rng.standard_normal((COUNT, 40)) @ rng.standard_normal((40, DIMS))
    source = Vectors(DIMS)
    source.put(np.arange(COUNT), few.astype(np.float32), START_S + rng.random(COUNT) * 1e7)
    nearest = built(tmp_path / "codes", source)
    for row in range(COUNT, COUNT + 20):
        vector = (rng.standard_normal((1, 40)) @ rng.standard_normal((40, DIMS))).astype(np.float32)
        source.put(np.array([row]), vector, np.array([START_S]))
        nearest.append(np.array([row]), vector, np.array([START_S]))
    nearest.close()
    nearest, fetched = reopen(tmp_path / "codes", source)
    assert fetched < COUNT
    nearest.close()


def test_a_number_that_was_given_back_is_never_given_back_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close, closed = os.close, list[int]()

    def close_late(fd: int) -> None:
        close(fd)
        closed.append(fd)
        raise OSError(errno.EIO, "Input/output error")

    descriptor = os.open(tmp_path / "codes", os.O_RDWR | os.O_CREAT)
    records = RecordFile(descriptor, 0, [("number", "<u4")])
    with monkeypatch.context() as patched:
        patched.setattr(os, "close", close_late)
        records.close()
        records.close()

    assert closed == [descriptor]
