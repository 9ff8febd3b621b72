"""Posts by the runtime itself stand in the window's log."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import NoReturn

import pytest

from actors.context.actor import REOPEN_AFTER_S, ContextActor
from actors.context.log.journal import Journal, LogUnwritable
from actors.context.log.recovery import is_settled
from actors.context.log.scan import read_tail_state
from actors.context.postings import MOST
from domain.log.event import Kind
from domain.log.parser import parse
from messages.base import MessageId, RequestId, UserId
from messages.context import RuntimePosted, StartNewWindow
from tests.actors.context.rig import CHANNEL, Rig
from tests.recording_disk import RecordingDisk


def report_of(
    *message_ids: int, text: str = "⏰ tea", file: str = "", by: str = "scheduler", is_late: bool = False
) -> RuntimePosted:
    ids = tuple(MessageId(str(message_id)) for message_id in message_ids)
    return RuntimePosted(window=CHANNEL, by=by, text=text, message_ids=ids, file=file, is_late=is_late)


def notes(rig: Rig) -> list[tuple[str, object, object]]:
    """Text, message ids and poster of what the logs say was posted."""
    events = [logged.event for path in rig.logs() for logged in parse(path.read_bytes()).events]
    metas = [(event.content, event.meta_dict()) for event in events if event.kind is Kind.SYSTEM]
    return [(text, meta["message_ids"], meta["by"]) for text, meta in metas if meta["what"] == "posted"]


@pytest.mark.req("S0-31")
def test_it_is_logged_with_the_messages_that_show_it_and_who_had_it_shown(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    rig.deliver()
    rig.tell(CHANNEL, report_of(7, 8))
    rig.tell(CHANNEL, report_of(9, text="the owls", file="owls.png", by="discord"))
    assert notes(rig) == [("⏰ tea", ["7", "8"], "scheduler"), ("the owls", ["9"], "discord")]
    assert rig.events()[-1].meta_dict()["file"] == "owls.png"


@pytest.mark.req("X-246")
def test_what_a_turn_wanted_names_the_turn_and_a_reminder_does_not(rig: Rig) -> None:
    rig.say("hello", 1)
    for number, by in enumerate(("approval", "discord", "scheduler"), 7):
        rig.tell(CHANNEL, report_of(number, by=by))
    turn, *posts = rig.events()
    assert [each.meta_dict().get("turn") for each in posts] == [turn.id, turn.id, None]
    rig.answer("hi")
    rig.deliver()
    rig.tell(CHANNEL, report_of(10, by="approval"))
    assert "turn" not in rig.events()[-1].meta_dict()


def test_it_is_logged_where_nothing_has_been_said_yet(rig: Rig) -> None:
    rig.tell(CHANNEL, report_of(7))
    assert notes(rig) == [("⏰ tea", ["7"], "scheduler")]
    rig.say("hello", 1)
    assert len(rig.logs()) == 1


def test_what_is_said_to_be_shown_again_is_logged_once_also_by_a_later_life(rig: Rig, tmp_path: Path) -> None:
    rig.tell(CHANNEL, report_of(7, 8))
    rig.tell(CHANNEL, report_of(7, 8))
    rig.kill()
    again = Rig(tmp_path)
    again.tell(CHANNEL, report_of(8))
    assert len(notes(again)) == 1
    again.stop()


@pytest.mark.parametrize("is_killed", [False, True])
def test_what_an_earlier_log_of_the_window_has_is_not_logged_again(
    rig: Rig, tmp_path: Path, *, is_killed: bool
) -> None:
    rig.tell(CHANNEL, report_of(7, 8))
    rig.tell(
        CHANNEL,
        StartNewWindow(request_id=RequestId("new"), reply_to=rig.surface.address, window=CHANNEL, asked_by=UserId("1")),
    )
    again = rig
    if is_killed:
        rig.kill()
        again = Rig(tmp_path)
    again.tell(CHANNEL, report_of(7, 8, is_late=True))
    again.tell(CHANNEL, report_of(9, is_late=True))
    assert [ids for _, ids, _ in notes(again)] == [["7", "8"], ["9"]]
    again.stop()


def test_later_looks_for_texts_of_turns_pass_it_over(rig: Rig) -> None:
    rig.tell(CHANNEL, report_of(5))
    rig.say("hello", 2)
    rig.answer("hi")
    assert rig.deliver().others == (MessageId("5"),)


@pytest.mark.parametrize(("answers", "settled"), [(True, True), (False, False)])
def test_the_end_of_the_log_says_whether_something_is_to_be_done(rig: Rig, *, answers: bool, settled: bool) -> None:
    rig.say("hello", 1)
    if answers:
        rig.answer("hi")
        rig.deliver()
    rig.tell(CHANNEL, report_of(7))
    state = read_tail_state(rig.logs()[-1])
    assert (is_settled(state), state.last_message_id) == (settled, 1)


@pytest.mark.parametrize("is_new", [False, True])
def test_what_is_posted_while_the_log_takes_nothing_is_logged_once_as_soon_as_it_does(
    rig: Rig, *, is_new: bool
) -> None:
    if not is_new:
        rig.say("hello", 1)
        rig.answer("hi")
        rig.deliver()
    fill(rig.disk)
    rig.tell(CHANNEL, report_of(7))
    rig.tell(CHANNEL, report_of(8))
    rig.tell(CHANNEL, report_of(7, is_late=True))
    rig.advance(REOPEN_AFTER_S)
    rig.disk.before = lambda _call, _data: None
    rig.tell(CHANNEL, report_of(9))
    rig.advance(REOPEN_AFTER_S)
    assert [ids for _, ids, _ in notes(rig)] == [["7"], ["8"], ["9"]]
    assert rig.posts() == []


def test_what_is_posted_while_the_log_takes_nothing_is_logged_though_the_window_is_idle_for_long(
    tmp_path: Path,
) -> None:
    rig = Rig(tmp_path, idle_s=10.0)
    fill(rig.disk)
    rig.tell(CHANNEL, report_of(7))
    for _ in range(5):
        rig.advance(REOPEN_AFTER_S / 2)
    rig.disk.before = lambda _call, _data: None
    rig.advance(REOPEN_AFTER_S)
    assert [ids for _, ids, _ in notes(rig)] == [["7"]]
    rig.stop()


def test_nobody_waits_at_the_end_for_what_was_posted_while_the_log_takes_nothing(rig: Rig) -> None:
    fill(rig.disk)
    rig.tell(CHANNEL, report_of(7))
    assert rig.system.drain(0).quiet


def test_an_earlier_log_that_cannot_be_read_keeps_no_posting_out_of_the_newest(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_arguments: object) -> NoReturn:
        raise LogUnwritable(rig.root, "cannot be read")

    rig.tell(CHANNEL, report_of(7))
    monkeypatch.setattr(Journal, "past", unreadable)
    rig.tell(CHANNEL, report_of(8, is_late=True))
    assert [ids for _, ids, _ in notes(rig)] == [["7"], ["8"]]


def fill(disk: RecordingDisk) -> None:
    def full(call: str, _data: bytes) -> None:
        if call == "write":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    disk.before = full


def test_of_too_many_postings_that_wait_the_newest_are_kept(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("hello", 910000000000000101)
    (actor,) = [mailbox.actor for mailbox in rig.system.mailboxes()]
    assert isinstance(actor, ContextActor)
    postings = [report_of(text=str(number)) for number in range(MOST + 5)]
    for each in postings:
        actor._postings.note(each, is_writable=False)

    assert actor._postings._waiting == postings[5:]
    rig.stop()
