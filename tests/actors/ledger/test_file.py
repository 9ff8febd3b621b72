"""Files of the ledger: what a kill, a power loss or a full disk leaves, and what is read of it."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from actors.bootstrap import agent_plan
from actors.kernel import ActorSystem, ManualClock
from actors.ledger.file import FOLDER, Damage, LedgerFiles, entries, spent_on
from actors.linux.disk import RealDisk
from actors.settings.load import load
from messages.model import CallKind, CallSpent
from tests.actors.ledger.calls import NOON, FullDisk, close_late, enter, usage_of
from tests.recording_disk import RecordingDisk


def test_lines_come_back_and_each_month_has_its_file(tmp_path: Path) -> None:
    lines = [usage_of("a"), usage_of("b"), usage_of("c", datetime(2026, 4, 1, tzinfo=UTC))]
    enter(tmp_path / "usage", *lines)

    assert sorted(path.name for path in (tmp_path / "usage").iterdir()) == ["2026-03.jsonl", "2026-04.jsonl"]
    assert list(entries(tmp_path / "usage")) == lines
    assert list(entries(tmp_path / "usage", since=datetime(2026, 4, 1, tzinfo=UTC))) == lines[2:]
    assert list(entries(tmp_path / "usage", until=datetime(2026, 4, 1, tzinfo=UTC))) == lines[:2]


def test_a_sync_makes_entries_safe_and_the_next_month_those_before(tmp_path: Path) -> None:
    disk = RecordingDisk()
    files = LedgerFiles(tmp_path / "usage", disk)
    files.append(usage_of("a"))
    files.append(usage_of("b", datetime(2026, 4, 1, tzinfo=UTC)))
    assert disk.at_risk(tmp_path) == {"usage/2026-04.jsonl"}
    files.sync()
    assert disk.at_risk(tmp_path) == set()


@pytest.mark.parametrize("takes", [True, False])
def test_lines_that_a_failed_sync_may_have_taken_are_written_again(tmp_path: Path, *, takes: bool) -> None:
    path = tmp_path / "usage" / "2026-03.jsonl"
    size = 0

    def fail(call: str, _data: bytes) -> None:
        if call == "sync":
            if takes:  # as network file systems do
                os.truncate(path, size)
            raise OSError(errno.EIO, "Input/output error")

    disk = RecordingDisk()
    files = LedgerFiles(tmp_path / "usage", disk)
    files.append(usage_of("a"))
    files.sync()
    size = path.stat().st_size
    files.append(usage_of("b"))
    disk.before = fail
    for _ in range(2):
        with pytest.raises(OSError, match="Input/output error"):
            files.sync()
    files.append(usage_of("c"))
    disk.before = lambda _call, _data: None
    inode = path.stat().st_ino
    files.sync()

    assert sorted(spent.call_id for spent in entries(tmp_path / "usage")) == ["a", "b", "c"]
    assert path.stat().st_ino != inode, "the pages of the old file may never reach the disk"
    assert disk.at_risk(tmp_path) == set()
    files.append(usage_of("d"))
    files.sync()
    assert len(list(entries(tmp_path / "usage"))) == 4


def test_a_file_system_that_fails_a_close_costs_no_later_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Full()
    files = LedgerFiles(tmp_path / "usage", disk)
    files.append(usage_of("a"))
    disk.is_full = True
    with monkeypatch.context() as patched:
        patched.setattr(os, "close", close_late)
        with pytest.raises(OSError, match="No space left"):
            files.append(usage_of("b"))
    disk.is_full = False
    with (tmp_path / "another").open("w") as another:  # which has the number now
        files.append(usage_of("c"))
        assert another.tell() == 0

    assert list(entries(tmp_path / "usage")) == [usage_of("a"), usage_of("c")]
    assert (tmp_path / "another").read_bytes() == b""


class Full(RealDisk):
    """Disk that can be full."""

    is_full = False

    def write(self, fd: int, data: bytes, /) -> int:
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(fd, data)


def test_no_folder_is_no_entries(tmp_path: Path) -> None:
    assert list(entries(tmp_path / "usage")) == []


@pytest.mark.parametrize("kept", [1, 40, 80_000])
def test_a_line_that_was_cut_off_is_taken_away_before_the_next(tmp_path: Path, kept: int) -> None:
    enter(tmp_path, usage_of("a"))
    file = tmp_path / "2026-03.jsonl"
    with file.open("ab") as opened:
        opened.write(b"x" * kept)

    damage = Damage()
    assert [line.call_id for line in entries(tmp_path, damage=damage)] == ["a"]
    assert damage.lines == 0, "it may be one that is being written"
    enter(tmp_path, usage_of("b"))
    assert [line.call_id for line in entries(tmp_path, damage=damage)] == ["a", "b"]
    assert damage.lines == 0


def test_a_line_that_is_no_entry_is_counted_and_passed_over(tmp_path: Path) -> None:
    enter(tmp_path, usage_of("a"))
    file = tmp_path / "2026-03.jsonl"
    file.write_bytes(b'{"type": "Other"}\n\xff\n' + file.read_bytes())

    damage = Damage()
    assert [line.call_id for line in entries(tmp_path, damage=damage)] == ["a"]
    assert (damage.lines, damage.files) == (2, ["2026-03.jsonl"])


@pytest.mark.parametrize(
    ("was", "is_now"),
    [
        (b'"at":"2026-03-31T12:00:00Z"', b'"at":"2026-03-31T12:00:00"'),
        (b'"at":"2026-03-31T12:00:00Z"', b'"at":"9999-12-31T23:59:59-14:00"'),
        (b'"at":"2026-03-31T12:00:00Z"', b'"at":"2026-04-01T12:00:00Z"'),
        (b'"at":"2026-03-31T12:00:00Z"', b'"at":"2025-03-31T12:00:00Z"'),
        (b'"prompt_tokens":5', b'"prompt_tokens":-5'),
        (b'"prompt_tokens":5', b'"prompt_tokens":1' + b"0" * 400),
        (b'"cached_tokens":0', b'"cached_tokens":-1'),
        (b'"completion_tokens":0', b'"completion_tokens":-1'),
        (b'"cost_usd":0.0', b'"cost_usd":-0.5'),
        (b'"cost_usd":0.0', b'"cost_usd":1e300'),
    ],
)
def test_what_no_call_takes_and_no_time_of_that_month_is_no_entry(tmp_path: Path, was: bytes, is_now: bytes) -> None:
    enter(tmp_path, usage_of("a"), usage_of("b"))
    file = tmp_path / "2026-03.jsonl"
    edited = file.read_bytes().replace(was, is_now, 1)
    assert is_now in edited
    file.write_bytes(edited)

    damage = Damage()
    assert [line.call_id for line in entries(tmp_path, NOON, damage=damage)] == ["b"]
    assert damage.lines == 1


def test_a_time_of_another_zone_counts_where_it_was_in_utc(tmp_path: Path) -> None:
    enter(tmp_path, usage_of("a"))
    file = tmp_path / "2026-03.jsonl"
    file.write_bytes(file.read_bytes().replace(b"2026-03-31T12:00:00Z", b"2026-04-01T01:00:00+02:00"))

    assert [line.at for line in entries(tmp_path)] == [datetime(2026, 3, 31, 23, tzinfo=UTC)]


def test_a_file_that_somebody_has_taken_away_is_begun_anew(tmp_path: Path) -> None:
    files = LedgerFiles(tmp_path)
    files.append(usage_of("a"))
    (tmp_path / "2026-03.jsonl").unlink()
    files.append(usage_of("b"))
    files.append(usage_of("c"))

    assert [line.call_id for line in entries(tmp_path)] == ["b", "c"]


def test_a_disk_that_is_full_within_a_line_keeps_none_of_it(tmp_path: Path) -> None:
    enter(tmp_path, usage_of("a"))
    before = (tmp_path / "2026-03.jsonl").read_bytes()
    disk = FullDisk(10)
    files = LedgerFiles(tmp_path, disk)

    with pytest.raises(OSError, match="full"):
        files.append(usage_of("b"))
    assert (tmp_path / "2026-03.jsonl").read_bytes() == before

    disk.room = 10_000
    files.append(usage_of("b"))
    assert [line.call_id for line in entries(tmp_path)] == ["a", "b"]


def test_a_day_has_cost_what_its_calls_of_models_have(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    midnight = datetime(2026, 3, 31, tzinfo=UTC)
    costs = [(midnight, 0.25, CallKind.MODEL), (NOON, 0.5, CallKind.MODEL), (NOON, 4.0, CallKind.EMBEDDING)]
    costs.append((midnight - timedelta(seconds=1), 8.0, CallKind.MODEL))
    enter(tmp_path, *(structs.replace(usage_of(at=at), cost_usd=usd, kind=kind) for at, usd, kind in costs))

    assert spent_on(tmp_path, NOON) == 0.75
    assert spent_on(tmp_path, NOON + timedelta(days=1)) == 0.0
    (tmp_path / "2026-04.jsonl").mkdir()
    assert spent_on(tmp_path, datetime(2026, 4, 2, tzinfo=UTC)) == 0.0
    assert "the ledger of this day cannot be read, so a new one begins" in caplog.text


def test_a_start_counts_what_the_day_has_cost_before(tmp_path: Path) -> None:
    settings = load(environ={}, folder=tmp_path, overrides={"data_root": str(tmp_path / "data")})
    plan = agent_plan(settings, {}, ActorSystem(workers=0, clock=ManualClock(NOON)), None)
    enter(tmp_path / "data" / FOLDER, structs.replace(usage_of(), cost_usd=0.5))

    assert plan.spent_today is not None
    assert plan.spent_today() == 0.5


@pytest.mark.req("X-250")
def test_a_line_has_no_field_for_words_that_were_said() -> None:
    """Forgetting passes the ledger over; a new field of text has to be looked at first."""
    texts = {each.name for each in structs.fields(CallSpent) if each.type is str}

    assert texts == {"owner", "run_id", "purpose", "call_id", "model"}, "keys, ids and names"
