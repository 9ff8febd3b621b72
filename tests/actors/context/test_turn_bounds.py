"""Bounds of one turn: commands and size."""

from __future__ import annotations

from pathlib import Path

from domain.text.token_estimate import CHARS_PER_TOKEN
from messages.context import ResumeWindow
from messages.model import ModelRequest, Role, StopReason
from tests.actors.context.rig import CHANNEL, Rig, bash_call, texts

LIMIT_TOKENS = 1_000
RESULT = "\n".join(f"line {number}" for number in range(200))


def size(request: ModelRequest) -> int:
    return sum(
        len(message.text) + sum(len(call.arguments_json) for call in message.tool_calls) for message in request.messages
    )


def run_rounds(rig: Rig, rounds: int, result: str = RESULT) -> list[ModelRequest]:
    """Let the model ask for one command after another; its requests."""
    requests = []
    for number in range(rounds):
        requests.append(rig.answer("", bash_call(f"step {number}", f"call-{number}"), stop=StopReason.TOOL_CALLS))
        rig.finish_command(f"result {number}\n{result}")
    return requests


def test_of_a_reply_with_any_number_of_calls_only_so_many_are_run(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_calls=3)
    rig.say("do it", 1)
    rig.answer("", *(bash_call(f"echo {n}", f"call-{n}") for n in range(6)), stop=StopReason.TOOL_CALLS)
    ran = [rig.finish_command("done").command for _ in range(3)]
    assert ran == ["echo 0", "echo 1", "echo 2"]
    assert rig.commands() == []
    (request,) = rig.requests()
    results = [message.text for message in request.messages if message.role is Role.TOOL]
    assert results[:3] == ["done"] * 3
    assert set(results[3:]) == {
        "Not run: no more than 3 commands may be asked for in one turn. Answer with what you have."
    }
    assert len(results) == 6
    rig.stop()


def test_a_reply_with_more_than_twice_the_calls_of_a_turn_ends_it(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_calls=3)
    rig.say("do it", 1)
    rig.answer("", *(bash_call(f"echo {n}", f"call-{n}") for n in range(7)), stop=StopReason.TOOL_CALLS)
    assert rig.commands() == []
    (post,) = rig.posts()
    assert "asked for 7 commands in one answer, and at most 6 are read" in post.text
    rig.stop()


def test_calls_of_earlier_rounds_and_of_an_earlier_life_count(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_calls=2)
    rig.say("do it", 1)
    run_rounds(rig, 1)
    rig.kill()
    again = Rig(tmp_path, max_calls=2)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    again.answer("", bash_call("second", "b"), bash_call("third", "c"), stop=StopReason.TOOL_CALLS)
    assert again.finish_command("ok").command == "second"
    assert again.commands() == []
    assert "Not run: no more than 2" in again.answer("done").messages[-1].text
    again.deliver()
    again.say("and now?", 2)
    again.answer("", bash_call("of the next turn"), stop=StopReason.TOOL_CALLS)
    assert len(again.commands()) == 1
    again.stop()


def test_a_turn_of_many_long_results_stays_within_its_bound(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_history_tokens=LIMIT_TOKENS)
    rig.say("do it", 1)
    requests = run_rounds(rig, 6)
    newest = rig.answer("done")
    bound = LIMIT_TOKENS * CHARS_PER_TOKEN + len(RESULT) + 500
    assert all(size(request) <= bound for request in (*requests, newest))
    results = [message.text for message in newest.messages if message.role is Role.TOOL]
    assert results[-1] == f"result 5\n{RESULT}"
    assert results[0].startswith("line ")
    kept = next(event for event in rig.events() if event.content.startswith("result 0"))
    assert kept.id in results[0]
    assert kept.content == f"result 0\n{RESULT}"
    rig.stop()


def test_requests_of_a_turn_that_was_picked_up_are_shortened_alike(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_history_tokens=LIMIT_TOKENS)
    rig.say("do it", 1)
    run_rounds(rig, 5)
    (before,) = rig.requests()
    rig.kill()
    again = Rig(tmp_path, max_history_tokens=LIMIT_TOKENS)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    (after,) = again.requests()
    assert after.messages == before.messages
    again.stop()


def test_a_turn_that_grows_by_what_cannot_be_shortened_ends_with_a_notice(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_history_tokens=LIMIT_TOKENS)
    rig.say("do it", 1)
    long = "x" * (LIMIT_TOKENS * CHARS_PER_TOKEN)
    rig.answer("", bash_call(f"echo {long}"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("done")
    assert rig.requests() == []
    assert "longer than the model can be shown" in rig.deliver().text
    rig.say("next", 2)
    assert texts(rig.answer("yes"))[-1] == "next"
    rig.stop()


def test_a_message_that_would_make_the_turn_too_long_waits_for_one_of_its_own(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_history_tokens=LIMIT_TOKENS, mid_turn="steer")
    rig.say("do it", 1)
    rig.answer("", bash_call("ls"), stop=StopReason.TOOL_CALLS)
    rig.say("y" * (LIMIT_TOKENS * CHARS_PER_TOKEN), 2)
    rig.say("a short one behind it", 3)
    rig.finish_command("files")
    assert "y" not in str(rig.answer("done").messages[-1].text)
    assert rig.deliver().text == "done"
    assert texts(rig.answer("and that"))[-1].startswith("yyy")
    rig.stop()


def test_a_long_first_message_is_not_growth(tmp_path: Path) -> None:
    rig = Rig(tmp_path, max_history_tokens=LIMIT_TOKENS)
    rig.say("z" * (2 * LIMIT_TOKENS * CHARS_PER_TOKEN), 1)
    rig.answer("", bash_call("ls"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("files")
    rig.answer("done")
    assert rig.deliver().text == "done"
    rig.stop()
