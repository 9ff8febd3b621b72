"""Journal of a window: the log first, then the conversation."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from actors.context.log.descriptor import OpenLogs
from actors.context.log.file import WindowLog, is_ended
from actors.context.log.journal import Journal, LogUnwritable
from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from messages.base import EventId, Surface, Window
from tests.recording_disk import RecordingDisk

AT = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="123456789012345678")


def made(name: str, kind: Kind, **meta: MetaValue) -> Event:
    return event(EventId(name), AT, kind, "words", meta)


def begun(root: Path, disk: RecordingDisk | None = None) -> Journal:
    journal = Journal(root, WINDOW, 1000, disk)
    journal.open()
    journal.start(AT, "1")
    return journal


def test_an_event_whose_sync_fails_is_no_part_of_the_conversation(tmp_path: Path) -> None:
    disk = RecordingDisk()
    journal = begun(tmp_path, disk)

    def fail(call: str, _data: bytes) -> None:
        if call == "sync":
            raise OSError(errno.EIO, "bad disk")

    disk.before = fail
    with pytest.raises(LogUnwritable):
        journal.write(made("q", Kind.USER, message_id="7"), sync=True)
    assert journal.conversation.open_turns() == []


def test_the_questions_of_a_log_that_is_opened_are_those_without_an_answer(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    journal.write(made("q1", Kind.USER, message_id="7"), sync=False)
    journal.write(made("a1", Kind.AGENT, turn="q1", final=True), sync=False)
    journal.write(made("q2", Kind.USER, message_id="8"), sync=True)
    again = Journal(tmp_path, WINDOW, 1000)
    again.open()
    assert [question.event.id for question in again.open_questions()] == ["q2"]


def test_a_log_ends_when_the_next_one_begins(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    first = tmp_path / journal.path
    assert not is_ended(first)
    journal.start(AT, "1")
    assert is_ended(first)
    assert not is_ended(tmp_path / journal.path)


class Looks:
    """How often somebody looks at a log by its name."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        lstat = Path.lstat

        def counted(path: Path) -> os.stat_result:
            self.count += path.suffix == ".md"
            return lstat(path)

        patch.setattr(Path, "lstat", counted)


@pytest.mark.req("X-171")
def test_a_turn_looks_once_whether_somebody_changed_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = begun(tmp_path)
    with monkeypatch.context() as patch:
        looks = Looks(patch)
        for turn in range(3):
            at = 100.0 * turn
            journal.write(made(f"q{turn}", Kind.USER, message_id=str(turn + 1)), sync=True, now=at)
            journal.write(made(f"a{turn}", Kind.AGENT, turn=f"q{turn}", final=True), sync=True, now=at + 0.9)
            journal.write(made(f"d{turn}", Kind.DELIVERY, event=f"a{turn}", open=0), sync=False, now=at + 50)
    journal.close()

    assert looks.count == 3


@pytest.mark.req("X-171")
def test_a_log_that_was_changed_in_a_long_turn_is_noticed_before_anybody_acts_on_it(tmp_path: Path) -> None:
    journal = begun(tmp_path)
    place = tmp_path / journal.path
    journal.write(made("q", Kind.USER, message_id="1"), sync=True, now=0.0)
    place.rename(place.with_suffix(".kept"))
    place.write_bytes(place.with_suffix(".kept").read_bytes())
    journal.write(made("a", Kind.AGENT, turn="q", final=False), sync=False, now=5.0)

    with pytest.raises(LogUnwritable, match="replaced"):
        journal.write(made("c", Kind.TOOL_CALL, turn="q", call_id="1", tool="bash"), sync=True, now=5.0)


def test_a_clock_that_goes_back_and_a_log_that_is_opened_mean_a_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = begun(tmp_path)
    journal.write(made("q", Kind.USER, message_id="1"), sync=True, now=9.0)
    with monkeypatch.context() as patch:
        looks = Looks(patch)
        journal.write(made("r", Kind.USER, message_id="2"), sync=True, now=8.0)
        journal.close()
        journal.open()
        journal.write(made("s", Kind.USER, message_id="3"), sync=True, now=8.0)
        counts = looks.count
    journal.close()

    assert counts == 3  # the opening looks at it itself


def test_a_window_opens_its_log_where_others_can_let_go_of_theirs(tmp_path: Path) -> None:
    class Full(RecordingDisk):
        fails = False

        def open(self, path: Path, flags: int, mode: int = 0o600, /) -> int:
            if self.fails:
                self.fails = False
                raise OSError(errno.EMFILE, "Too many open files")
            return super().open(path, flags, mode)

    disk = Full()
    journal = begun(tmp_path, disk)
    journal.open_logs = OpenLogs(8)
    journal.close()
    disk.fails = True
    with pytest.raises(LogUnwritable, match="Too many open files"):
        journal.open()
    other = WindowLog.create(tmp_path, msgspec.structs.replace(WINDOW, id="123456789012345679"), AT, "1")
    other.share(journal.open_logs)
    disk.fails = True
    journal.open()
    disk.fails = True
    journal.start(AT, "1")
    journal.close()
    other.close()

    assert not disk.fails
