"""The file of signs: what is written is read again, and what somebody else wrote there does no harm."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from actors.discord.outgoing import signs
from actors.discord.outgoing.signs import FILE_NAME, MOST_BYTES, SignFile, load_signs
from actors.linux.disk import put_whole

PLACES = (("1", "10"), ("2", "20"))


def kept(root: Path, *all_places: tuple[tuple[str, str], ...]) -> None:
    async def main() -> None:
        file = SignFile(root)
        await asyncio.gather(*(file.keep(places) for places in all_places))

    asyncio.run(main())


def test_the_newest_places_are_read_again(tmp_path: Path) -> None:
    assert load_signs(tmp_path) == ()
    kept(tmp_path, PLACES[:1], PLACES, PLACES)
    assert load_signs(tmp_path) == PLACES
    kept(tmp_path, PLACES, ())
    assert load_signs(tmp_path) == ()
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_lines_that_say_nothing_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"1 10\nx 5\n\xff\xfe\n3\n 4 40\n2 20\n5 5" + b"0" * 30 + b"\n")
    assert load_signs(tmp_path) == PLACES


def test_of_a_huge_file_the_beginning_is_read(tmp_path: Path) -> None:
    line = b"1 10\n"
    (tmp_path / FILE_NAME).write_bytes(line * MOST_BYTES)
    assert len(load_signs(tmp_path)) <= MOST_BYTES // len(line) + 1


def test_a_file_that_cannot_be_read_counts_as_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / FILE_NAME).mkdir()
    assert load_signs(tmp_path) == ()
    assert "signs cannot be read" in caplog.text


def test_nobody_waits_at_a_pipe_in_its_place(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(tmp_path / FILE_NAME)

    assert load_signs(tmp_path) == ()
    assert "signs cannot be read" in caplog.text


def test_a_draft_that_a_kill_left_and_a_link_in_its_place_are_replaced(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / f".{FILE_NAME}.new").symlink_to(elsewhere)
    kept(tmp_path, PLACES)
    assert load_signs(tmp_path) == PLACES
    assert elsewhere.read_text() == "mine"


def test_what_was_written_although_it_was_given_up_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_and_fail(*args: Any, **settings: Any) -> None:
        put_whole(*args, **settings)
        raise OSError("it took too long")

    async def main() -> None:
        file = SignFile(tmp_path)
        await file.keep(PLACES)
        monkeypatch.setattr(signs, "put_whole", write_and_fail)
        await file.keep(())
        monkeypatch.undo()
        await file.keep(PLACES)

    asyncio.run(main())

    assert load_signs(tmp_path) == PLACES
