"""Wording of a window's results by another part: questions, and accepted answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from actors.context.log.journal import Journal
from domain.log.event import Kind
from messages.base import Address, MessageId, RequestId, TurnId, UserId
from messages.context import NewWindowStarted, RetractMessages, StartNewWindow, StopTurn
from messages.model import ModelRequest, Role, StopReason
from messages.turn import ExpandReference, ReferenceExpanded, WordRequest
from tests.actors.context.rig import CHANNEL, THREAD, Rig, bash_call, bash_result, of_type, texts
from tests.actors.context.worded import BLOCK, NOTE, THERE, Worded, results_of, shown_results


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Worded]:
    made = Worded(tmp_path)
    yield made
    made.stop()


def heads(request: ModelRequest) -> list[str]:
    """Text before the header of each message by a person."""
    said = [message.text for message in request.messages if message.role is Role.USER]
    return [text.partition("[2026-")[0] for text in said]


# what is asked


def test_the_model_is_asked_once_it_is_said_how_results_are_worded(rig: Worded) -> None:
    rig.say("one", 1)
    question = rig.take_question()
    assert rig.requests() == []
    rig.word(question)
    assert len(rig.requests()) == 1


def test_each_model_call_is_preceded_by_one_question_about_all_that_it_shows(rig: Worded, tmp_path: Path) -> None:
    rig.say("one", 1, audience="members")
    first = rig.word_all()
    rig.run_command("files")
    second = rig.word_all()
    rig.end()
    rig.say("two", 2, audience="members")
    third = rig.word_all()

    assert [[len(turn.calls) for turn in each.turns] for each in (first, second, third)] == [[0], [1], [1, 0]]
    assert third.turns[0] == second.turns[0]
    assert third.turns[0].calls[0] is second.turns[0].calls[0], "made once"
    assert [turn.turn_id for turn in third.turns] == [
        TurnId(event.id) for event in rig.events() if event.kind is Kind.USER
    ]
    assert (third.turn_id, third.window, third.audience) == (third.turns[-1].turn_id, CHANNEL, "members")
    assert third.log == rig.logs()[0].relative_to(tmp_path).as_posix()
    assert len({first.request_id, second.request_id, third.request_id}) == 3


def test_of_a_call_all_is_told_that_the_log_has(rig: Worded) -> None:
    rig.say("one", 1)
    rig.word_all()
    rig.answer("", bash_call("make all", "a"), bash_call("", "b"), stop=StopReason.TOOL_CALLS)
    rig.advance(2)
    (command,) = rig.commands()
    ended = msgspec.structs.replace(bash_result(command, "made", 3), full_output_path="/work/output/1.txt")
    rig.tell(CHANNEL, ended)

    made, refused = rig.take_question().turns[0].calls
    logged = {event.id: event for event in rig.events()}
    call = next(event for event in logged.values() if event.kind is Kind.TOOL_CALL)
    assert (made.call_id, made.command, made.text) == ("a", "make all", "made")
    assert (made.outcome, made.exit_code, made.full_output) == ("exited", 3, "/work/output/1.txt")
    assert (made.asked_at, made.ended_at) == (call.at, logged[made.event].at)
    assert (made.ended_at - made.asked_at).total_seconds() == 2
    assert logged[made.event].content == "made"
    assert (refused.call_id, refused.command, refused.outcome, refused.exit_code) == ("b", "", "refused", None)
    assert refused.text.startswith("Not run: ")


def test_each_windows_own_part_is_asked(rig: Worded) -> None:
    other = rig.system.edge(f"worder-{THREAD.id}")
    rig.say("one", 1, THREAD)
    assert rig.questions() == []
    assert [each.window for each in of_type(WordRequest, other.drain())] == [THREAD]


def test_without_such_a_part_nothing_is_asked_waited_for_or_kept(tmp_path: Path) -> None:
    rig = Worded(tmp_path, wording=None)
    rig.say("one", 1)
    rig.run_command("files")
    assert shown_results(rig.end()) == ["files"]
    assert rig.questions() == []
    assert rig.config.counted_result_chars is None
    assert rig.config.history_tokens == rig.config.max_history_tokens
    rig.stop()


def test_what_is_shown_besides_is_taken_from_the_history_but_for_half_of_it(tmp_path: Path) -> None:
    for tokens, left in ((0, 1_000), (300, 700), (800, 500)):
        rig = Worded(tmp_path, max_history_tokens=1_000, wording_tokens=tokens)
        assert rig.config.history_tokens == left
        rig.stop()


def test_a_new_window_is_another_log(rig: Worded) -> None:
    rig.say("one", 1)
    before = rig.word_all()
    rig.end()
    edge = rig.system.edge("asker")
    command = StartNewWindow(
        request_id=RequestId("n"), reply_to=edge.address, window=CHANNEL, asked_by=UserId("910000000000000021")
    )
    rig.tell(CHANNEL, command)
    (started,) = of_type(NewWindowStarted, edge.drain())
    rig.say("two", 2)
    after = rig.word_all()
    assert after.log == started.path != before.log
    assert len(after.turns) == 1


def test_a_turn_that_was_taken_back_is_not_told_of(rig: Worded) -> None:
    rig.say("secret", 1)
    rig.word_all()
    rig.run_command("41000")
    rig.word_all()
    rig.end()
    rig.say("other", 2)
    rig.word_all()
    rig.end()
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("1"),)))
    rig.say("three", 3)
    question = rig.word_all()
    assert len(question.turns) == 2
    assert results_of(question) == {}
    assert "41000" not in str(rig.end().messages)


def test_a_message_that_was_only_overheard_is_no_turn_and_is_shown(rig: Worded) -> None:
    rig.say("aside", 1, wants_answer=False)
    rig.say("one", 2)
    assert len(rig.word_all().turns) == 1
    assert texts(rig.end()) == ["aside", "one"]


def test_the_block_that_moves_is_told_as_the_place_from_which_nothing_is_as_before(tmp_path: Path) -> None:
    rig = Worded(tmp_path, remembers=True)
    rig.say("one", 1)
    rig.remember()
    first = rig.word_all()
    rig.run_command("files")
    same = rig.word_all()
    rig.end()
    rig.say("two", 2)
    rig.remember()
    moved = rig.word_all()
    assert (first.breaks_from, same.breaks_from, moved.breaks_from) == ("", "", first.turn_id)
    rig.stop()


# what the model sees


@pytest.mark.req("S3-50", "S3-51")
def test_only_texts_of_results_differ_from_what_it_is_without_wording(tmp_path: Path) -> None:
    def play_turns(rig: Worded, *, is_on: bool) -> list[ModelRequest]:
        requests = []
        for number in range(3):
            rig.say(f"question {number}", number + 1)
            if is_on:
                rig.word_all()
            calls = (bash_call("one", "a"), bash_call("two", "b"))
            requests.append(rig.answer("Let me see.", *calls, stop=StopReason.TOOL_CALLS))
            rig.finish_command(f"first {number}")
            rig.finish_command(f"second {number}")
            if is_on:
                rig.word_all()
            requests.append(rig.end())
        return requests

    for name in ("on", "off"):
        (tmp_path / name).mkdir()
    on = play_turns(on_rig := Worded(tmp_path / "on"), is_on=True)
    off = play_turns(off_rig := Worded(tmp_path / "off", wording=None), is_on=False)
    for worded, plain in zip(on, off, strict=True):
        assert [f"ref {text}" for text in shown_results(plain)] == shown_results(worded)
        assert [_without_results(each) for each in worded.messages] == [
            _without_results(each) for each in plain.messages
        ]
        assert (worded.system_prompt, worded.tools, worded.model) == (plain.system_prompt, plain.tools, plain.model)
    assert len(shown_results(on[-1])) == 6
    logs = [[event.content for event in rig.events()] for rig in (on_rig, off_rig)]
    assert logs[0] == logs[1], "the log has what was printed"
    on_rig.stop()
    off_rig.stop()


def _without_results(message: object) -> object:
    is_result = getattr(message, "role", None) is Role.TOOL
    return msgspec.structs.replace(message, text="") if is_result else message  # type: ignore[type-var]


def test_a_result_that_is_not_named_is_shown_as_it_is(rig: Worded) -> None:
    rig.say("one", 1)
    rig.word_all()
    rig.answer("", bash_call("a", "a"), bash_call("b", "b"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("A")
    rig.finish_command("B")
    question = rig.take_question()
    first = next(event for event, text in results_of(question).items() if text == "A")
    rig.word(question, {first: "ref A"})
    assert shown_results(rig.end()) == ["ref A", "B"]


def test_note_block_and_prompt_stand_in_this_order_in_one_message(tmp_path: Path) -> None:
    rig = Worded(tmp_path, remembers=True)
    rig.say("one", 1)
    rig.remember()
    turn_id = _word_note(rig)
    request = rig.end()
    (message,) = request.messages
    assert message.text.startswith(f"{NOTE}\n\n{BLOCK}\n\n[2026-")
    assert message.text.endswith(":\none")

    rig.say("two", 2)
    rig.remember()
    question = rig.take_question()
    rig.word(question, notes={turn_id: NOTE})
    later = rig.end()
    assert heads(later) == [f"{NOTE}\n\n", f"{BLOCK}\n\n"], "the note stays with its turn, the block goes on"
    rig.stop()


def _word_note(rig: Worded) -> TurnId:
    question = rig.take_question()
    rig.word(question, notes={question.turn_id: NOTE})
    return question.turn_id


def test_what_joins_takes_the_block_and_leaves_the_note_where_the_turn_begins(tmp_path: Path) -> None:
    rig = Worded(tmp_path, remembers=True, mid_turn="steer")
    rig.say("do it", 1)
    rig.remember()
    turn_id = _word_note(rig)
    rig.answer("working", bash_call("make"), stop=StopReason.TOOL_CALLS)
    rig.say("in blue", 2)
    rig.finish_command("made")
    assert rig.questions() == [], "contributors come first"
    rig.remember()
    question = rig.take_question()
    assert (question.turn_id, question.breaks_from, len(question.turns)) == (turn_id, turn_id, 1)
    (event,) = results_of(question)
    rig.word(question, {event: "ref made"}, {question.turn_id: NOTE})
    request = rig.end()
    assert heads(request) == [f"{NOTE}\n\n", f"{BLOCK}\n\n"]
    assert [message.role.value for message in request.messages] == ["user", "assistant", "tool", "user"]
    assert shown_results(request) == ["ref made"]
    rig.stop()


def test_a_record_that_was_looked_up_keeps_its_place_among_worded_results(tmp_path: Path) -> None:
    rig = Worded(tmp_path, remembers=True, max_expansions=1)
    rig.say("what was it?", 1)
    rig.remember()
    rig.word_all()
    rig.run_command("files")
    rig.word_all()
    rig.answer(f"EXPAND path={THERE.path} line={THERE.line}")
    (wanted,) = of_type(ExpandReference, rig.memory.drain())
    shown = ReferenceExpanded(
        request_id=wanted.request_id, path=THERE.path, line=5, first_line=1, last_line=9, text="the whole record"
    )
    rig.tell(CHANNEL, shown)
    assert rig.requests() == []
    rig.word_all()
    rig.run_command("more", call_id="call-2")
    rig.word_all()
    request = rig.end()
    assert [message.role.value for message in request.messages] == [
        *("user", "assistant", "tool"),
        *("assistant", "user"),
        *("assistant", "tool"),
    ]
    assert "the whole record" in request.messages[4].text
    assert shown_results(request) == ["ref files", "ref more"]
    rig.stop()


def test_a_turn_that_is_picked_up_is_asked_about_anew_with_the_same_events(tmp_path: Path) -> None:
    rig = Worded(tmp_path)
    rig.say("one", 1)
    rig.word_all()
    rig.run_command("files")
    before = rig.take_question()
    rig.kill()
    again = Worded(tmp_path)
    again.resume()
    after = again.take_question()
    assert after.turns == before.turns
    again.word(after, dict.fromkeys(results_of(after), "ref files"))
    assert shown_results(again.end()) == ["ref files"]
    again.stop()


def test_a_call_that_was_cut_short_is_told_of_with_what_the_log_says(tmp_path: Path) -> None:
    rig = Worded(tmp_path)
    rig.say("one", 1)
    rig.word_all()
    rig.answer("", bash_call("make"), stop=StopReason.TOOL_CALLS)
    rig.kill()
    again = Worded(tmp_path)
    again.resume()
    (call,) = again.take_question().turns[0].calls
    assert (call.command, call.exit_code) == ("make", None)
    assert call.text.startswith("Interrupted: ")
    again.advance(2)
    assert len(shown_results(again.end())) == 1
    again.stop()


# stopping while it waits


def test_a_turn_that_is_stopped_while_it_waits_asks_no_model(rig: Worded) -> None:
    rig.say("one", 1)
    question = rig.take_question()
    stop = StopTurn(
        request_id=RequestId("s"), reply_to=Address("edge", "asker"), window=CHANNEL, asked_by="Alice", turn_id=""
    )
    rig.tell(CHANNEL, stop)
    rig.word(question)
    rig.advance(5)
    assert rig.model.drain() == []
    rig.say("two", 2)
    rig.word_all()
    assert texts(rig.end())[-1] == "two"


def test_a_message_that_comes_while_it_waits_is_the_next_turn(rig: Worded) -> None:
    rig.say("one", 1)
    question = rig.take_question()
    rig.say("two", 2)
    assert rig.questions() == []
    rig.word(question)
    assert texts(rig.answer("yes")) == ["one"]
    rig.word_all()
    assert texts(rig.answer("and yes"))[-1] == "two"


def test_a_message_that_is_deleted_while_it_waits_ends_the_turn(rig: Worded) -> None:
    rig.say("one", 1)
    question = rig.take_question()
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("1"),)))
    rig.word(question)
    rig.advance(5)
    assert rig.requests() == []


def test_a_command_line_that_keeps_nothing_has_no_log_to_name(tmp_path: Path) -> None:
    disk: list[Rig] = []

    def journal(window: object) -> Journal:
        return Journal(None, CHANNEL, 1_000, disk[0].disk, counted_result_chars=200)

    rig = Worded(tmp_path, journal=journal)
    disk.append(rig)
    rig.say("one", 1)
    assert rig.word_all().log == ""
    (request,) = rig.requests()
    assert texts(request) == ["one"]
    rig.stop()
