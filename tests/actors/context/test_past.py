"""Messages of a window's past: in logs of their own, once, never shown as history, and taken back like others."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from actors.context.log.file import check_file
from domain.log.event import Event, Kind
from domain.log.parser import parse
from domain.log.window import redacted_path, snowflake_time
from messages.base import EventId, MessageId, RequestId, UserId
from messages.context import (
    KeptMessagesTold,
    RestoreRedactions,
    RetractMessages,
    ReviseMessage,
    StartNewWindow,
    TellKeptMessages,
)
from messages.forget import EventsForgotten, ForgetEvents
from messages.past import KeepPast, PastKept, PastMessage
from messages.socket import Refused
from messages.turn import EventsLogged
from tests.actors.context.retractions import SECRET, exchange, new_window, shown_to_model
from tests.actors.context.rig import CHANNEL, THREAD, Rig, of_type

FIRST = 900_000_000_000_000_000
"""Id of a message before all others of these tests."""


def past(number: int, text: str) -> PastMessage:
    return PastMessage(
        message_id=MessageId(str(FIRST + number)),
        author_id=UserId("7"),
        author_name="Alice",
        text=text,
        typed_chars=len(text),
        sent_at=snowflake_time(FIRST + number),
    )


def keep_request(rig: Rig, messages: Iterable[PastMessage], window: object = CHANNEL) -> KeepPast:
    return KeepPast(
        request_id=RequestId("k"),
        reply_to=rig.listener.address,
        window=THREAD if window is THREAD else CHANNEL,
        messages=tuple(messages),
        audience="1:2:everyone",
    )


def keep(rig: Rig, messages: Iterable[PastMessage], window: object = CHANNEL) -> PastKept:
    request = keep_request(rig, messages, window)
    rig.tell(request.window, request)
    (reply,) = of_type(PastKept, rig.listener.drain())
    return reply


def list_imported(root: Path) -> list[Path]:
    return sorted(root.glob("logs/*/*/imported-*.md"))


def past_events(root: Path) -> list[Event]:
    return [logged.event for path in list_imported(root) for logged in parse(path.read_bytes()).events]


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


@pytest.mark.req("X-254")
def test_the_past_is_kept_in_a_log_of_its_own_in_order_and_once(rig: Rig) -> None:
    messages = [past(number, f"word {number}") for number in (3, 1, 2)]
    reply = keep(rig, messages)
    (path,) = list_imported(rig.root)
    assert (reply.path, reply.kept) == (path.relative_to(rig.root).as_posix(), 3)
    assert [event.content for event in past_events(rig.root)] == ["word 1", "word 2", "word 3"]
    (meta, *_) = (event.meta_dict() for event in past_events(rig.root))
    assert (meta["imported"], meta["audience"], meta["message_id"]) == (True, "1:2:everyone", str(FIRST + 1))
    assert check_file(path) == ()
    assert not path.stat().st_mode & 0o222
    again = keep(rig, [*messages, past(4, "word 4")])
    assert (again.kept, len(past_events(rig.root))) == (1, 4)
    assert keep(rig, messages) == PastKept(request_id=RequestId("k"), path="", kept=0)
    rig.stop()


def test_messages_of_the_windows_own_logs_are_not_taken_again(rig: Rig) -> None:
    shown = exchange(rig, "said live", FIRST + 5)
    rig.stop()
    rig = Rig(rig.root)
    assert keep(rig, [past(5, "said live"), past(6, "new")]).kept == 1
    own = past(7, "fine")
    assert keep(rig, [msgspec.structs.replace(own, message_id=MessageId(shown))]).kept == 0
    rig.say("said now", FIRST + 9)
    rig.answer("well")
    assert keep(rig, [past(9, "said now")]).kept == 0
    rig.stop()


@pytest.mark.req("X-254")
def test_what_was_said_live_since_an_import_is_not_taken_again_by_the_next(rig: Rig) -> None:
    assert keep(rig, [past(1, "long ago")]).kept == 1
    rig.say("said live", FIRST + 5)
    rig.answer("fine")
    rig.deliver()
    (live,) = {*rig.logs()} - {*list_imported(rig.root)}
    posted = parse(live.read_bytes()).events[-1].event.meta_dict()["message_ids"]
    assert isinstance(posted, list)
    own = msgspec.structs.replace(past(7, "fine"), message_id=MessageId(str(posted[0])))
    assert keep(rig, [past(5, "said live"), own]).kept == 0
    new = StartNewWindow(request_id=RequestId("n"), reply_to=rig.listener.address, window=CHANNEL, asked_by=UserId("1"))
    rig.tell(CHANNEL, new)
    forget = ForgetEvents(
        request_id=RequestId("f"),
        reply_to=rig.listener.address,
        window=CHANNEL,
        forget_id="f1",
        event_ids=(EventId(str(FIRST + 1)),),
        by="operator",
        why="",
    )
    rig.tell(CHANNEL, forget)  # reads the newest log again
    assert keep(rig, [past(5, "said live"), own]).kept == 0
    rig.stop()


@pytest.mark.req("X-254")
def test_an_own_message_whose_delivery_is_not_logged_yet_is_no_past(rig: Rig) -> None:
    """A page may be read while an answer is being written, or between a post and its log, also across a kill."""
    early, running = (msgspec.structs.replace(past(number, "an answer"), is_own=True) for number in (1, 7))
    rig.say("a question", FIRST + 5)
    assert keep(rig, [early, past(2, "long ago"), running, past(8, "of another bot")]).kept == 3
    rig.kill()
    rig = Rig(rig.root)
    assert keep(rig, [running]).kept == 0
    assert [event.content for event in past_events(rig.root)] == ["an answer", "long ago", "of another bot"]
    rig.stop()


@pytest.mark.req("X-254")
def test_an_own_message_of_an_old_thread_is_past_though_the_thread_s_starter_is_in_the_live_log(rig: Rig) -> None:
    """The log is newer than the thread: an earlier data root is lost, and the window was told of the old starter."""
    starter = int(THREAD.id)
    old, running = (
        msgspec.structs.replace(past(number, "an answer"), message_id=MessageId(str(starter + number)), is_own=True)
        for number in (1, 7)
    )
    rig.say("an old message", starter, THREAD, wants_answer=False)
    rig.say("a question", starter + 5, THREAD)
    assert keep(rig, [old, running], THREAD).kept == 1
    (logged,) = past_events(rig.root)
    assert logged.meta_dict()["message_id"] == old.message_id
    rig.stop()


@pytest.mark.req("X-254")
def test_an_own_message_behind_an_edited_question_that_opened_a_thread_is_no_past(rig: Rig) -> None:
    starter = int(THREAD.id)
    rig.say("a question", starter, THREAD)
    rig.tell(THREAD, ReviseMessage(window=THREAD, message_id=MessageId(THREAD.id), text="another question", files=0))
    rig.advance(60)
    rig.say("a second question", starter + 9, THREAD)
    running = msgspec.structs.replace(past(7, "an answer"), message_id=MessageId(str(starter + 7)), is_own=True)
    assert keep(rig, [running], THREAD).kept == 0
    rig.stop()


def test_a_missed_message_is_answered_though_an_export_with_the_message_was_imported_before(rig: Rig) -> None:
    """Of a message older than the window's newest log, the next life reads all logs."""
    exchange(rig, "said live", FIRST + 5)
    rig.tell(CHANNEL, new_window(rig))
    assert keep(rig, [past(3, "lost")]).kept == 1
    rig.stop()
    rig = Rig(rig.root)
    rig.say("said live", FIRST + 5)
    assert rig.requests() == []
    rig.say("lost", FIRST + 3)
    rig.answer("found")
    assert rig.deliver().answers_message_id == str(FIRST + 3)
    rig.stop()


