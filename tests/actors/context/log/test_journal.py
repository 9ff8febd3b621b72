"""Journal of a window: the log first, then the conversation."""

from __future__ import annotations

import errno
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.context.log.file import is_ended
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
