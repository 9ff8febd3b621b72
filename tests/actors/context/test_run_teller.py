"""Reports of a run to watchers: each begin has an end, inner reports first, and the texts add up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import Edge
from domain.turn.run_line import run_line
from messages.base import RequestId
from messages.context import ResumeWindow, StopTurn
from messages.model import ModelDelta, ModelFailed, StopReason
from messages.status import RUNS, MessageGrew, RunEvent
from tests.actors.context.rig import CHANNEL, Rig, bash_call, reply

BEGIN, END = "_start", "_end"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path, mid_turn="steer", max_rounds=2)
    yield made
    made.stop()


def follow(rig: Rig) -> Edge:
    edge = rig.system.edge("looks-on")
    edge.follow(RUNS)
    return edge


def drain_reports(edge: Edge) -> list[dict[str, Any]]:
    """Reports since the last call, as programs read them."""
    return [json.loads(run_line(event)) for event in edge.drain() if isinstance(event, RunEvent)]


def types(lines: list[dict[str, Any]]) -> list[str]:
    return [f"{line['type']}:{line['role']}" if "role" in line else line["type"] for line in lines]


def require_sound(lines: list[dict[str, Any]]) -> None:
    """Everything that began has ended, inner things first, and every number is there once."""
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    assert len({line["run"] for line in lines}) == 1
    open_ones: list[str] = []
    for line in lines:
        if line["type"].endswith(BEGIN):
            open_ones.append(line["type"].removesuffix(BEGIN))
        elif line["type"].endswith(END):
            assert open_ones.pop() == line["type"].removesuffix(END)
    assert open_ones == []
    assert (lines[0]["type"], lines[-1]["type"]) == ("agent_start", "agent_end")


@pytest.mark.req("S0-98", "S0-98f")
def test_a_run_with_a_command_is_told_in_the_order_in_which_pi_tells_it(rig: Rig) -> None:
    edge = follow(rig)
    rig.say("do it", 1)
    rig.answer("working", bash_call("make"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("made")
    rig.answer("done")
    lines = drain_reports(edge)

    require_sound(lines)
    assert types(lines) == [
        "agent_start",
        "turn_start",
        "message_start:user",
        "message_end:user",
        "message_start:assistant",
        "message_end:assistant",
        "tool_execution_start",
        "tool_execution_end",
        "turn_end",
        "turn_start",
        "message_start:assistant",
        "message_end:assistant",
        "turn_end",
        "agent_end",
    ]
    assert [line["text"] for line in lines if "text" in line] == ["do it", "working", "made", "done"]
    assert (lines[3]["author"], lines[5]["model"], lines[5]["stop_reason"]) == ("Alice", "scripted", "tool_calls")
    assert json.loads(lines[6]["arguments_json"]) == {"command": "make"}
    assert (lines[7]["outcome"], lines[7]["is_error"], lines[-1]["outcome"]) == ("exited", False, "answered")
    assert [line["round"] for line in lines if "round" in line] == [1, 1, 2, 2]


def write(rig: Rig, *texts: str, answer: str | None) -> None:
    """The model writes, and ends with `answer`, if it does."""
    (request,) = rig.requests()
    for text in texts:
        rig.tell(CHANNEL, ModelDelta(request_id=request.request_id, text=text))
    if answer is not None:
        rig.tell(CHANNEL, reply(request, answer))


def test_what_the_model_writes_adds_up_also_when_it_starts_over(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, ...]] = [
        ("Hel", "Hello wo"),
        ("Hello", "Hello", "Hello world"),
        ("Other", "Oth", "Hello"),
        ("", "Hello"),
    ]
    for number, texts in enumerate(cases):
        with subtests.test(texts=texts):
            root = tmp_path / str(number)
            root.mkdir()
            rig = Rig(root, mid_turn="steer", max_rounds=2)
            edge = follow(rig)
            rig.say("hi", 1)
            write(rig, *texts, answer=None)
            written = ""
            for event in edge.drain():
                if isinstance(event, MessageGrew):
                    written = written[: event.offset] + event.text
            assert written == texts[-1]
            rig.stop()


def test_an_answer_that_grows_begins_once(rig: Rig) -> None:
    edge = follow(rig)
    rig.say("hi", 1)
    write(rig, "Hel", "Hello", answer="Hello.")
    lines = drain_reports(edge)
    require_sound(lines)
    assert types(lines)[4:-2] == [
        "message_start:assistant",
        "message_update",
        "message_update",
        "message_end:assistant",
    ]


def test_where_nobody_follows_nothing_is_told_and_half_a_run_is_never_told(rig: Rig) -> None:
    rig.say("hi", 1)
    edge = follow(rig)
    rig.answer("hello")
    rig.deliver()
    assert edge.drain() == []
    rig.say("again", 2)
    rig.answer("yes")
    require_sound(drain_reports(edge))


def test_who_has_left_is_told_no_more(rig: Rig) -> None:
    edge = follow(rig)
    rig.say("hi", 1)
    edge.close()
    rig.answer("hello")
    assert rig.system.dead_letters.count == 0


def test_what_joins_is_heard_in_the_round_that_it_joins(rig: Rig) -> None:
    edge = follow(rig)
    rig.say("do it", 1)
    rig.answer("", bash_call("make"), stop=StopReason.TOOL_CALLS)
    rig.say("in blue", 2, author="Bob")
    rig.finish_command("made")
    rig.answer("done")
    lines = drain_reports(edge)
    require_sound(lines)
    place = types(lines).index("turn_end")
    assert types(lines)[place : place + 4] == ["turn_end", "turn_start", "message_start:user", "message_end:user"]
    assert (lines[place + 3]["author"], lines[place + 3]["text"]) == ("Bob", "in blue")


def test_of_several_that_join_at_once_each_is_heard_as_who_said_it(rig: Rig) -> None:
    edge = follow(rig)
    rig.say("do it", 1)
    rig.answer("", bash_call("make"), stop=StopReason.TOOL_CALLS)
    rig.say("in blue", 2)
    rig.say("and large", 3, author="Bob")
    rig.finish_command("made")
    rig.answer("done")
    lines = drain_reports(edge)
    require_sound(lines)
    heard = [(line["author"], line["text"]) for line in lines if line["type"] == "message_end" and "author" in line]
    assert heard == [("Alice", "do it"), ("Alice", "in blue"), ("Bob", "and large")]


def test_half_a_run_is_told_to_nobody_though_others_are_told_it_whole(rig: Rig) -> None:
    first, leaving = follow(rig), rig.system.edge("leaves")
    leaving.follow(RUNS)
    rig.say("do it", 1)
    begun = leaving.drain()
    rig.system.topics.leave(leaving.address)
    second = rig.system.edge("comes-later")
    second.follow(RUNS)
    rig.answer("", bash_call("make"), stop=StopReason.TOOL_CALLS)
    leaving.follow(RUNS)
    rig.finish_command("made")
    rig.answer("done")
    assert (second.drain(), leaving.drain()) == ([], [])
    rig.deliver()
    rig.say("again", 2)
    rig.answer("yes")
    require_sound(drain_reports(second))
    assert len(begun) == 4
    assert types(drain_reports(first)).count("agent_end") == 2


def test_a_run_that_is_stopped_closes_what_was_open(rig: Rig) -> None:
    edge = follow(rig)
    rig.say("do it", 1)
    rig.answer("", bash_call("sleep 9"), bash_call("never", "call-2"), stop=StopReason.TOOL_CALLS)
    stop = StopTurn(request_id=RequestId("s"), reply_to=rig.listener.address, window=CHANNEL, asked_by="Alice")
    rig.tell(CHANNEL, stop)
    lines = drain_reports(edge)
    require_sound(lines)
    tools = [(line["call_id"], line["outcome"]) for line in lines if line["type"] == "tool_execution_end"]
    assert tools == [("call-1", "aborted"), ("call-2", "not-run")]
    assert (lines[-1]["outcome"], lines[-1]["notice"]) == ("aborted", "stopped by Alice")


def test_a_run_that_is_stopped_while_the_model_writes_ends_its_message(rig: Rig) -> None:
    edge = follow(rig)
    rig.say("do it", 1)
    write(rig, "Once upon", answer=None)
    rig.say("stop", 2)
    lines = drain_reports(edge)
    require_sound(lines)
    (ended,) = [line for line in lines if line.get("stop_reason")]
    assert (ended["text"], ended["stop_reason"]) == ("Once upon", "aborted")


def test_a_run_without_an_answer_says_why(rig: Rig) -> None:
    edge = follow(rig)
    rig.say("do it", 1)
    (request,) = rig.requests()
    rig.tell(CHANNEL, ModelFailed(request_id=request.request_id, reason="no credit", attempts=3))
    lines = drain_reports(edge)
    require_sound(lines)
    assert lines[-1]["outcome"] == "failed"
    assert "no credit" in lines[-1]["notice"]


def test_a_life_that_picks_a_run_up_tells_it_from_its_beginning(rig: Rig, tmp_path: Path) -> None:
    edge = follow(rig)
    rig.say("do it", 1)
    first = drain_reports(edge)
    rig.kill()
    again = Rig(tmp_path)
    edge = follow(again)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    again.answer("done")
    lines = drain_reports(edge)
    require_sound(lines)
    assert (lines[0]["resumed"], lines[0]["run"]) == (True, first[0]["run"])
    again.stop()
