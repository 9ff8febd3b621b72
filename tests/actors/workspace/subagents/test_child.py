"""One run: rounds, limits, and its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.turn.call_result import NOT_RUN_LENGTH
from messages.base import Message, RequestId, TurnId
from messages.model import CancelModel, ModelDelta, ModelReply, Role, StopReason, ToolCall, Usage
from messages.shell import BashRefused, CancelBash
from messages.workspace import BeginRun, ChildEnded, EndRun, subagent_of
from tests.actors.workspace.subagents.rig import FOLDERS, WINDOW, SubagentRig, bash, role

RUN = "r1"
CHILD = subagent_of(WINDOW, RUN)
Make = Callable[..., SubagentRig]


@pytest.fixture
def make_rig(tmp_path: Path) -> Iterator[Make]:
    """Rigs, stopped at the end."""
    made: list[SubagentRig] = []

    def make(**options: Any) -> SubagentRig:
        made.append(SubagentRig(tmp_path, **options))
        return made[-1]

    yield make
    for rig in made:
        rig.system.stop(0.0)


@pytest.fixture
def rig(make_rig: Make) -> SubagentRig:
    return make_rig()


def begin(rig: SubagentRig, prompt: str = "find it", **fields: Any) -> None:
    message = BeginRun(
        run=RUN,
        reply_to=rig.asker.address,
        window=WINDOW,
        role=role(**fields),
        prompt=prompt,
        audience="a",
        turn_id=TurnId("t1"),
        folders=FOLDERS,
    )
    tell(rig, message)


def tell(rig: SubagentRig, message: Message) -> None:
    rig.system.tell(CHILD, message)
    rig.settle()


def take_end(rig: SubagentRig) -> ChildEnded:
    told = rig.asker.receive(0, lambda message: isinstance(message, ChildEnded))
    assert isinstance(told, ChildEnded)
    return told


@pytest.mark.req("S4-105")
def test_the_model_is_asked_with_the_role_and_the_task_alone(rig: SubagentRig) -> None:
    begin(rig, "count the kilns", body="You count {things}.", model="other")
    request = rig.request()
    assert [(each.role, each.text) for each in request.messages] == [(Role.USER, "count the kilns")]
    assert "You count {things}." in request.system_prompt
    assert "/work" in request.system_prompt
    assert (request.window, request.purpose, request.model) == (WINDOW, "subagent r1", "other")
    assert [tool.name for tool in request.tools] == ["bash"]
    assert not request.is_background


def test_commands_run_one_after_the_other_in_a_lane_and_the_answer_without_calls_is_the_end(rig: SubagentRig) -> None:
    begin(rig)
    first = rig.request()
    rig.reply(first, "I look.", bash("ls"), bash("pwd", 2))
    ls = rig.command()
    assert (ls.command, ls.lane, ls.window, ls.audience, ls.folders) == ("ls", "subagent r1", WINDOW, "a", FOLDERS)
    assert ls.turn_id == "t1"
    assert ls.timeout_s == 120.0
    assert not rig.shell.drain()
    rig.print(ls, "a.txt")
    rig.print(rig.command(), "/work")
    second = rig.request()
    assert second.messages[:1] == first.messages
    assert [each.text for each in second.messages[1:]] == ["I look.", "a.txt", "/work"]
    assert [each.tool_call_id for each in second.messages[2:]] == ["call_1", "call_2"]
    rig.reply(second, "There is a.txt.")
    assert take_end(rig) == ChildEnded(
        run=RUN,
        state="done",
        text="There is a.txt.",
        turns=2,
        calls=2,
        usage=Usage(prompt_tokens=20, completion_tokens=2, cost_usd=1.0),
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (ToolCall(id="c", name="read", arguments_json="{}"), "Not run: Tool 'read' not found."),
        (bash(arguments="{"), "Not run: The arguments are not valid JSON"),
        (bash(arguments='{"command": ""}'), "Not run: The command is empty."),
        (bash(arguments='{"command": "ls", "timeout": 121}'), "Not run: A timeout of 121 seconds is not accepted"),
    ],
)
def test_calls_that_cannot_be_run_are_told_to_the_model(rig: SubagentRig, call: ToolCall, said: str) -> None:
    begin(rig)
    rig.reply(rig.request(), "", call)
    assert said in rig.request().messages[-1].text
    assert not rig.shell.drain()


def test_a_command_that_is_refused_and_an_answer_that_is_cut_off_go_back_to_the_model(rig: SubagentRig) -> None:
    begin(rig)
    rig.reply(rig.request(), "", bash())
    command = rig.command()
    tell(rig, BashRefused(request_id=command.request_id, reason="No room."))
    again = rig.request()
    assert again.messages[-1].text == "Not run: No room."
    rig.reply(again, "", bash(), bash(number=2), stop=StopReason.LENGTH)
    assert [each.text for each in rig.request().messages[-2:]] == [NOT_RUN_LENGTH] * 2
    assert not rig.shell.drain()


def test_the_end_of_an_answer_without_calls_may_be_cut_off_and_is_said_to_be(rig: SubagentRig) -> None:
    begin(rig)
    rig.reply(rig.request(), "So far", stop=StopReason.LENGTH)
    told = take_end(rig)
    assert (told.state, told.text, told.note) == (
        "done",
        "So far",
        "its answer was cut off at the model's output limit",
    )


def test_an_empty_answer_and_a_failure_of_the_model_are_failures_with_the_last_words(rig: SubagentRig) -> None:
    begin(rig)
    rig.reply(rig.request(), "First I look.", bash())
    rig.print(rig.command())
    rig.fail(rig.request(), "it is gone")
    told = take_end(rig)
    assert (told.state, told.text, told.note) == ("failed", "First I look.", "the model gave no answer: it is gone")


def test_an_empty_answer_is_a_failure(rig: SubagentRig) -> None:
    begin(rig)
    rig.reply(rig.request(), " \n")
    told = take_end(rig)
    assert (told.state, told.note) == ("failed", "the model gave an empty answer")


@pytest.mark.parametrize("fields", [{"can_run": False}, {"max_calls": 0}])
def test_a_role_without_a_tool_is_offered_none(rig: SubagentRig, fields: dict[str, Any]) -> None:
    begin(rig, **fields)
    request = rig.request()
    assert request.tools == ()
    assert "/work" not in request.system_prompt
    rig.reply(request, "", bash())
    assert "Answer without." in rig.request().messages[-1].text
    assert not rig.shell.drain()


def test_bash_has_the_shorter_of_the_time_outs(make_rig: Make) -> None:
    rig = make_rig(default_timeout_s=20.0, max_timeout_s=30.0)
    begin(rig, bash_timeout_s=100.0)
    request = rig.request()
    assert "at most 30" in request.tools[0].description
    rig.reply(request, "", bash(), bash(number=2, arguments='{"command": "x", "timeout": 25}'))
    first = rig.command()
    assert first.timeout_s == 20.0
    rig.print(first)
    assert rig.command().timeout_s == 25.0


# limits


def test_after_its_last_turn_it_is_asked_once_for_what_it_has_and_is_stopped(rig: SubagentRig) -> None:
    begin(rig, max_turns=2)
    for _ in range(2):
        rig.reply(rig.request(), "", bash())
        rig.print(rig.command(), "out")
    last = rig.request()
    assert last.tools == ()
    assert last.messages[-1].role is Role.USER
    assert "2 answers of the model that it may have (maxTurns)" in last.messages[-1].text
    rig.reply(last, "Half of it.", bash())
    told = take_end(rig)
    assert (told.state, told.text, told.turns, told.calls) == ("stopped", "Half of it.", 3, 2)
    assert "(maxTurns)" in told.note
    assert not rig.shell.drain()


def test_calls_beyond_what_it_may_ask_for_are_not_run_and_end_it(rig: SubagentRig) -> None:
    begin(rig, max_calls=2)
    rig.reply(rig.request(), "", bash(), ToolCall(id="x", name="no", arguments_json=""), bash(number=3), bash(number=4))
    rig.print(rig.command())
    last = rig.request()
    assert last.tools == ()
    assert [each.text.partition(".")[0] for each in last.messages[-3:-1]] == [
        "Not run: no more than 2 commands may be asked for in one turn"
    ] * 2
    rig.fail(last, "gone")
    told = take_end(rig)
    assert (told.state, told.calls) == ("stopped", 2)
    assert "(maxToolCalls); its last words are missing: the model gave no answer: gone" in told.note


def test_what_it_is_shown_stays_bounded(make_rig: Make) -> None:
    rig = make_rig(max_history_tokens=2_500)
    begin(rig)
    request = rig.request()
    rig.reply(request, "", bash())
    for number in range(6):
        rig.print(rig.command(), f"{number} " + "x" * 4_000, "/kept/all.log" if number else "")
        request = rig.request()
        assert sum(len(each.text) for each in request.messages) < 15_000
        rig.reply(request, "", bash())
    texts = [each.text for each in request.messages if each.role is Role.TOOL]
    assert "All of it: nowhere any more; run the command again if you need it]" in texts[0]
    assert "All of it: /kept/all.log]" in texts[1]
    assert len(texts[-1]) > 4_000


def test_one_that_grows_all_the_same_is_asked_for_what_it_has(make_rig: Make) -> None:
    rig = make_rig(max_history_tokens=500)
    begin(rig)
    rig.reply(rig.request(), "word " * 500, bash())
    rig.print(rig.command())
    last = rig.request()
    assert last.tools == ()
    rig.reply(last, "That is it.")
    assert take_end(rig).note == "it has grown longer than the model can be shown"


def test_when_its_time_is_over_the_model_is_cancelled_and_what_was_said_is_told(rig: SubagentRig) -> None:
    begin(rig, max_wall_s=30.0)
    first = rig.request()
    rig.reply(first, "I look.", bash())
    rig.print(rig.command())
    request = rig.request()
    tell(rig, ModelDelta(request_id=first.request_id, text="stale"))
    tell(rig, ModelDelta(request_id=request.request_id, text="It seems"))
    rig.settle(29.5)
    assert not rig.asker.drain()
    rig.settle(0.5)
    told = take_end(rig)
    assert (told.state, told.text) == ("stopped", "I look.\n\nIt seems")
    assert told.note == "it took longer than the 30 s that it may take (maxWallTimeSec)"
    assert rig.model.drain() == [CancelModel(request_id=request.request_id)]
    rig.reply(request, "late")
    assert not rig.asker.drain()


def test_when_its_time_is_over_a_command_is_cancelled(rig: SubagentRig) -> None:
    begin(rig, max_wall_s=30.0)
    rig.reply(rig.request(), "I look.", bash())
    command = rig.command()
    rig.settle(30.0)
    assert take_end(rig).text == "I look."
    assert rig.shell.drain() == [CancelBash(request_id=command.request_id)]
    rig.print(command)
    assert not rig.asker.drain()
    assert not rig.model.drain()


def test_it_is_ended_at_once_and_says_so_again_to_whoever_asks_again(rig: SubagentRig) -> None:
    begin(rig)
    request = rig.request()
    tell(rig, EndRun(run=RUN, reason="enough"))
    assert rig.model.drain() == [CancelModel(request_id=request.request_id)]
    told = take_end(rig)
    assert (told.state, told.note, told.text) == ("stopped", "enough", "")
    for late in (
        ModelReply(
            request_id=request.request_id,
            text="late",
            tool_calls=(),
            stop_reason=StopReason.STOP,
            usage=Usage(),
            model="m",
        ),
        BashRefused(request_id=RequestId("x"), reason="late"),
    ):
        tell(rig, late)
    begin(rig)
    assert not rig.asker.drain()
    assert not rig.model.drain()


def test_a_second_task_while_one_is_done_is_no_matter(rig: SubagentRig) -> None:
    begin(rig)
    begin(rig, "another")
    rig.request()
    assert not rig.model.drain()


def test_one_that_is_idle_leaves_memory_and_one_that_works_does_not(rig: SubagentRig) -> None:
    begin(rig)
    rig.settle(200.0)
    rig.finish("still here")
    assert take_end(rig).text == "still here"
