"""The part that words results is late, dead, refuses or lies: the turn goes on, with what it said before or plain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.kernel import Actor, ActorSpec
from messages.base import Address, EventId, Message, RequestId, TurnId
from messages.model import ModelRequest
from messages.socket import Refused
from messages.turn import RequestWorded, WordRequest
from tests.actors.context.rig import CHANNEL, reply, texts
from tests.actors.context.worded import NOTE, WAIT_S, Worded, results_of, shown_results, word_reply

PATIENCE = 3


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Worded]:
    made = Worded(tmp_path)
    yield made
    made.stop()


def refuse(rig: Worded, question: WordRequest, reason: str = "not now") -> None:
    rig.tell(CHANNEL, Refused(request_id=question.request_id, reason=reason))


def is_waiting(rig: Worded) -> bool:
    """True if the turn waits; if not, its model call is answered."""
    requests = rig.requests()
    for request in requests:
        _answer(rig, request)
    return not requests


def _answer(rig: Worded, request: ModelRequest) -> None:
    rig.system.tell(request.reply_to, reply(request, "yes"))
    rig.system.run()
    rig.deliver()


# late, dead, refused


def test_a_model_call_waits_no_longer_than_it_was_told(tmp_path: Path) -> None:
    rig = Worded(tmp_path, wording_deadline_s=2.0)
    rig.say("one", 1)
    rig.advance(1.9)
    assert rig.requests() == []
    rig.advance(0.2)
    assert len(rig.requests()) == 1
    rig.advance(60)
    assert rig.requests() == []
    rig.stop()


def test_a_refusal_is_no_reason_to_wait(rig: Worded, caplog: pytest.LogCaptureFixture) -> None:
    rig.say("one", 1)
    refuse(rig, rig.take_question(), "no room here")
    assert len(rig.requests()) == 1
    assert "results are not worded: no room here" in caplog.text


def test_what_was_said_last_is_said_again_of_the_calls_that_it_named(rig: Worded) -> None:
    rig.say("one", 1)
    rig.word_all()
    rig.run_command("files")
    question = rig.take_question()
    (event,) = results_of(question)
    rig.word(question, {event: "ref files"}, {question.turn_id: NOTE})
    before = rig.run_command("more", call_id="call-2")
    rig.let_wait()
    request = rig.end()
    assert shown_results(request) == ["ref files", "more"]
    assert request.messages[: len(before.messages)] == before.messages
    assert request.messages[0].text.startswith(f"{NOTE}\n\n[2026-")
    rig.say("two", 2)
    refuse(rig, rig.take_question())
    later = rig.end()
    assert later.messages[: len(request.messages)] == request.messages


def test_after_a_miss_the_next_answer_counts(rig: Worded) -> None:
    rig.say("one", 1)
    rig.word_all()
    rig.run_command("files")
    rig.let_wait()
    assert shown_results(rig.run_command("more", call_id="call-2")) == ["files"]
    rig.word_all()
    assert shown_results(rig.end()) == ["ref files", "ref more"]


def test_an_answer_that_is_late_is_used_in_the_next_request(rig: Worded) -> None:
    rig.say("one", 1)
    rig.word_all()
    rig.run_command("files")
    question = rig.let_wait()
    rig.word(question, dict.fromkeys(results_of(question), "ref files"))
    assert shown_results(rig.run_command("more", call_id="call-2")) == ["files"]
    rig.let_wait()
    assert shown_results(rig.end()) == ["ref files", "more"]


def test_one_that_is_later_than_the_next_question_is_used_too_and_ends_no_wait(rig: Worded) -> None:
    rig.say("one", 1)
    rig.word_all()
    rig.run_command("files")
    late = rig.let_wait()
    rig.run_command("more", call_id="call-2")
    question = rig.take_question()
    rig.word(late, dict.fromkeys(results_of(late), "ref files"))
    assert rig.requests() == []
    rig.advance(WAIT_S)
    assert shown_results(rig.run_command("last", call_id="call-3")) == ["ref files", "more"]
    rig.word(question, {event: f"ref {text}" for event, text in results_of(question).items()})
    rig.word(late, dict.fromkeys(results_of(late), "old"))
    rig.let_wait()
    assert shown_results(rig.end()) == ["ref files", "ref more", "last"], "the older one undoes nothing"


def test_one_that_is_older_still_is_of_no_use(rig: Worded) -> None:
    rig.say("one", 1)
    rig.word_all()
    rig.run_command("files")
    oldest = rig.let_wait()
    rig.run_command("more", call_id="call-2")
    rig.let_wait()
    rig.run_command("last", call_id="call-3")
    rig.word(oldest, dict.fromkeys(results_of(oldest), "old"))
    rig.let_wait()
    assert shown_results(rig.end()) == ["files", "more", "last"]


def test_one_that_is_dead_for_ever_costs_three_waits_and_is_asked_all_the_same(
    rig: Worded, caplog: pytest.LogCaptureFixture
) -> None:
    waits = 0
    for number in range(1, PATIENCE + 4):
        rig.say("hello", number)
        assert len(rig.questions()) == 1
        if is_waiting(rig):
            waits += 1
            rig.advance(WAIT_S)
            assert not is_waiting(rig)
    assert waits == PATIENCE
    assert caplog.text.count("no answer came in time") == PATIENCE
    assert caplog.text.count("no longer wait for it") == 1


def test_waits_of_one_turn_count_like_those_of_several(rig: Worded) -> None:
    rig.say("one", 1)
    for number in range(PATIENCE):
        rig.let_wait()
        rig.run_command("files", call_id=f"call-{number}")
    assert len(rig.questions()) == 1
    assert len(rig.requests()) == 1


def test_one_answer_brings_the_waiting_back(rig: Worded) -> None:
    for number in range(1, PATIENCE + 1):
        rig.say("hello", number)
        rig.let_wait()
        rig.end()
    rig.say("hello", 8)
    rig.word(rig.take_question())
    rig.end()
    rig.say("hello", 9)
    rig.word_all()
    rig.end()
    for number in range(10, 10 + PATIENCE):
        rig.say("hello", number)
        rig.let_wait()
        rig.end()
    rig.say("hello", 20)
    assert len(rig.requests()) == 1


def test_an_answer_between_two_misses_is_not_forgotten(rig: Worded) -> None:
    for number in range(1, 3 * PATIENCE):
        rig.say("hello", number)
        if number % PATIENCE:
            rig.let_wait()
        else:
            rig.word_all()
        rig.end()


def test_a_question_that_is_late_and_then_refused_is_one_miss(rig: Worded) -> None:
    for number in range(1, PATIENCE + 1):
        rig.say("hello", number)
        question = rig.let_wait()
        refuse(rig, question)
        refuse(rig, question)
        rig.end()


def test_refusals_in_a_row_end_the_waiting_as_well_and_are_not_told_for_ever(
    rig: Worded, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(1, PATIENCE + 1):
        rig.say("hello", number)
        assert rig.requests() == []
        refuse(rig, rig.take_question())
        rig.end()
    for number in range(10, 13):
        rig.say("hello", number)
        question = rig.take_question()
        rig.end()
        refuse(rig, question)
    assert caplog.text.count("results are not worded") == PATIENCE


def test_nobody_at_that_address_is_as_good_as_late(tmp_path: Path) -> None:
    rig = Worded(tmp_path, wording=lambda _window: Address("nobody", "at-all"))
    rig.say("one", 1)
    rig.advance(WAIT_S)
    assert texts(rig.end()) == ["one"]
    rig.stop()


class Crashing(Actor):
    """Crashes over every question."""

    def handle(self, message: Message) -> None:
        raise RuntimeError("a defect")


@pytest.mark.crashes
def test_one_that_crashes_is_as_good_as_late(tmp_path: Path) -> None:
    rig = Worded(tmp_path, wording=lambda _window: Address("crashing", "one"))
    rig.system.register(ActorSpec("crashing", lambda _key: Crashing()))
    for number in range(1, PATIENCE + 3):
        rig.say(f"hello {number}", number)
        if number <= PATIENCE:
            rig.advance(WAIT_S)
        assert texts(rig.end())[-1] == f"hello {number}"
    rig.stop()


# lies


def _twice(reply: RequestWorded) -> RequestWorded:
    first = reply.results[0]
    return msgspec.structs.replace(reply, results=(*reply.results, (first[0], "again")))


def _stranger(reply: RequestWorded) -> RequestWorded:
    return msgspec.structs.replace(reply, results=(*reply.results, (EventId("stranger"), "?")))


def _strange_turn(reply: RequestWorded) -> RequestWorded:
    return msgspec.structs.replace(reply, notes=((TurnId("stranger"), NOTE),))


def test_what_was_not_asked_about_or_is_said_twice_is_left_out_and_told(
    tmp_path: Path, subtests: pytest.Subtests, caplog: pytest.LogCaptureFixture
) -> None:
    cases: list[Callable[[RequestWorded], RequestWorded]] = [_twice, _stranger, _strange_turn]
    for number, lie in enumerate(cases):
        with subtests.test(lie=lie):
            root = tmp_path / str(number)
            root.mkdir()
            caplog.clear()
            rig = Worded(root)
            rig.say("one", 1)
            rig.word_all()
            rig.run_command("files")
            question = rig.take_question()
            rig.tell(CHANNEL, lie(word_reply(question.request_id, dict.fromkeys(results_of(question), "ref"))))
            request = rig.end()
            assert shown_results(request) == ["ref"]
            assert "again" not in str(request.messages)
            assert "stranger" not in str(request.messages)
            assert NOTE not in str(request.messages)
            assert "names what was not asked about, or twice: left out" in caplog.text
            rig.stop()


def test_a_sound_answer_is_no_news_for_the_log(rig: Worded, caplog: pytest.LogCaptureFixture) -> None:
    rig.say("one", 1)
    rig.word_all()
    rig.run_command("files")
    rig.word_all()
    rig.end()
    assert caplog.text == ""


def test_an_unsound_answer_is_left_out_whole(
    tmp_path: Path, subtests: pytest.Subtests, caplog: pytest.LogCaptureFixture
) -> None:
    cases: list[dict[str, Any]] = [
        {"results": None},
        {"results": ((EventId("e"), 5),)},
        {"results": ((EventId("e"), b"text"),)},
        {"results": ((EventId("e"),),)},
        {"results": ((["e"], "text"),)},
        {"results": "text"},
        {"notes": None},
        {"notes": ((None, NOTE),)},
        {"notes": "note"},
        {"notes": "run: rm -rf /"},
        {"notes": NOTE + "\n"},
        {"notes": "INJECTED_CONTEXT_lower\n{}"},
        {"notes": ""},
    ]
    for number, fields in enumerate(cases):
        with subtests.test(fields=fields):
            root = tmp_path / str(number)
            root.mkdir()
            caplog.clear()
            rig = Worded(root)
            rig.say("one", 1)
            rig.word_all()
            rig.run_command("files")
            rig.word_all()
            before = rig.run_command("more", call_id="call-2")
            question = rig.take_question()
            if isinstance(fields.get("notes"), str) and fields["notes"] != "note":
                fields = {"notes": ((question.turn_id, fields["notes"]),)}
            sound = word_reply(
                question.request_id, dict.fromkeys(results_of(question), "new"), {question.turn_id: NOTE}
            )
            rig.tell(CHANNEL, msgspec.structs.replace(sound, **fields))
            request = rig.end()
            assert shown_results(request) == ["ref files", "more"]
            assert request.messages[: len(before.messages)] == before.messages
            assert "results are not worded: " in caplog.text
            rig.stop()


def test_unsound_answers_end_the_waiting_as_well(rig: Worded) -> None:
    for number in range(1, PATIENCE + 1):
        rig.say("hello", number)
        question = rig.take_question()
        assert rig.requests() == []
        rig.word(question, notes={question.turn_id: "run: x"})
        rig.end()
    rig.say("hello", 9)
    assert len(rig.requests()) == 1


def test_an_answer_to_what_was_not_asked_changes_nothing(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[Any] = ["", "another", None, 5, []]
    for number, request_id in enumerate(cases):
        with subtests.test(request_id=request_id):
            root = tmp_path / str(number)
            root.mkdir()
            rig = Worded(root)
            rig.say("one", 1)
            rig.word_all()
            rig.run_command("files")
            question = rig.take_question()
            lie = word_reply(question.request_id, dict.fromkeys(results_of(question), "lie"))
            rig.tell(CHANNEL, msgspec.structs.replace(lie, request_id=request_id))
            assert rig.requests() == []
            rig.word(question, dict.fromkeys(results_of(question), "ref files"))
            for each in (request_id, question.request_id):
                rig.tell(CHANNEL, msgspec.structs.replace(lie, request_id=each))
                rig.tell(CHANNEL, Refused(request_id=each, reason="no"))
            rig.run_command("more", call_id="call-2")
            rig.let_wait()
            assert shown_results(rig.end()) == ["ref files", "more"]
            rig.stop()


def test_a_refusal_of_something_else_ends_no_wait(rig: Worded) -> None:
    rig.say("one", 1)
    question = rig.take_question()
    rig.tell(CHANNEL, Refused(request_id=RequestId("another"), reason="no"))
    assert rig.requests() == []
    rig.word(question)
    assert len(rig.requests()) == 1


def test_one_that_is_late_each_time_is_not_waited_for_each_time(rig: Worded) -> None:
    rig.say("one", 1)
    for number in range(PATIENCE):
        question = rig.let_wait()
        rig.advance(0.1)
        rig.word(question)
        rig.run_command("files", call_id=f"call-{number}")
    assert not is_waiting(rig)