def test_a_message_that_opened_a_thread_is_in_the_threads_log_only(rig: Rig) -> None:
    opener = msgspec.structs.replace(past(1, "a question"), message_id=MessageId(THREAD.id))
    rig.say("a question", int(THREAD.id), THREAD)
    rig.answer("an answer")
    assert keep(rig, [opener, past(2, "other")]).kept == 1
    rig.stop()


def test_the_past_is_no_history_and_opens_no_window(rig: Rig) -> None:
    keep(rig, [past(1, "the cat is called Zorro")])
    assert rig.logs() == list_imported(rig.root)
    assert "Zorro" not in shown_to_model(rig, "what is the cat called?", FIRST + 100)
    rig.kill()
    rig = Rig(rig.root)
    assert "Zorro" not in shown_to_model(rig, "and now?", FIRST + 101)
    rig.stop()


@pytest.mark.req("X-255")
def test_a_deleted_message_of_the_past_is_taken_back_without_a_log_of_the_windows_own(rig: Rig) -> None:
    keep(rig, [past(1, SECRET), past(2, "harmless")])
    (base,) = list_imported(rig.root)
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId(str(FIRST + 1)),)))
    (told,) = of_type(EventsLogged, rig.listener.drain())
    assert [event.kind for event in told.events] == ["tombstone"]
    assert [event.kind for event in past_events(rig.root)].count(Kind.TOMBSTONE) == 1
    assert set(rig.logs()) == set(list_imported(rig.root))
    copy = rig.root / redacted_path(base.relative_to(rig.root).as_posix())
    assert b"41000" not in copy.read_bytes()
    assert b"harmless" in copy.read_bytes()
    assert copy.stat().st_size == base.stat().st_size
    assert keep(rig, [past(1, SECRET)]).kept == 0
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId(str(FIRST + 1)),)))
    assert [event.kind for event in past_events(rig.root)].count(Kind.TOMBSTONE) == 1
    copy.unlink()
    rig.tell(CHANNEL, RestoreRedactions(window=CHANNEL))
    assert b"41000" not in copy.read_bytes()
    rig.stop()


