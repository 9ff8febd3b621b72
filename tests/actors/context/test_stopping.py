"""Stopping a turn: by command, by the button of a turn, by a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.log.event import Kind
from domain.log.parser import parse
from domain.turn.conversation import rebuild
from messages.base import Message, MessageId, RequestId
from messages.context import NewWindowStarted, RetractMessages, ReviseMessage, StopTurn, TurnStopped
from messages.model import CancelModel, ModelRequest, StopReason
from messages.shell import CancelBash
from messages.socket import Refused
from messages.turn import EventsLogged, TurnEnded
from tests.actors.context.retractions import edit, exchange, new_window
from tests.actors.context.rig import CHANNEL, Rig, bash_call, bash_result, of_type, reply, texts
from tests.actors.context.test_gathered_retraction import LOOK_S, with_long_logs


def stop(rig: Rig, turn_id: str = "") -> Message:
    """Ask for a stop; the reply."""
    asker = rig.system.edge("asker")
    command = StopTurn(
        request_id=RequestId("s"), reply_to=asker.address, window=CHANNEL, asked_by="Alice", turn_id=turn_id
    )
    rig.tell(CHANNEL, command)
    (answer,) = asker.drain()
    return answer


@pytest.mark.req("S0-89", "S0-98g")
def test_the_running_turn_ends_and_what_waits_behind_it_is_left_unanswered(rig: Rig) -> None:
    rig.say("one", 1)
    (request,) = rig.requests()
    rig.say("two", 2)
    stopped = stop(rig)
    assert stopped == TurnStopped(request_id=RequestId("s"), turn_id=rig.events()[0].id)
    assert rig.model.drain() == [CancelModel(request_id=request.request_id)]
    rig.tell(CHANNEL, reply(request, "late"))
    assert rig.posts() == []
    assert [(event.kind, event.content) for event in rig.events()] == [
        (Kind.USER, "one"),
        (Kind.USER, "two"),
        (Kind.SYSTEM, "stopped by Alice"),
        (Kind.SYSTEM, "unanswered: stopped by Alice"),
        (Kind.SYSTEM, "stopped by Alice"),
    ]
    assert [ended.outcome for ended in of_type(TurnEnded, rig.listener.drain())] == ["aborted", "aborted"]


def ending(rig: Rig, way: str) -> Message:
    """Message that ends all turns in hand."""
    if way == "anew":
        return new_window(rig)
    if way == "deleted":
        return RetractMessages(window=CHANNEL, message_ids=(MessageId("1"), MessageId("2")))
    return StopTurn(request_id=RequestId("s"), reply_to=rig.surface.address, window=CHANNEL, asked_by="Alice")


@pytest.mark.parametrize("way", ["stopped", "anew", "deleted"])
def test_what_waits_is_ended_though_its_edit_is_noted_at_that_moment(tmp_path: Path, way: str) -> None:
    rig = with_long_logs(tmp_path)
    exchange(rig, "before", 9)
    rig.say("one", 1)
    rig.say("two", 2)
    edit(rig, 9, "edited before")
    edit(rig, 2, "three")
    rig.system.tell(CHANNEL.address, ending(rig, way))
    rig.advance(60 * LOOK_S)
    replies = [*rig.listener.drain(), *rig.surface.drain()]
    assert way == "deleted" or any(isinstance(each, NewWindowStarted | TurnStopped) for each in replies)
    before = parse(rig.logs()[0].read_bytes()).events
    ended = [str(each.event.meta_dict()["turn"]) for each in before if each.event.meta_dict().get("what") == "aborted"]
    assert sorted(ended) == sorted(each.event.id for each in before if each.event.content in ("one", "two"))
    assert [type(each) for each in rig.model.drain()] == [ModelRequest, CancelModel]
    rig.stop()


@pytest.mark.parametrize("way", ["stopped", "anew"])
def test_what_an_edit_makes_a_question_at_that_moment_is_ended_as_well(tmp_path: Path, way: str) -> None:
    rig = with_long_logs(tmp_path)
    exchange(rig, "before", 9)
    rig.say("two", 2, wants_answer=False)
    rig.say("one", 1)
    edit(rig, 9, "edited before")
    edited = ReviseMessage(window=CHANNEL, message_id=MessageId("2"), text="three?", files=0, wants_answer=True)
    rig.tell(CHANNEL, edited)
    rig.system.tell(CHANNEL.address, ending(rig, way))
    rig.advance(60 * LOOK_S)
    assert rebuild((each.event for each in parse(rig.logs()[0].read_bytes()).events), 1000).open_turns() == []
    rig.stop()


def test_the_window_is_free_at_once(rig: Rig) -> None:
    rig.say("one", 1)
    stop(rig)
    rig.model.drain()
    rig.say("two", 2)
    assert texts(rig.answer("ok"))[-1] == "two"


def test_a_running_command_is_cancelled_and_its_call_answered(rig: Rig) -> None:
    rig.say("one", 1)
    rig.answer("", bash_call("sleep 100"), stop=StopReason.TOOL_CALLS)
    (command,) = rig.commands()
    stop(rig)
    assert of_type(CancelBash, rig.shell.drain()) == [CancelBash(request_id=command.request_id)]
    rig.tell(CHANNEL, bash_result(command, "late"))
    rig.say("two", 2)
    request = rig.answer("ok")
    calls = [call.id for message in request.messages for call in message.tool_calls]
    assert [message.tool_call_id for message in request.messages if message.tool_call_id] == calls


def test_an_old_button_is_refused_and_changes_nothing(rig: Rig) -> None:
    rig.say("one", 1)
    old = rig.events()[0].id
    rig.answer("1")
    rig.say("two", 2)
    refused = stop(rig, old)
    assert isinstance(refused, Refused)
    assert "no longer in progress" in refused.reason
    assert texts(rig.answer("2"))[-1] == "two"


def test_the_button_of_the_running_turn_stops_it(rig: Rig) -> None:
    rig.say("one", 1)
    assert isinstance(stop(rig, rig.events()[0].id), TurnStopped)


def test_stopping_nothing_is_refused(rig: Rig) -> None:
    refused = stop(rig)
    assert isinstance(refused, Refused)
    assert "no answer" in refused.reason


def test_the_word_alone_stops_and_is_only_noted(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["stop", "Stop!", "<@910000000000000001> STOP."]
    for number, word in enumerate(cases):
        with subtests.test(word=word):
            root = tmp_path / str(number)
            root.mkdir()
            rig = Rig(root)
            rig.say("one", 1)
            rig.say(word, 2, wants_answer=False)
            assert of_type(CancelModel, rig.model.drain())
            assert [event.kind for event in rig.events()] == [Kind.USER, Kind.USER, Kind.SYSTEM]
            assert rig.events()[1].meta_dict()["overheard"] is True
            assert [news.events[0].text for news in of_type(EventsLogged, rig.listener.drain())] == [word]
            rig.say("next", 3)
            assert texts(rig.answer("ok"))[-1] == "next"
            rig.stop()


def test_the_word_is_an_ordinary_message_when_nothing_runs(rig: Rig) -> None:
    rig.say("stop", 1)
    assert texts(rig.answer("Stop what?")) == ["stop"]


def test_a_sentence_with_the_word_waits_like_any_other(rig: Rig) -> None:
    rig.say("one", 1)
    rig.say("don't stop", 2)
    rig.answer("1")
    (request,) = of_type(ModelRequest, rig.model.drain())
    assert texts(request)[-1] == "don't stop"


def test_a_word_that_comes_late_stops_only_what_was_asked_before(rig: Rig) -> None:
    """The event of the word was lost, and the history was read after the next question."""
    rig.say("one", 1)
    rig.say("three", 3)
    rig.say("stop", 2)
    rig.say("stop", 2)
    requested = rig.model.drain()
    (first, request) = of_type(ModelRequest, requested)
    assert of_type(CancelModel, requested) == [CancelModel(request_id=first.request_id)]
    assert texts(request)[-1] == "three"
    rig.tell(CHANNEL, reply(request, "3"))
    assert rig.deliver().answers_message_id == "3"


def test_a_word_that_comes_late_leaves_a_later_question_that_runs(rig: Rig) -> None:
    rig.say("three", 3)
    rig.say("one", 1)
    rig.say("stop", 2)
    assert not of_type(CancelModel, rig.model.drain())
    assert [event.content for event in rig.events()][3:] == ["unanswered: stopped by Alice"]


def test_a_word_that_comes_late_leaves_a_turn_that_a_later_question_has_joined(tmp_path: Path) -> None:
    rig = Rig(tmp_path, mid_turn="steer")
    rig.say("one", 1)
    rig.say("three", 3)
    rig.answer("", bash_call("date"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("noon")
    rig.say("stop", 2)
    rig.answer("1 and 3")
    assert rig.deliver().answers_message_id == "1"
    rig.stop()
