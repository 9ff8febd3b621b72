"""Bookkeeping: small files, each whole or as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from actors.linux.disk import RealDisk
from actors.workspace.bookkeeping import Bookkeeping, file_name


def test_what_was_kept_is_read_and_what_is_damaged_counts_as_nothing(tmp_path: Path) -> None:
    books = Bookkeeping(tmp_path / "a" / "b")
    assert books.read("x") is None
    assert books.put_document("x", {"text": "\ud800 ä"}, is_durable=True)
    assert books.document("x") == {"text": "\ud800 ä"}
    for text in (b"", b"5", b"[]", b"{", b"\xff", b"[" * 100_000):
        (tmp_path / "a/b/x").write_bytes(text)
        assert books.document("x") == {}
    assert (tmp_path / "a/b").stat().st_mode & 0o777 == 0o700


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    books = Bookkeeping(tmp_path)
    for number in range(6):
        books.put(f"handover-{number}.json", b"{}", is_durable=True)
        os.utime(tmp_path / f"handover-{number}.json", (number, number))
    books.put("other.json", b"{}", is_durable=True)
    books.prune("handover-")
    assert books.names("handover-") == ("handover-3.json", "handover-4.json", "handover-5.json")
    assert books.read("other.json") == b"{}"


def test_something_strange_among_the_old_ones_keeps_none_of_the_others(tmp_path: Path) -> None:
    books = Bookkeeping(tmp_path)
    (tmp_path / "handover-strange").mkdir()
    os.utime(tmp_path / "handover-strange", (0, 0))
    for number in range(6):
        books.put(f"handover-{number}.json", b"{}", is_durable=True)
        os.utime(tmp_path / f"handover-{number}.json", (number + 1, number + 1))
    books.prune("handover-")
    assert [name for name in books.names("handover-") if name != "handover-strange"] == [
        "handover-3.json",
        "handover-4.json",
        "handover-5.json",
    ]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    class Full(RealDisk):
        def replace(self, source: Path, target: Path) -> None:
            raise OSError(28, "No space left on device")

    assert Bookkeeping(tmp_path).put("x", b"old", is_durable=True)
    assert not Bookkeeping(tmp_path, Full()).put("x", b"new", is_durable=True)
    assert (tmp_path / "x").read_bytes() == b"old"


def test_names_are_names_of_files(subtests: pytest.Subtests) -> None:
    for about in ["logs/discord/1/a.md", "../../etc/passwd", "a\0b", "x" * 10_000, "", "ä\n"]:
        with subtests.test(about=about):
            name = file_name("handover", about, ".json")
            assert name.startswith("handover-")
            assert name.isascii()
            assert not set("/\0\n") & set(name)
            assert len(name) < 200


@pytest.mark.req("X-249")
def test_drafts_that_a_kill_left_go_once_all_files_of_a_kind_go(tmp_path: Path) -> None:
    books = Bookkeeping(tmp_path)
    books.put("state.json", b"{}", is_durable=True)
    (tmp_path / ".handover-7.json.new").write_bytes(b"secret")
    books.prune("handover-")
    assert (tmp_path / ".handover-7.json.new").exists()
    books.prune("handover-", 0)
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_a_draft_that_cannot_be_removed_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / ".x.new").mkdir()
    books = Bookkeeping(tmp_path)
    books.put("x", b"{}", is_durable=True)
    books.prune("x", 0)
    assert books.read("x") is None