@pytest.mark.req("X-255")
@pytest.mark.parametrize("is_lived", [False, True])
def test_a_message_deleted_while_its_page_is_on_the_way_is_not_kept(rig: Rig, is_lived: bool) -> None:
    """A kill may come before the importer has its pages compared with what was deleted meanwhile."""
    if is_lived:
        rig.say("good morning", FIRST + 50)
    gone = tuple(MessageId(str(FIRST + number)) for number in (1, 3))
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=gone))
    assert keep(rig, [past(1, SECRET), past(2, "harmless"), past(3, "other")]).kept == 1
    assert [event.content for event in past_events(rig.root)] == ["harmless"]
    rig.stop()


@pytest.mark.req("X-255")
def test_an_edited_message_of_the_past_has_its_new_words_among_the_past(rig: Rig) -> None:
    keep(rig, [past(1, SECRET)])
    rig.say("good morning", FIRST + 50)
    rig.answer("good morning")
    rig.deliver()
    for text in ("the salary is secret", "no salary at all"):
        edit = ReviseMessage(window=CHANNEL, message_id=MessageId(str(FIRST + 1)), text=text, files=0)
        rig.tell(CHANNEL, edit)
        rig.advance(60)
    words = [event.content for event in past_events(rig.root) if event.kind is Kind.USER]
    assert sorted(words) == sorted([SECRET, "the salary is secret", "no salary at all"])
    assert [event.kind for event in past_events(rig.root)].count(Kind.TOMBSTONE) == 2
    assert "salary" not in shown_to_model(rig, "what now?", FIRST + 60)
    rig.tell(CHANNEL, TellKeptMessages(request_id=RequestId("t"), reply_to=rig.listener.address, window=CHANNEL))
    (kept,) = of_type(KeptMessagesTold, rig.listener.drain())
    assert str(FIRST + 1) in [each.message_id for each in kept.messages]
    rig.stop()


@pytest.mark.req("X-255")
@pytest.mark.parametrize("is_lived", [False, True])
def test_a_message_of_the_past_is_forgotten_in_place_and_not_taken_in_again(rig: Rig, is_lived: bool) -> None:
    keep(rig, [past(1, SECRET), past(2, "harmless")])
    (path,) = list_imported(rig.root)
    size = path.stat().st_size
    if is_lived:
        rig.say("good morning", FIRST + 50)
        rig.answer("good morning")
    command = ForgetEvents(
        request_id=RequestId("f"),
        reply_to=rig.listener.address,
        window=CHANNEL,
        forget_id="forget01",
        event_ids=(EventId(str(FIRST + 1)),),
        by="operator",
        why="asked",
    )
    for _ in range(2):
        rig.tell(CHANNEL, command)
        (told,) = of_type(EventsForgotten, rig.listener.drain())
        assert [(each.message_id, each.path) for each in told.events] == [
            (str(FIRST + 1), path.relative_to(rig.root).as_posix())
        ]
    assert (b"41000" in path.read_bytes(), path.stat().st_size, check_file(path)) == (False, size, ())
    assert [event.content for event in past_events(rig.root)] == ["harmless"]
    assert keep(rig, [past(1, SECRET)]).kept == 0
    rig.stop()


def test_what_was_kept_survives_a_power_loss(rig: Rig) -> None:
    keep(rig, [past(1, "one")])
    keep(rig, [past(2, "two")], THREAD)
    rig.disk.lose_power()
    assert [event.content for event in past_events(rig.root)] == ["one", "two"]


@pytest.mark.req("X-254")
def test_a_log_that_got_its_name_without_a_sync_is_safe_before_its_messages_count_as_held(rig: Rig) -> None:
    calls: list[str] = []

    def lose_the_sync_of_the_name(call: str, _data: bytes) -> None:
        calls.append(call)
        if calls[-2:] == ["replace", "sync_folder"]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    rig.disk.before = lose_the_sync_of_the_name
    request = keep_request(rig, [past(1, "one")])
    rig.tell(request.window, request)
    assert of_type(Refused, rig.listener.drain())
    rig.disk.before = lambda _call, _data: None
    assert keep(rig, [past(1, "one")]).kept == 0
    rig.disk.lose_power()
    assert [event.content for event in past_events(rig.root)] == ["one"]


def test_the_log_is_there_whole_or_not_at_all(rig: Rig) -> None:
    keep(rig, [past(number, "word") for number in range(3)])
    (path,) = list_imported(rig.root)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert snowflake_time(FIRST) - timedelta(seconds=1) < parse(path.read_bytes()).events[0].event.at
    rig.stop()
