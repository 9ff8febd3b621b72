"""Calls that may wait for a person's approval: after a kill they go on, and nothing runs twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.log.event import Kind
from domain.turn.call_result import INTERRUPTED
from messages.base import MessageId, RequestId, UserId
from messages.context import ResumeWindow
from messages.model import StopReason
from messages.shell import BashRefused, RunBash
from messages.turn import AskerTold, TellAsker
from tests.actors.context.rig import CHANNEL, Rig, bash_call, bash_result


def resume(root: Path) -> Rig:
    rig = Rig(root, resumes_calls=True)
    rig.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=rig.surface.address))
    return rig


def begin_command(root: Path) -> Rig:
    """Life in the first of two commands."""
    rig = Rig(root, resumes_calls=True)
    rig.say("do both", 1)
    rig.answer("", bash_call("first", "a"), bash_call("second", "b"), stop=StopReason.TOOL_CALLS)
    return rig


def finish(rig: Rig, command: RunBash, text: str) -> None:
    rig.system.tell(command.reply_to, bash_result(command, text))
    rig.system.run()


@pytest.mark.req("X-236")
def test_after_a_kill_the_call_that_waited_is_asked_for_again_and_the_rest_follows(tmp_path: Path) -> None:
    rig = begin_command(tmp_path)
    (command,) = rig.commands()
    assert not command.is_again
    rig.kill()

    again = resume(tmp_path)
    (first,) = again.commands()
    assert (first.command, first.is_again) == ("first", True)
    assert again.requests() == []
    finish(again, first, "one")
    (second,) = again.commands()
    assert (second.command, second.is_again) == ("second", False)
    finish(again, second, "two")
    assert [message.text for message in again.answer("both done").messages[-2:]] == ["one", "two"]
    assert again.deliver().text == "both done"
    again.stop()


def test_a_power_loss_in_the_second_call_takes_no_result_of_the_first(tmp_path: Path) -> None:
    rig = begin_command(tmp_path)
    rig.finish_command("one")
    (command,) = rig.commands()
    assert (command.command, command.is_again) == ("second", False)
    rig.kill()
    rig.disk.lose_power()

    again = resume(tmp_path)
    (command,) = again.commands()
    assert (command.command, command.is_again) == ("second", True)
    finish(again, command, "two")
    assert [message.text for message in again.answer("both done").messages[-2:]] == ["one", "two"]
    again.stop()


def test_the_second_interruption_ends_the_turn_as_ever(tmp_path: Path) -> None:
    begin_command(tmp_path).kill()
    resume(tmp_path).kill()
    third = resume(tmp_path)
    assert third.commands() == []
    assert "interrupted twice" in third.deliver().text
    assert third.kinds().count(Kind.TOOL_RESULT) == third.kinds().count(Kind.TOOL_CALL) == 2
    third.stop()


def test_where_no_call_waits_for_a_person_calls_are_interrupted(tmp_path: Path) -> None:
    begin_command(tmp_path).kill()
    rig = Rig(tmp_path)
    rig.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=rig.surface.address))
    assert rig.commands() == []
    assert rig.answer("ok").messages[-1].text == INTERRUPTED
    rig.stop()


def test_a_refusal_by_a_person_is_the_commands_result(tmp_path: Path) -> None:
    rig = begin_command(tmp_path)
    (command,) = rig.commands()
    rig.system.tell(command.reply_to, BashRefused(request_id=command.request_id, reason="a person refused."))
    rig.system.run()
    rig.finish_command("two")
    assert rig.answer("ok").messages[-2].text == "Not run: a person refused."
    rig.stop()


@pytest.mark.req("X-236")
def test_a_window_says_whose_question_it_works_on(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    asker = rig.system.edge("asker")
    ask = TellAsker(request_id=RequestId("1"), reply_to=asker.address, window=CHANNEL)
    rig.tell(CHANNEL, ask)
    assert asker.receive(0.1) == AskerTold(request_id=RequestId("1"))
    rig.say("hello", 1)
    rig.tell(CHANNEL, ask)
    told = asker.receive(0.1)
    assert isinstance(told, AskerTold)
    assert (told.asked_by, told.message_id) == (UserId("910000000000000021"), MessageId("1"))
    assert told.turn_id
    rig.stop()
