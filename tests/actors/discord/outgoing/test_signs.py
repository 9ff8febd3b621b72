"""The file of signs is read again, and content of other programs does no harm."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from actors.discord.outgoing.signs import FILE_NAME, MOST_BYTES, SignFile, load_signs
from actors.linux.disk import RealDisk

PLACES = (("1", "10"), ("2", "20"))


def keep_all(root: Path, *all_places: tuple[tuple[str, str], ...]) -> None:
    async def main() -> None:
        file = SignFile(root)
        await asyncio.gather(*(file.keep(places) for places in all_places))

    asyncio.run(main())


def test_the_newest_places_are_read_again(tmp_path: Path) -> None:
    assert load_signs(tmp_path) == ()
    keep_all(tmp_path, PLACES[:1], PLACES, PLACES)
    assert load_signs(tmp_path) == PLACES
    keep_all(tmp_path, PLACES, ())
    assert load_signs(tmp_path) == ()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_lines_that_say_nothing_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"1 10\nx 5\n\xff\xfe\n3\n 4 40\n2 20\n5 5" + b"0" * 30 + b"\n")
    assert load_signs(tmp_path) == PLACES


def test_a_huge_file_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"1 10\n" * MOST_BYTES)
    assert load_signs(tmp_path) == ()


def test_a_file_that_cannot_be_read_counts_as_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / FILE_NAME).mkdir()
    assert load_signs(tmp_path) == ()
    assert "signs is not read" in caplog.text


def test_nobody_waits_at_a_pipe_in_its_place(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(tmp_path / FILE_NAME)

    assert load_signs(tmp_path) == ()
    assert "signs is not read" in caplog.text


def test_a_draft_that_a_kill_left_and_a_link_in_its_place_are_replaced(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / f".{FILE_NAME}.new").symlink_to(elsewhere)
    keep_all(tmp_path, PLACES)
    assert load_signs(tmp_path) == PLACES
    assert elsewhere.read_text() == "mine"


def test_what_was_written_although_it_was_given_up_is_written_over(tmp_path: Path) -> None:
    class LateDisk(RealDisk):
        is_late = False

        def replace(self, path: Path, other: Path, /) -> None:
            super().replace(path, other)
            if self.is_late:
                raise OSError("it took too long")

    async def main() -> None:
        disk = LateDisk()
        file = SignFile(tmp_path, disk)
        await file.keep(PLACES)
        disk.is_late = True
        await file.keep(())
        disk.is_late = False
        await file.keep(PLACES)

    asyncio.run(main())

    assert load_signs(tmp_path) == PLACES
