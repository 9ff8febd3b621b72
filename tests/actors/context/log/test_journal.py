"""Journal of a window: the log first, then the conversation."""

from __future__ import annotations

import errno
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from actors.context.log.descriptor import OpenLogs
from actors.context.log.file import WindowLog, is_ended
from actors.context.log.journal import Journal, LogUnwritable
from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from messages.base import EventId, Surface, TurnId, Window
from tests.recording_disk import RecordingDisk

AT = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="123456789012345678")


def event_of(name: str, kind: Kind, **meta: MetaValue) -> Event:
    return event(EventId(name), AT, kind, "words", meta)


def open_journal(root: Path, disk: RecordingDisk | None = None) -> Journal:
    journal = Journal(root, WINDOW, 1000, disk)
    journal.open()
    journal.start(AT, "1")
    return journal


def test_an_event_whose_sync_fails_is_no_part_of_the_conversation(tmp_path: Path) -> None:
    disk = RecordingDisk()
    journal = open_journal(tmp_path, disk)

    def fail(call: str, _data: bytes) -> None:
        if call == "sync":
            raise OSError(errno.EIO, "bad disk")

    disk.before = fail
    with pytest.raises(LogUnwritable):
        journal.write(event_of("q", Kind.USER, message_id="7"), sync=True)
    assert journal.conversation.open_turns() == []


def test_the_questions_of_a_log_that_is_opened_are_those_without_an_answer(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.write(event_of("q1", Kind.USER, message_id="7"), sync=False)
    journal.write(event_of("a1", Kind.AGENT, turn="q1", final=True), sync=False)
    journal.write(event_of("q2", Kind.USER, message_id="8"), sync=True)
    again = Journal(tmp_path, WINDOW, 1000)
    again.open()
    assert [turn_id for turn_id, _ in again.turn_events.questions(again.conversation)] == ["q2"]


def test_a_log_ends_when_the_next_one_begins(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    first = tmp_path / journal.path
    assert not is_ended(first)
    journal.start(AT, "1")
    assert is_ended(first)
    assert not is_ended(tmp_path / journal.path)


class Looks:
    """Count of lookups of a log by its name."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        lstat = Path.lstat

        def count_lstat(path: Path) -> os.stat_result:
            self.count += path.suffix == ".md"
            return lstat(path)

        patch.setattr(Path, "lstat", count_lstat)


@pytest.mark.req("X-171")
def test_a_turn_without_commands_looks_twice_whether_somebody_changed_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = open_journal(tmp_path)
    with monkeypatch.context() as patch:
        looks = Looks(patch)
        for turn in range(3):
            journal.write(event_of(f"q{turn}", Kind.USER, message_id=str(turn + 1)), sync=True)
            journal.write(event_of(f"a{turn}", Kind.AGENT, turn=f"q{turn}", final=True), sync=True)
            journal.write(event_of(f"d{turn}", Kind.DELIVERY, event=f"a{turn}", open=0), sync=False)
    journal.close()

    assert looks.count == 6


def remove(place: Path) -> None:
    place.unlink()


def saved_by_an_editor(place: Path) -> None:
    fresh = place.with_suffix(".new")
    fresh.write_bytes(place.read_bytes())
    fresh.rename(place)


def empty(place: Path) -> None:
    os.truncate(place, 0)


def cut_shorter(place: Path) -> None:
    os.truncate(place, place.stat().st_size // 2)


def added_to(place: Path) -> None:
    with place.open("ab") as file:
        file.write(b"I was here\n")


def folder_removed(place: Path) -> None:
    shutil.rmtree(place.parent)


def made_a_folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


CHANGES = (remove, saved_by_an_editor, empty, cut_shorter, added_to, folder_removed, made_a_folder)


@pytest.mark.req("X-171")
def test_a_log_that_was_changed_since_the_message_takes_no_answer_and_no_call(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (change, calls) in enumerate([(change, calls) for change in CHANGES for calls in [0, 1, 2]]):
        with subtests.test(change=change, calls=calls):
            root = tmp_path / str(number)
            root.mkdir()
            journal = open_journal(root)
            place = root / journal.path
            journal.write(event_of("q", Kind.USER, message_id="1"), sync=True)
            change(place)

            last = event_of("a", Kind.AGENT, turn="q", final=not calls)
            for call in range(calls):
                journal.write(last, sync=False)
                last = event_of(f"c{call}", Kind.TOOL_CALL, turn="q", call_id=str(call), tool="bash")

            with pytest.raises(LogUnwritable, match=r"no longer there|replaced|bytes long"):
                journal.write(last, sync=True)
            with pytest.raises(LogUnwritable, match="given up earlier"):
                journal.write(event_of("b", Kind.AGENT, turn="q", final=True), sync=True)


@pytest.mark.req("X-171")
def test_a_log_that_was_changed_between_a_call_and_the_answer_takes_no_answer(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.write(event_of("q", Kind.USER, message_id="1"), sync=True)
    journal.write(event_of("c", Kind.TOOL_CALL, turn="q", call_id="1", tool="bash"), sync=True)
    saved_by_an_editor(tmp_path / journal.path)
    journal.write(event_of("r", Kind.TOOL_RESULT, turn="q", call_id="1"), sync=False)

    with pytest.raises(LogUnwritable, match="replaced"):
        journal.write(event_of("a", Kind.AGENT, turn="q", final=True), sync=True)


def test_a_window_opens_its_log_where_others_can_let_go_of_theirs(tmp_path: Path) -> None:
    class Full(RecordingDisk):
        fails = False

        def open(self, path: Path, flags: int, mode: int = 0o600, /) -> int:
            if self.fails:
                self.fails = False
                raise OSError(errno.EMFILE, "Too many open files")
            return super().open(path, flags, mode)

    disk = Full()
    journal = open_journal(tmp_path, disk)
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


def test_a_pipe_in_the_place_of_an_earlier_log_is_not_waited_for(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    earlier = journal.path
    journal.start(AT, "1")
    (tmp_path / earlier).unlink()
    os.mkfifo(tmp_path / earlier)

    with pytest.raises(LogUnwritable, match="not a regular file"):
        list(journal.past())
    with pytest.raises(LogUnwritable, match="not a regular file"):
        journal.read_spoken(earlier, TurnId(""), TurnId(""))
    with pytest.raises(LogUnwritable, match="not a regular file"):
        [list(events) for events in journal.newest_first()]
    journal.close()
