"""`/new`: a window begins anew, and what was said before stays in its log."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec
import pytest

from domain.log.event import Kind
from domain.log.parser import parse
from messages.base import MessageId, RequestId, UserId
from messages.context import NewWindowStarted, ResumeWindow, RetractMessages, StartNewWindow
from messages.discord import DeliveryFailed
from messages.model import CancelModel, StopReason
from messages.socket import Refused
from tests.actors.context.rig import CHANNEL, THREAD, Rig, bash_call, of_type, reply, texts


def start(rig: Rig) -> NewWindowStarted:
    edge = rig.system.edge(f"asker-{len(list(rig.root.rglob('*.md')))}")
    command = StartNewWindow(
        request_id=RequestId("n"), reply_to=edge.address, window=CHANNEL, asked_by=UserId("910000000000000021")
    )
    rig.tell(CHANNEL, command)
    (started,) = of_type(NewWindowStarted, edge.drain())
    return started


@pytest.mark.req("S0-40")
def test_history_is_empty_and_a_new_log_is_begun_at_once(rig: Rig) -> None:
    rig.say("old", 1)
    rig.answer("yes")
    rig.deliver()
    before = rig.logs()[0].read_bytes()
    started = start(rig)
    assert len(rig.logs()) == 2
    assert rig.logs()[1] == rig.root / started.path
    rig.say("new", 2)
    assert texts(rig.answer("ok")) == ["new"]
    assert rig.logs()[0].read_bytes() == before
    assert not rig.logs()[0].stat().st_mode & 0o222


@pytest.mark.req("X-23")
def test_a_running_turn_is_aborted_and_its_late_answer_dropped(rig: Rig) -> None:
    rig.say("old", 1)
    rig.say("waiting", 2)
    (request,) = rig.requests()
    start(rig)
    assert of_type(CancelModel, rig.model.drain()) == [CancelModel(request_id=request.request_id)]
    rig.tell(CHANNEL, reply(request, "late"))
    assert rig.posts() == []
    assert rig.kinds() == []
    old = rig.logs()[0].read_text()
    assert old.count('"what":"aborted"') == 2


def test_a_message_of_the_old_window_is_not_news_in_the_new_one(rig: Rig) -> None:
    rig.say("old", 1)
    rig.answer("yes")
    rig.deliver()
    start(rig)
    rig.say("old", 1)
    assert rig.kinds() == []


@pytest.mark.req("S0-39")
def test_other_windows_stay_as_they_are(rig: Rig) -> None:
    rig.say("in the thread", 5, THREAD)
    rig.answer("yes")
    start(rig)
    rig.say("still there?", 6, THREAD)
    assert texts(rig.answer("yes")) == ["in the thread", "yes", "still there?"]


def test_it_opens_the_first_log_of_a_window_that_has_none(rig: Rig) -> None:
    start(rig)
    assert len(rig.logs()) == 1


def test_an_answer_that_is_owed_is_carried_over_under_its_own_mark(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("question", 1)
    rig.answer("owed")
    (post,) = rig.posts()
    rig.tell(CHANNEL, DeliveryFailed(request_id=post.request_id, reason="no network"))
    start(rig)
    start(rig)
    rig.kill()
    again = Rig(tmp_path)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    repeated = again.deliver()
    assert repeated == msgspec.structs.replace(post, look_first=True)
    again.kill()
    third = Rig(tmp_path)
    third.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=third.surface.address))
    assert third.posts() == []
    third.say("new", 2)
    assert texts(third.answer("ok")) == ["new"], "what is owed is no part of the conversation"
    third.stop()


def test_one_that_is_on_its_way_is_not_sent_again(rig: Rig) -> None:
    rig.say("question", 1)
    rig.answer("owed")
    start(rig)
    assert rig.deliver().text == "owed"
    rig.advance(2000)
    assert rig.posts() == []
    assert rig.kinds() == [Kind.SYSTEM, Kind.DELIVERY]


def test_words_that_are_owed_go_with_the_message_that_they_answer(rig: Rig) -> None:
    rig.say("my secret", 1)
    rig.answer("owed")
    start(rig)
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("1"),)))
    copy = rig.root / "redacted" / rig.logs()[-1].relative_to(rig.root / "logs")
    assert b"owed\n" not in copy.read_bytes()


def test_an_old_log_that_cannot_be_made_read_only_refuses_nothing_and_empties_what_it_says(rig: Rig) -> None:
    def fails(call: str, data: bytes) -> None:
        if call == "change_mode":
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    rig.say("old", 1)
    rig.answer("yes")
    rig.deliver()
    rig.disk.before = fails
    start(rig)
    rig.say("new", 2)
    assert texts(rig.answer("ok")) == ["new"]
    assert rig.deliver().text == "ok"


@pytest.mark.parametrize("step", ["sync", "open", "write", "replace", "sync_folder"])
def test_a_new_window_that_is_refused_leaves_the_history_as_it_was(rig: Rig, step: str) -> None:
    failing = [True]

    def fails(call: str, data: bytes) -> None:
        if call == step and failing:
            failing.clear()
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    rig.say("old", 1)
    rig.answer("yes")
    rig.deliver()
    rig.disk.before = fails
    asker = rig.system.edge("asker")
    command = StartNewWindow(request_id=RequestId("n"), reply_to=asker.address, window=CHANNEL, asked_by=UserId("1"))
    rig.tell(CHANNEL, command)
    assert [type(reply) for reply in asker.drain()] == [Refused]
    rig.say("still there?", 2)
    assert texts(rig.answer("ok")) == ["old", "yes", "still there?"]


def test_a_log_whose_end_a_crash_kept_from_being_written_gets_it_with_the_next_start(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("run it", 1)
    rig.answer("", bash_call("sleep 9"), stop=StopReason.TOOL_CALLS)

    def dies(call: str, data: bytes) -> None:
        if len(list(rig.root.rglob("*.md"))) == 2 and call == "write":
            raise KeyboardInterrupt

    rig.disk.before = dies
    with pytest.raises(KeyboardInterrupt):
        start(rig)
    rig.kill()
    rig.disk.before = lambda call, data: None
    again = Rig(tmp_path)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    again.say("new", 2)
    assert texts(again.answer("ok")) == ["new"]
    old = again.logs()[0]
    assert [logged.event.kind for logged in parse(old.read_bytes()).events][-2:] == [Kind.TOOL_RESULT, Kind.SYSTEM]
    assert '"what":"aborted"' in old.read_text()
    assert not old.stat().st_mode & 0o222
    again.stop()
