"""Everyday tasks: what counts as done, and how a model's calls are counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.bench.tasks.run import ALL, measure
from lab.bench.tasks.stage import shows_protocol
from lab.bench.tasks.table import TASKS
from lab.bench.tasks.task import Effects
from lab.loopback_model.server import Answer, Behaviour, Call, LoopbackModel, Received

NOTHING = Effects(work=Path("/nowhere"), reminders="", answers=("I did it.",), sent={}, stopped=0)


def model(received: Received) -> Behaviour:
    """Answer of a scripted model that makes the slips of a small one."""
    last = received.body["messages"][-1]
    text = str(last["content"])
    if last["role"] == "tool":
        return Answer("<tool_response>\nDone.\n</tool_response>")
    if "hello.txt" in text:
        call = {"name": "bash", "arguments": {"command": "echo good morning > hello.txt"}}
        return Answer(f"```json\n{json.dumps(call)}\n```")
    if "bread" in text:
        return Answer(calls=(Call("reminders", json.dumps({"msg": "take the bread out", "in-minutes": 45})),))
    if "sleep 300" in text:
        return Answer(calls=(Call("bash", json.dumps({"command": "sleep 300"})),))
    return Answer("Lisbon, or 50.", usage=(120, 7))


@pytest.mark.req("X-215")
def test_tasks_are_judged_by_their_effect_and_a_models_calls_are_counted(tmp_path: Path) -> None:
    names = ("talk: a fact", "talk: a sum", "file: write", "reminder: in minutes", "stop")
    transcript = tmp_path / "transcript.md"
    with LoopbackModel(model) as server:
        rows = measure(
            lambda _: None,
            model="openai/scripted",
            api_base=server.api_base,
            names=names,
            transcript=transcript,
        )

    done = {name: row["ok"] for name, row in rows.items()}
    assert done == dict(zip(names, (1, 0, 1, 1, 0), strict=True)) | {ALL: 3}, transcript.read_text()
    assert rows[ALL]["protocol"] == 0
    assert [rows[name]["requests"] for name in names] == [1, 1, 2, 2, 2]
    assert (rows["talk: a fact"]["prompt_tokens"], rows["talk: a fact"]["completion_tokens"]) == (120, 7)
    assert "## talk: a sum: the answer has nothing like" in transcript.read_text()


def test_no_task_is_done_by_words_alone_or_by_nothing() -> None:
    assert len(TASKS) == 24
    assert len({task.name for task in TASKS}) == 24
    undone = {task.name for task in TASKS if task.judge(NOTHING)}
    assert undone == {task.name for task in TASKS}


def test_a_name_that_begins_no_task_is_an_error() -> None:
    with pytest.raises(ValueError, match="must begin the name of a task"):
        measure(lambda _: None, model="offline", names=("cook",))


def test_an_answer_that_shows_a_protocol_is_known() -> None:
    cases = {
        "EXPAND path=x line=5": True,
        '{"name": "bash", "arguments": {}}': True,
        "<tool_response>7</tool_response>": True,
        "[2026-01-30 14:24 UTC] you:\nhello": True,
        "There are 7 files.": False,
        "It expanded.": False,
    }
    failures = {answer: wanted for answer, wanted in cases.items() if shows_protocol(answer) is not wanted}
    assert not failures
