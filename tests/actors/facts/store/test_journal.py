from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.facts.store.journal import FILE, Change, Journal, Owed
from actors.linux.disk import RealDisk

AT = datetime(2026, 11, 26, tzinfo=UTC)


def owed(turn: str) -> Owed:
    return Owed(turn, "c", "I like tea", AT, "m")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path)
    journal.open()
    return journal


def again(journal: Journal, root: Path) -> Journal:
    journal.close()
    later = Journal(root)
    later.open()
    return later


def test_each_step_is_known_after_a_crash(journal: Journal, tmp_path: Path) -> None:
    journal.begin(owed("a"))
    journal.end(journal.owed["a"], is_new=False, answer_text="I see", model="m2", at=AT)
    journal.extracted("a", ("fact",))
    journal.decided("a", (Change(old_id="o", new_id="n", text="t"),), AT)
    (found,) = again(journal, tmp_path).owed.values()

    assert (found.turn, found.conversation, found.user_text, found.at) == ("a", "c", "I like tea", AT)
    assert (found.answer_text, found.answered_at, found.model) == ("I see", AT, "m2")
    assert (found.facts, found.changes, found.decided_at) == (
        ("fact",),
        (Change(old_id="o", new_id="n", text="t"),),
        AT,
    )


def test_what_is_done_is_known_no_more_and_leaves_no_line(journal: Journal, tmp_path: Path) -> None:
    journal.end(owed("a"), is_new=True, answer_text="", model="", at=AT)
    journal.done("a")
    assert journal.owed == {}
    journal.cross_out()
    later = again(journal, tmp_path)

    assert later.owed == {}
    assert (tmp_path / FILE).read_bytes() == b""


@pytest.mark.parametrize(
    "harm",
    [b'{"type":"begun","tu', b"\xff\xfe\n", b'{"type":"other"}\n', b"[]\n", b'{"type":"done","turn":"unknown"}\n'],
)
def test_a_line_that_is_none_costs_no_other(journal: Journal, tmp_path: Path, harm: bytes) -> None:
    journal.begin(owed("a"))
    with (tmp_path / FILE).open("ab") as stream:
        stream.write(harm)
    later = again(journal, tmp_path)

    assert list(later.owed) == ["a"]
    later.begin(owed("b"))
    assert list(again(later, tmp_path).owed) == ["a", "b"]


def test_lines_of_a_turn_that_nobody_knows_are_passed_over(journal: Journal) -> None:
    journal.extracted("unknown", ("fact",))

    assert journal.owed == {}


def test_what_is_done_and_not_crossed_out_is_known_after_a_crash(journal: Journal, tmp_path: Path) -> None:
    journal.end(owed("a"), is_new=True, answer_text="", model="", at=AT)
    journal.done("a")

    assert list(again(journal, tmp_path).owed) == ["a"]


class FullDisk(RealDisk):
    """A disk that takes so many writes, and of the next one half."""

    def __init__(self) -> None:
        self.takes = 1_000

    def write(self, fd: int, data: bytes, /) -> int:
        if self.takes > 0:
            self.takes -= 1
            return super().write(fd, data)
        if self.takes < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.takes -= 1
        return super().write(fd, data[: len(data) // 2])


def test_a_journal_that_is_gone_and_could_not_be_written_anew_is_so_with_the_next_line(tmp_path: Path) -> None:
    disk = FullDisk()
    journal = Journal(tmp_path, disk)
    journal.open()
    journal.begin(owed("a"))
    (tmp_path / FILE).unlink()
    disk.takes = 0
    with pytest.raises(OSError, match="No space"):
        journal.begin(owed("b"))
    disk.takes = 1_000
    journal.begin(owed("c"))

    assert list(again(journal, tmp_path).owed) == ["a", "c"]


def test_half_a_line_that_could_not_be_taken_back_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = FullDisk()
    journal = Journal(tmp_path, disk)
    journal.open()
    journal.begin(owed("a"))
    disk.takes = 0
    with monkeypatch.context() as patched:
        patched.setattr(os, "ftruncate", _refuse)
        with pytest.raises(OSError, match="No space"):
            journal.begin(owed("b"))
    disk.takes = 1_000
    journal.begin(owed("c"))

    assert list(again(journal, tmp_path).owed) == ["a", "c"]


def test_a_file_system_that_fails_a_close_does_not_keep_a_journal_from_being_written_anew(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = os.close

    def close_late(fd: int) -> None:
        is_journals = Path(f"/proc/self/fd/{fd}").readlink().name == FILE
        close(fd)
        if is_journals:
            raise OSError(errno.EIO, "Input/output error")

    journal.begin(owed("a"))
    monkeypatch.setattr(os, "close", close_late)
    journal.shorten()
    journal.begin(owed("b"))

    assert list(again(journal, tmp_path).owed) == ["a", "b"]


def _refuse(_fd: int, _size: int) -> None:
    raise OSError(errno.EIO, "Input/output error")
