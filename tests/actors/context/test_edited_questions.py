"""Edits of questions that wait: the answer, and the command, go by the new words."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.context.actor import REOPEN_AFTER_S
from actors.context.retraction import MOST_HELD, REVISIONS, REVISIONS_S
from domain.log.event import Kind
from domain.log.kept import digest
from domain.turn.call_result import INTERRUPTED
from messages.base import MessageId, RequestId, UserId
from messages.context import KeptMessagesTold, Quote, ResumeWindow, RetractMessages, ReviseMessage, TellKeptMessages
from messages.model import StopReason
from tests.actors.context import durability
from tests.actors.context.retractions import copies, delete, edit, exchange
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type, reply, texts
from tests.actors.context.steps import Killed
from tests.actors.context.test_gathered_retraction import LOOK_S, with_long_logs

OLD, NEW = "buy 41000 shares", "buy 5 shares"


def begin(rig: Rig) -> None:
    """A first question is in hand, a second waits."""
    rig.say("what is new?", 1)
    rig.say(OLD, 2)


def with_younger_turn(tmp_path: Path, text: str) -> Rig:
    """Rig in whose window a younger question `text` is in hand, having passed a question edited between two looks."""
    rig = with_long_logs(tmp_path)
    exchange(rig, "before", 9)
    begin(rig)
    rig.say(text, 3)
    edit(rig, 9, "edited before")
    edit(rig, 2, NEW)
    rig.answer("nothing")
    rig.deliver()
    return rig


def answer(rig: Rig, text: str) -> str:
    """Have the model answer its open request; all that it was shown."""
    return "\n".join(texts(rig.answer(text)))


def test_a_question_that_is_edited_while_it_waits_is_asked_in_its_new_words(rig: Rig) -> None:
    begin(rig)
    edit(rig, 2, NEW)
    rig.answer("nothing")
    request = answer(rig, "bought")
    assert NEW in request
    assert OLD not in request
    assert [rig.deliver().answers_message_id, rig.deliver().answers_message_id] == ["1", "2"]
    assert b"41000" not in b"".join(copies(rig))
    assert rig.requests() == []


@pytest.mark.parametrize(
    ("acts", "expected"),
    [
        ([lambda rig: edit(rig, 2, "buy 7 shares"), lambda rig: edit(rig, 2, NEW)], NEW),
        ([lambda rig: edit(rig, 2, NEW), lambda rig: edit(rig, 2, OLD)], OLD),
        ([lambda rig: edit(rig, 2, OLD)], OLD),
        ([lambda rig: edit(rig, 2, NEW), lambda rig: delete(rig, 2)], ""),
        ([lambda rig: edit(rig, 2, "")], ""),
    ],
    ids=["twice", "and back", "only its previews", "then deleted", "to nothing"],
)
def test_edits_of_a_waiting_question_leave_one_question_or_none(
    rig: Rig, acts: list[Callable[[Rig], None]], expected: str
) -> None:
    begin(rig)
    for act in acts:
        act(rig)
    rig.answer("nothing")
    rig.deliver()
    if expected:
        assert answer(rig, "bought").rstrip().endswith(expected)
        assert rig.deliver().answers_message_id == "2"
    assert (rig.requests(), rig.posts()) == ([], [])


def test_a_question_edited_while_looks_are_too_often_waits_for_its_new_words(tmp_path: Path) -> None:
    rig = with_long_logs(tmp_path)
    rig.say("before", 9)
    rig.answer("well")
    rig.deliver()
    begin(rig)
    edit(rig, 9, "edited before")
    edit(rig, 2, NEW)
    rig.answer("nothing")
    rig.deliver()
    assert rig.requests() == []
    rig.advance(60 * LOOK_S)
    request = answer(rig, "bought")
    assert NEW in request
    assert OLD not in request
    rig.stop()


def test_commands_of_a_turn_that_passed_an_edited_question_are_run_once(tmp_path: Path) -> None:
    rig = with_younger_turn(tmp_path, "do both")
    rig.answer("", bash_call("first", "a"), bash_call("second", "b"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("one")
    assert [command.command for command in rig.commands()] == ["second"]
    rig.kill()
    rig.disk.lose_power()

    again = Rig(tmp_path)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    again.answer("bought")
    again.deliver()
    assert again.commands() == []
    assert texts(again.answer("done"))[-2:] == [INTERRUPTED, INTERRUPTED]
    assert again.deliver().answers_message_id == "3"
    again.stop()


def test_a_turn_that_passed_an_edited_question_keeps_its_commands_when_it_waits_behind_that_after_a_kill(
    tmp_path: Path,
) -> None:
    rig = with_younger_turn(tmp_path, "do it")
    rig.answer("", bash_call("first", "a"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("one")
    rig.kill()

    again = Rig(tmp_path, mid_turn="steer")
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    again.answer("", bash_call("date", "b"), stop=StopReason.TOOL_CALLS)
    again.finish_command("noon")
    again.answer("bought")
    assert again.deliver().answers_message_id == "2"
    assert texts(again.answer("done"))[-1] == "one"
    assert again.deliver().answers_message_id == "3"
    again.stop()


def test_an_edit_while_the_model_is_asked_comes_after_the_answer(rig: Rig) -> None:
    rig.say(OLD, 2)
    edit(rig, 2, NEW)
    rig.answer("bought")
    assert rig.deliver().answers_message_id == "2"
    assert rig.requests() == []
    questions = [event.content for event in rig.events() if event.kind is Kind.USER]
    assert questions == [OLD, NEW]
    assert b"41000" not in b"".join(copies(rig))


def test_a_question_keeps_its_place_and_what_it_quotes(rig: Rig) -> None:
    rig.say("what is new?", 1)
    quote = Quote(message_id=MessageId("77"), author_name="Bob", author_id=UserId("8"), text="the share price rose")
    rig.say(OLD, 2, quote=quote)
    rig.say("third", 3)
    edit(rig, 2, NEW)
    rig.answer("nothing")
    request = answer(rig, "bought")
    assert NEW in request
    assert "the share price rose" in request
    assert "third" in answer(rig, "well")


def test_a_kill_after_the_edit_leaves_the_new_question(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    begin(rig)
    edit(rig, 2, NEW)
    rig.kill()
    again = Rig(tmp_path)
    again.say("third", 3)
    again.answer("nothing")
    request = answer(again, "bought")
    assert NEW in request
    assert OLD not in request
    assert len([event for event in again.events(CHANNEL) if event.content == NEW]) == 1
    again.stop()


def differs(rig: Rig) -> bool:
    """True if the window's words of the second question differ from Discord's, which then reports the edit."""
    asker = rig.system.edge("compares")
    rig.tell(CHANNEL, TellKeptMessages(request_id=RequestId("k"), reply_to=asker.address, window=CHANNEL))
    (report,) = of_type(KeptMessagesTold, asker.drain())
    asker.close()
    return any(each.message_id == "2" and each.words != digest(NEW) for each in report.messages)


def interrupt_edit(root: Path, at: int) -> bool:
    """True if the edit of a waiting question has a step with the number; killed there, it is answered all the same."""
    root.mkdir()
    rig = Rig(root)
    begin(rig)
    steps: list[str] = []

    def dies(call: str, data: bytes) -> None:
        steps.append(call)
        if len(steps) >= at:
            raise Killed

    rig.disk.before = dies
    try:
        edit(rig, 2, NEW)
    except Killed:
        rig.kill()
        rig.disk.before = lambda call, data: None
        rig = Rig(root)
        rig.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=rig.surface.address))
        if differs(rig):
            edit(rig, 2, NEW)
    rig.disk.before = lambda call, data: None
    rig.answer("nothing")
    assert rig.deliver().answers_message_id == "1"
    request = answer(rig, "bought")
    assert (NEW in request, OLD in request) == (True, False), at
    assert rig.deliver().answers_message_id == "2"
    assert (rig.requests(), rig.posts()) == ([], []), at
    rig.stop()
    return len(steps) >= at


@pytest.mark.crashes
def test_a_question_whose_edit_is_killed_at_any_step_is_answered_once_in_its_new_words(tmp_path: Path) -> None:
    assert durability.count_steps(interrupt_edit, tmp_path) > 4


def test_questions_whose_edits_are_noted_while_the_turn_before_is_taken_back_are_all_asked(tmp_path: Path) -> None:
    rig = with_long_logs(tmp_path)
    exchange(rig, "before", 9)
    begin(rig)
    rig.say("and sell 9 shares", 3)
    edit(rig, 9, "edited before")
    edit(rig, 2, NEW)
    edit(rig, 3, "and sell 1 share")
    rig.system.tell(CHANNEL.address, RetractMessages(window=CHANNEL, message_ids=(MessageId("1"),)))
    rig.advance(60 * LOOK_S)
    request = rig.requests()[-1]
    assert texts(request)[-1].endswith(NEW)
    rig.system.tell(request.reply_to, reply(request, "bought"))
    rig.system.run()
    assert texts(rig.requests()[-1])[-1].endswith("and sell 1 share")
    rig.stop()


def fail_edits(root: Path, at: int) -> bool:
    """True if the edits of two waiting questions have a record with the number; if it fails, both are answered still."""
    root.mkdir()
    rig = with_long_logs(root, mid_turn="steer")
    exchange(rig, "before", 9)
    begin(rig)
    rig.say("and sell 9 shares", 3)
    edit(rig, 9, "edited before")
    edit(rig, 2, NEW)
    edit(rig, 3, "and sell 1 share")
    records: list[bytes] = []

    def fails(call: str, data: bytes) -> None:
        if call == "write" and data.startswith(b"## "):
            records.append(data)
            if len(records) == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    rig.disk.before = fails
    rig.advance(60 * LOOK_S)
    rig.disk.before = lambda call, data: None
    rig.advance(REOPEN_AFTER_S + 60 * LOOK_S)
    request = rig.requests()[-1]
    rig.system.tell(request.reply_to, reply(request, "", bash_call("date"), stop=StopReason.TOOL_CALLS))
    rig.system.run()
    rig.finish_command("noon")
    request_text = answer(rig, "done")
    assert (NEW in request_text, "and sell 1 share" in request_text) == (True, True), at
    assert (OLD in request_text, "and sell 9 shares" in request_text) == (False, False), at
    assert rig.deliver().answers_message_id == "1"
    assert (rig.requests(), rig.posts()) == ([], []), at
    rig.stop()
    return len(records) >= at


@pytest.mark.crashes
def test_questions_whose_edits_fail_at_any_record_are_answered_once(tmp_path: Path) -> None:
    assert durability.count_steps(fail_edits, tmp_path) > 4


@pytest.mark.slow
def test_no_question_is_lost_among_more_edits_than_words_that_may_wait_for_room(rig: Rig) -> None:
    exchange(rig, "before", 9)
    rig.say("what is new?", 10)
    for number in range(REVISIONS):
        edit(rig, 9, f"edited {number} times before")
    questions = range(100, 101 + MOST_HELD)
    for number in questions:
        rig.say(f"sell {number} shares", number)
    for number in questions:
        edit(rig, number, f"buy {number} shares")
    rig.advance(REVISIONS_S)
    assert f"buy {questions[0]} shares" in [event.content for event in rig.events()]


def lose_log(rig: Rig) -> None:
    """Have the disk refuse one record: the window loses its log for a minute, and the turn in hand with all requests."""
    failures = [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))]

    def fails(call: str, data: bytes) -> None:
        if call == "write" and data.startswith(b"## ") and failures:
            raise failures.pop()

    rig.disk.before = fails
    rig.say("thanks", 4, wants_answer=False)
    assert not failures
    rig.model.drain()
    rig.shell.drain()


@pytest.mark.parametrize("has_run", [False, True], ids=["thinking", "behind a command"])
def test_a_question_that_was_edited_during_its_answer_goes_on_after_the_loss_of_the_log(
    tmp_path: Path, *, has_run: bool
) -> None:
    rig = Rig(tmp_path)
    exchange(rig, "good morning", 1)
    rig.say(OLD, 2)
    if has_run:
        rig.answer("I look.", bash_call("date"))
    edit(rig, 2, NEW)
    lose_log(rig)
    rig.advance(REOPEN_AFTER_S + 1)
    rig.answer("bought")
    assert rig.deliver().answers_message_id == "2"
    assert [event.content for event in rig.events() if event.kind is Kind.USER][-1] == NEW
    rig.stop()


@pytest.mark.parametrize("is_running", [False, True], ids=["at rest", "running"])
def test_a_waiting_question_is_asked_in_its_new_words_though_the_log_is_lost_before(
    tmp_path: Path, *, is_running: bool
) -> None:
    rig = with_long_logs(tmp_path)
    exchange(rig, "before", 9)
    begin(rig)
    if is_running:
        rig.say("what else?", 3)
    edit(rig, 9, "edited before")
    edit(rig, 2, NEW)
    rig.answer("nothing")
    rig.deliver()
    lose_log(rig)
    rig.advance(REOPEN_AFTER_S + 60 * LOOK_S)
    request = answer(rig, "bought")
    assert (NEW in request, OLD in request) == (True, False)
    assert rig.deliver().answers_message_id == "2"
    if is_running:
        rig.answer("nothing else")
        assert rig.deliver().answers_message_id == "3"
    assert (rig.requests(), rig.posts()) == ([], [])
    rig.stop()


def test_a_message_that_an_edit_made_a_question_is_asked_once_however_often_it_is_addressed_anew(rig: Rig) -> None:
    def address(text: str) -> None:
        """Have the surface report an edit as the first that addresses the agent, as after a restart."""
        edited = ReviseMessage(window=CHANNEL, message_id=MessageId("2"), text=text, files=0, wants_answer=True)
        rig.tell(CHANNEL, edited)

    exchange(rig, "before", 1)
    rig.say("buy 1 share", 2, wants_answer=False)
    address("@bot, buy 2 shares")
    rig.answer("bought")
    assert rig.deliver().answers_message_id == "2"
    for text in ("@bot, buy 3 shares", "@bot, buy 4 shares"):
        address(text)
        assert (rig.requests(), rig.posts()) == ([], [])
    assert [event.content for event in rig.events() if event.kind is Kind.USER][-1] == "@bot, buy 4 shares"
