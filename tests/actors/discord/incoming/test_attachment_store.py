"""Where files that people attach are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.discord.incoming.attachment_store import keep, kept_path

GIVEN = {"a.txt": b"12345", "b.bin": b"\x00"}


def kept(workdir: Path) -> list[str]:
    return sorted(path.name for path in (workdir / "attachments").iterdir())


def test_files_are_kept_for_reading_only(tmp_path: Path) -> None:
    workdir = tmp_path / "surface" / "1"
    keep(workdir, "7", GIVEN)
    assert {name: (workdir / kept_path("7", name)).read_bytes() for name in GIVEN} == GIVEN
    assert {(workdir / kept_path("7", name)).stat().st_mode & 0o777 for name in GIVEN} == {0o444}
    assert workdir.stat().st_mode & 0o777 == 0o700


def test_what_is_kept_again_is_replaced_even_when_cut_short_before(tmp_path: Path) -> None:
    keep(tmp_path / "w", "7", GIVEN)
    (tmp_path / "w" / "attachments" / "7" / ".part").write_bytes(b"half")
    keep(tmp_path / "w", "7", GIVEN | {"a.txt": b"new"})
    assert (tmp_path / "w" / kept_path("7", "a.txt")).read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path / "w" / "attachments" / "7")) == ["a.txt", "b.bin"]  # noqa: PTH208


def test_the_oldest_make_room_for_the_newest(tmp_path: Path) -> None:
    for message_id in ("9", "10", "11", "12"):
        keep(tmp_path / "w", message_id, {"x": b"12345678"}, most_bytes=24)
    assert kept(tmp_path / "w") == ["10", "11", "12"]


def test_what_commands_put_there_is_left_alone(tmp_path: Path) -> None:
    keep(tmp_path / "w", "9", {"x": b"12345678"})
    shelf = tmp_path / "w" / "attachments"
    (shelf / "notes").mkdir()
    (shelf / "10").symlink_to(tmp_path)
    keep(tmp_path / "w", "11", {"x": b"12345678"}, most_bytes=8)
    assert kept(tmp_path / "w") == ["10", "11", "notes"]
    assert (tmp_path / "w").is_dir()


def test_a_full_disk_keeps_nothing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="the disk has less than"):
        keep(tmp_path / "w", "7", GIVEN, least_free_bytes=1 << 62)
    assert kept(tmp_path / "w") == []


@pytest.mark.parametrize("trap", ["attachments", "attachments/7", "attachments/7/.part", "attachments/7/a.txt"])
def test_no_link_is_followed(tmp_path: Path, trap: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_bytes(b"precious")
    place = tmp_path / "w" / trap
    place.parent.mkdir(parents=True)
    place.symlink_to(outside / "a.txt" if trap.endswith((".part", ".txt")) else outside)
    if trap.endswith((".part", ".txt")):
        keep(tmp_path / "w", "7", GIVEN)
        assert (tmp_path / "w" / kept_path("7", "a.txt")).read_bytes() == b"12345"
    else:
        with pytest.raises(OSError, match=r"."):
            keep(tmp_path / "w", "7", GIVEN)
    assert (outside / "a.txt").read_bytes() == b"precious"
    assert len(list(outside.iterdir())) == 1
