"""Stopping a turn: by command, by the button of a turn, by a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.log.event import Kind
from messages.base import Message, RequestId
from messages.context import StopTurn, TurnStopped
from messages.model import CancelModel, ModelRequest, StopReason
from messages.shell import CancelBash
from messages.socket import Refused
from messages.turn import EventsLogged, TurnEnded
from tests.actors.context.rig import CHANNEL, Rig, bash_call, bash_result, of_type, reply, texts


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
        (Kind.SYSTEM, "stopped by Alice"),
        (Kind.SYSTEM, "unanswered: stopped by Alice"),
    ]
    assert [ended.outcome for ended in of_type(TurnEnded, rig.listener.drain())] == ["aborted", "aborted"]


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
