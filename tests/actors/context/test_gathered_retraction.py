"""Deletions and edits between two looks through the logs: gathered, withheld, and applied together."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from actors.context.actor import REOPEN_AFTER_S
from actors.context.log.journal import Journal, LogUnwritable
from actors.context.retraction import LOOKS_APART, MOST_APART_S, READ_AGAIN_S, REVISIONS, REVISIONS_S
from domain.log.event import Kind
from domain.log.parser import ParsedEvent
from messages.base import MessageId, RequestId
from messages.context import (
    AddressChecked,
    CheckAddress,
    Quote,
)
from messages.turn import EventsLogged
from tests.actors.context.durability import disk_of
from tests.actors.context.retractions import (
    SECRET,
    copies,
    delete,
    edit,
    exchange,
    new_window,
    shown_to_model,
    tombstones,
)
from tests.actors.context.rig import CHANNEL, Rig, of_type, texts

LOOK_S = 1.0
"""Seconds of each slow reading of all logs."""


past = Journal.past


def long_past(journal: Journal, naming: Collection[str] = ()) -> Iterator[tuple[str, ParsedEvent]]:
    """Content of a journal that is slow to read."""
    LongLogs.looks += 1
    LongLogs.rig.clock.advance(LOOK_S)
    return past(journal, naming)


class LongLogs(Journal):
    """A journal whose logs take long to be gone through."""

    rig: Rig
    looks = 0

    def past(self, naming: Collection[str] = ()) -> Iterator[tuple[str, ParsedEvent]]:
        return long_past(self, naming)


@pytest.fixture
def slow(tmp_path: Path) -> Rig:
    return with_long_logs(tmp_path)


def with_long_logs(root: Path, **decided: Any) -> Rig:
    rig = Rig(root, journal=lambda window: LongLogs(root, window, 100_000, disk_of(root)), **decided)
    LongLogs.rig, LongLogs.looks = rig, 0
    return rig


def wait_for_look(rig: Rig) -> None:
    rig.advance(LOOKS_APART * 10 * LOOK_S)


def test_what_is_deleted_soon_after_waits_and_is_looked_for_together(slow: Rig) -> None:
    for message_id in range(1, 21):
        exchange(slow, f"secret {message_id}", message_id)
    delete(slow, 1)
    once = LongLogs.looks
    for message_id in range(2, 20):
        delete(slow, message_id)
    edit(slow, 20, "never mind")
    assert LongLogs.looks == once
    slow.listener.drain()
    seen = shown_to_model(slow, "what was it?", 30)
    assert "secret" not in seen
    assert LongLogs.looks == once
    wait_for_look(slow)

    assert LongLogs.looks <= 3 * once
    batches = [report.events for report in of_type(EventsLogged, slow.listener.drain())]
    assert [len(each) for each in batches if each[0].kind == "tombstone"] == [18, 1]
    assert len(tombstones(slow)) == 20
    assert not any(b"secret" in copy for copy in copies(slow))
    seen = shown_to_model(slow, "and now?", 31)
    assert "secret" not in seen
    assert "never mind" in seen
    slow.stop()


def test_what_waits_is_withheld_with_its_quotations(slow: Rig) -> None:
    exchange(slow, "good morning", 1)
    delete(slow, 99)
    for message_id in (3, 4):
        slow.say("really?", message_id, quote=Quote(message_id=MessageId("2"), author_name="Bob", text=SECRET))
        slow.answer("yes")
        slow.deliver()
    delete(slow, 2)

    seen = shown_to_model(slow, "what was it?", 5)
    assert "41000" not in seen
    assert "good morning" in seen
    assert tombstones(slow) == []
    slow.stop()


def test_an_address_in_what_waits_to_be_deleted_may_be_read_no_more(slow: Rig) -> None:
    delete_later(slow)
    exchange(slow, "https://example.com/a", 2)
    exchange(slow, "https://example.com/b", 3)
    delete(slow, 2)
    assert tombstones(slow) == []

    for page, is_written in (("a", False), ("b", True)):
        check = CheckAddress(
            request_id=RequestId(page),
            reply_to=slow.listener.address,
            window=CHANNEL,
            url=f"https://example.com/{page}",
        )
        slow.tell(CHANNEL, check)
        assert of_type(AddressChecked, slow.listener.drain())[-1].is_written == is_written
    slow.stop()


def test_a_turn_is_given_up_though_the_look_has_to_wait(slow: Rig) -> None:
    delete_later(slow)
    slow.say(SECRET, 2)
    slow.say("good morning", 3)
    slow.requests()
    delete(slow, 2)

    (request,) = slow.requests()
    assert "good morning" in texts(request)[-1]
    assert "41000" not in "\n".join(texts(request))
    slow.stop()


def delete_later(rig: Rig) -> None:
    """See to it that the next look has to wait."""
    exchange(rig, "good morning", 1)
    delete(rig, 99)


@pytest.mark.parametrize("why", ["deleted", "edited"])
def test_what_waits_for_a_look_is_not_forgotten_by_a_kill(slow: Rig, why: str) -> None:
    delete_later(slow)
    exchange(slow, SECRET, 2)
    if why == "deleted":
        delete(slow, 2)
    else:
        edit(slow, 2, "never mind")
    assert tombstones(slow) == []
    slow.kill()

    again = Rig(slow.root)
    assert "41000" not in shown_to_model(again, "what was it?", 3)
    assert [each["why"] for each in tombstones(again)] == [why]
    assert not any(b"41000" in copy for copy in copies(again))
    again.stop()


@pytest.mark.parametrize("why", ["deleted", "edited"])
def test_what_waits_for_a_look_is_not_forgotten_by_anew_window(slow: Rig, why: str) -> None:
    delete_later(slow)
    exchange(slow, SECRET, 2)
    if why == "deleted":
        delete(slow, 2)
    else:
        edit(slow, 2, "never mind")
    slow.tell(CHANNEL, new_window(slow))
    slow.kill()

    again = Rig(slow.root)
    shown_to_model(again, "good morning", 3)
    assert not any(b"41000" in copy for copy in copies(again))
    again.stop()


def test_what_was_looked_for_is_looked_for_no_more(slow: Rig) -> None:
    delete_later(slow)
    delete(slow, 77)
    edit(slow, 78, "never heard of")
    edit(slow, 1, "good morning")
    wait_for_look(slow)
    looks = LongLogs.looks
    wait_for_look(slow)
    shown_to_model(slow, "what was it?", 3)
    slow.kill()

    again = with_long_logs(slow.root)
    shown_to_model(again, "and now?", 4)
    assert (looks > 0, LongLogs.looks) == (True, 0)
    assert tombstones(again) == []
    again.stop()


def test_an_edit_brings_nothing_back_that_was_deleted_before(slow: Rig) -> None:
    delete_later(slow)
    exchange(slow, SECRET, 2)
    edit(slow, 2, "version 1 of it")
    delete(slow, 2)
    edit(slow, 2, "version 2 of it")
    wait_for_look(slow)

    assert "version" not in shown_to_model(slow, "what was it?", 3)
    assert [each["why"] for each in tombstones(slow)] == ["deleted"]
    slow.stop()


@pytest.mark.parametrize("failures", [1, 3])
@pytest.mark.parametrize("why", ["deleted", "edited"])
def test_what_changes_while_the_log_cannot_be_written_is_taken_back_once_it_can(
    tmp_path: Path, why: str, failures: int
) -> None:
    rig = Rig(tmp_path)
    exchange(rig, "good morning", 1)
    rig.say(SECRET, 2)
    left = [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) for _ in range(failures)]

    def fails(call: str, data: bytes) -> None:
        if call == "write" and data.startswith(b"## ") and left:
            raise left.pop()

    rig.disk.before = fails
    rig.say("one more", 3)
    if why == "deleted":
        delete(rig, 2)
    else:
        edit(rig, 1, "good evening")
    for _ in range(failures + 1):
        rig.advance(REOPEN_AFTER_S + 1)
    assert [each["why"] for each in tombstones(rig)] == [why]
    rig.stop()


def test_what_is_deleted_while_the_log_cannot_be_written_is_taken_back_before_the_next_question(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    exchange(rig, "good morning", 1)
    exchange(rig, SECRET, 2)
    left = [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))]

    def fails(call: str, data: bytes) -> None:
        if call == "write" and data.startswith(b"## ") and left:
            raise left.pop()

    rig.disk.before = fails
    delete(rig, 2)
    assert not left
    assert tombstones(rig) == []
    assert "41000" not in shown_to_model(rig, "what was it?", 3)
    assert [each["why"] for each in tombstones(rig)] == ["deleted"]
    rig.advance(REOPEN_AFTER_S + 1)
    assert [each["why"] for each in tombstones(rig)] == ["deleted"]
    rig.stop()


@pytest.mark.parametrize("is_lost_before", [True, False])
def test_an_edit_that_no_log_could_take_replaces_no_later_edit(tmp_path: Path, is_lost_before: bool) -> None:
    rig = Rig(tmp_path)
    exchange(rig, "good morning", 1)
    rig.say(SECRET, 2)
    left = [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) for _ in range(1 + is_lost_before)]

    def fails(call: str, data: bytes) -> None:
        if call == "write" and data.startswith(b"## ") and left:
            raise left.pop()

    rig.disk.before = fails
    if is_lost_before:
        rig.say("one more", 3)
    edit(rig, 1, "good evening")
    assert left == []
    edit(rig, 1, "good night")
    rig.advance(REOPEN_AFTER_S + 1)
    assert newest_words(rig) == "good night"
    rig.stop()


@pytest.mark.parametrize("why", ["deleted", "edited"])
def test_a_window_goes_on_while_an_earlier_log_cannot_be_read_and_what_changed_is_taken_back_once_it_can(
    tmp_path: Path, why: str
) -> None:
    rig = Rig(tmp_path)
    exchange(rig, "good morning", 1)
    rig.tell(CHANNEL, new_window(rig))
    exchange(rig, SECRET, 2)
    earlier = rig.logs()[0]
    away = earlier.rename(tmp_path / "away")
    earlier.mkdir()
    if why == "deleted":
        delete(rig, 2)
    else:
        edit(rig, 2, "never mind")
    for message_id in range(3, 6):
        rig.advance(REOPEN_AFTER_S + 1)
        assert "and now?" in shown_to_model(rig, "and now?", message_id)
    earlier.rmdir()
    away.rename(earlier)
    rig.advance(READ_AGAIN_S + 1)
    assert [each["why"] for each in tombstones(rig)] == [why]
    rig.stop()


def test_an_edit_that_waits_for_the_next_look_outlasts_a_pause_of_the_conversation(tmp_path: Path) -> None:
    rig = with_long_logs(tmp_path, idle_s=2.0)
    exchange(rig, "good morning", 1)
    exchange(rig, SECRET, 2)
    edit(rig, 1, "good evening")
    edit(rig, 2, "never mind")
    for _ in range(LOOKS_APART):
        rig.advance(LOOK_S)
    wait_for_look(rig)
    words = [event.content for event in rig.events() if event.meta_dict().get("edited")]
    assert words == ["good evening", "never mind"]
    rig.stop()


@pytest.fixture
def edited_too_often(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path)
    exchange(rig, SECRET, 1)
    for number in range(REVISIONS + 2):
        edit(rig, 1, f"version {number} of it")
    assert newest_words(rig) == f"version {REVISIONS - 1} of it"
    return rig


def newest_words(rig: Rig) -> str:
    return [event.content for event in rig.events() if event.kind is Kind.USER][-1]


def test_words_that_wait_for_room_are_noted_when_there_is_though_nobody_says_anything(edited_too_often: Rig) -> None:
    edited_too_often.advance(REVISIONS_S + 1)

    assert newest_words(edited_too_often) == f"version {REVISIONS + 1} of it"
    edited_too_often.stop()


def test_a_window_is_unfinished_while_words_wait_for_room(edited_too_often: Rig) -> None:
    """The head resumes an unfinished window elsewhere when the host is lost, and gives it the edits again."""
    (mailbox,) = [each for each in edited_too_often.system.mailboxes() if each.address == CHANNEL.address]
    assert mailbox.actor is not None
    assert (mailbox.actor.in_progress, mailbox.actor.is_unfinished) == (False, True)
    edited_too_often.advance(REVISIONS_S + 1)

    assert not mailbox.actor.is_unfinished
    edited_too_often.stop()


def test_words_that_wait_for_room_are_noted_before_the_end(edited_too_often: Rig) -> None:
    edited_too_often.stop()

    assert newest_words(edited_too_often) == f"version {REVISIONS + 1} of it"


def test_words_that_wait_for_room_outlast_a_log_that_cannot_be_written_then(
    edited_too_often: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise LogUnwritable(Path("log"), "the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "write", refuse)
        edited_too_often.advance(REVISIONS_S + 1)
    edited_too_often.advance(REOPEN_AFTER_S + 1)

    assert newest_words(edited_too_often) == f"version {REVISIONS + 1} of it"
    edited_too_often.stop()


def test_an_end_on_a_log_that_cannot_be_written_closes_it(
    edited_too_often: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise LogUnwritable(Path("log"), "the disk is full")

    def note_and_close(journal: Journal) -> None:
        closed.append(journal)
        close(journal)

    closed, close = list[Journal](), Journal.close
    monkeypatch.setattr(Journal, "write", refuse)
    monkeypatch.setattr(Journal, "close", note_and_close)
    edited_too_often.stop()

    assert len(closed) == 1
    assert "new words of edited messages are not noted: the disk is full" in caplog.text


def test_a_look_is_not_put_off_by_words_that_wait_longer_for_room(
    edited_too_often: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    for message_id in (2, 3):
        exchange(edited_too_often, f"secret {message_id}", message_id)
    LongLogs.rig = edited_too_often
    monkeypatch.setattr(Journal, "past", lambda journal, naming=(): long_past(journal, naming))
    delete(edited_too_often, 2)
    delete(edited_too_often, 3)
    assert "3" not in {each["message_id"] for each in tombstones(edited_too_often)}
    edited_too_often.advance(MOST_APART_S + 1)

    assert "3" in {each["message_id"] for each in tombstones(edited_too_often)}
    edited_too_often.stop()


def test_words_of_several_that_wait_are_noted_as_room_is_made(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    exchange(rig, SECRET, 1)
    exchange(rig, "another", 2)
    edit(rig, 1, "version 0 of it")
    rig.advance(REVISIONS_S / 2)
    for number in range(REVISIONS):
        edit(rig, 1, f"version {number + 1} of it")
    edit(rig, 2, "other words")
    rig.advance(REVISIONS_S / 2 + 1)
    assert newest_words(rig) == f"version {REVISIONS} of it"
    rig.advance(REVISIONS_S / 2)

    assert newest_words(rig) == "other words"
    rig.stop()
