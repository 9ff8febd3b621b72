"""Line offsets agree with a reader of the whole file, at a bounded cost."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.memory.recall.expansion import Expansions
from actors.memory.recall.line_offsets import EVERY, SLICE_BYTES, LineOffsets
from domain.memory.expansion import around
from tests.domain.memory.test_expansion import log_with


class CountingFile(FileIO):
    """A file that knows how much was read of it."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size) or b""
        self.count += len(piece)
        return piece


def find(offsets: LineOffsets, path: Path, line: int) -> int:
    with CountingFile(path) as file:
        while (found := offsets.find(file, path, line)) is None:
            pass
        return found


@given(st.lists(st.sampled_from([b"", b"a", b"bb" * 40, b"c" * 700]), max_size=60), st.data())
def test_a_line_begins_where_a_reader_of_the_whole_file_says(lines: list[bytes], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("actors.memory.recall.line_offsets.EVERY", data.draw(st.integers(1, 7)))
        patch.setattr("actors.memory.recall.line_offsets._PIECE_BYTES", data.draw(st.integers(1, 300)))
        patch.setattr("actors.memory.recall.line_offsets.SLICE_BYTES", data.draw(st.integers(1, 300)))
        path, offsets = Path(folder) / "log", LineOffsets()
        half = lines[: len(lines) // 2]
        for part in (half, lines):  # logs grow
            path.write_bytes(b"\n".join(part) + b"\n")
            for line in data.draw(st.lists(st.integers(1, len(part) + 1), max_size=6)):
                assert find(offsets, path, line) == sum(len(each) + 1 for each in part[: line - 1])
        with pytest.raises(ValueError, match="the log has"):
            find(offsets, path, len(lines) + 3)


def test_a_log_is_read_a_slice_at_a_time_and_only_once(tmp_path: Path) -> None:
    path, offsets = tmp_path / "log", LineOffsets()
    path.write_bytes((b"x" * 99 + b"\n") * 200_000)
    last = 199_999
    slices = []
    done = None
    while done is None:
        with CountingFile(path) as file:
            done = offsets.find(file, path, last)
            slices.append(file.count)

    with CountingFile(path) as file:
        assert offsets.find(file, path, last - EVERY // 2) == (last - EVERY // 2 - 1) * 100
        assert file.count <= 1024 * 1024

    assert done == (last - 1) * 100
    assert len(slices) == 3
    assert max(slices) <= SLICE_BYTES + 1024 * 1024


def test_a_log_that_was_replaced_or_cut_is_looked_through_anew(tmp_path: Path) -> None:
    path, offsets = tmp_path / "log", LineOffsets(every=1)
    path.write_bytes(b"aa\nbb\ncc\n")
    assert find(offsets, path, 3) == 6

    (tmp_path / "new").write_bytes(b"aaaa\nbbbb\ncccc\n")
    os.replace(tmp_path / "new", path)  # noqa: PTH105
    assert find(offsets, path, 3) == 10

    path.write_bytes(b"a\nb\nc")
    assert find(offsets, path, 3) == 4


@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=6), st.data())
def test_what_is_shown_is_what_the_whole_log_would_give(lengths: list[int], data: st.DataObject) -> None:
    letter = data.draw(st.sampled_from(["x", "é", "😀", "x\n"]))
    log, events = log_with(*(letter * length for length in lengths))
    event = data.draw(st.sampled_from(events))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(log)

        assert Expansions(Path(folder)).lines_around(path, event.line) == around(log, event.line)
