"""Sub-agents through whole agents: a turn's command that waits for one, and what neither may do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.part import SHIPPED_SKILLS
from lab.loopback_model.server import Answer, Behaviour, Call, LoopbackModel, Received
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.shell.bench import living
from tests.e2e.stage import Stage
from tests.patience import eventually

SCRIPT = SHIPPED_SKILLS / "subagent" / "scripts" / "subagent.py"
USED = (1_000, 100)


def bash(command: str, timeout: int = 100) -> Answer:
    return Answer(calls=(Call("bash", json.dumps({"command": command, "timeout": timeout})),), usage=USED)


def is_child(request: Received) -> bool:
    return "a sub-agent of Remembrancer" in str(request.body["messages"][0]["content"])


class Parts:
    """A model that plays both: the parent runs what a person says, the child what its task says, and both quote it."""

    def __call__(self, request: Received) -> Behaviour:
        last = request.body["messages"][-1]
        if last["role"] == "tool":
            return Answer(f"It printed: {last['content']}", usage=USED)
        command = request.last_text.rpartition("RUN ")[2] if is_child(request) else request.last_text.split("run: ")[-1]
        return bash(command.strip())


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(Parts()) as made:
        yield made


def start_stage(server: PlaygroundServer, model: LoopbackModel, folder: Path) -> Stage:
    """An agent with the layer, which runs one command at a time."""
    given: dict[str, Any] = {
        "layers.workspace": True,
        "workspace.subagents": True,
        "shell.concurrency": 1,
        "memory.enabled": False,
        "model.name": "openai/loopback",
        "model.api_base": model.api_base,
    }
    return Stage(server, folder / "data", {"OPENAI_API_KEY": "no key"}, **given)


@pytest.fixture
def stage(server: PlaygroundServer, model: LoopbackModel, tmp_path: Path) -> Iterator[Stage]:
    made = start_stage(server, model, tmp_path)
    yield made
    made.stop()


def children(model: LoopbackModel) -> list[Received]:
    return [each for each in model.requests() if is_child(each)]


def logs(stage: Stage) -> str:
    return "".join(path.read_text() for path in (stage.data / "logs").rglob("*.md"))


@pytest.mark.req("S4-104", "S4-105", "X-64", "X-106")
def test_a_command_waits_for_a_sub_agent_that_runs_commands_in_the_same_folder(
    stage: Stage, model: LoopbackModel
) -> None:
    answer = stage.ask(f"run: touch mine; {SCRIPT} run researcher 'RUN ls; touch theirs'; ls")
    assert "of researcher: done, 2 answers, 1 commands" in answer
    assert answer.count("mine") == 2
    assert "theirs" in answer
    first, second = children(model)
    assert [str(message["content"]) for message in first.body["messages"][1:]] == ["RUN ls; touch theirs"]
    assert [tool["function"]["name"] for tool in first.body["tools"]] == ["bash"]
    assert len(second.body["messages"]) == 4
    assert str(second.body["messages"][0]["content"]) == str(first.body["messages"][0]["content"])
    assert "a sub-agent of Remembrancer" not in logs(stage)


@pytest.mark.req("X-106")
def test_what_a_sub_agent_used_stands_in_the_next_event_of_its_parent(stage: Stage) -> None:
    stage.ask(f"run: {SCRIPT} run researcher 'RUN true'")
    used = [line for line in logs(stage).splitlines() if '"prompt_tokens":' in line]
    told = sum(int(line.split('"prompt_tokens":')[1].split(",")[0].split("}")[0]) for line in used)
    assert told == 4 * USED[0]


@pytest.mark.req("X-64")
def test_a_sub_agent_starts_waits_for_stops_and_lists_none(stage: Stage) -> None:
    verbs = ("run researcher x", "wait r1", "stop r1", "list")
    task = "; ".join(f"{SCRIPT} {verb}" for verb in verbs)
    answer = stage.ask(f"run: {SCRIPT} run researcher 'RUN {task}'")
    for verb in verbs:
        name = verb.partition(" ")[0]
        assert f"error: subagent.{name}: only commands of the conversation's own turns may ask this" in answer


def test_a_run_goes_on_when_its_command_has_ended_and_another_turn_hears_of_it(
    stage: Stage, model: LoopbackModel
) -> None:
    answer = stage.ask(f"run: mkfifo gate; {SCRIPT} run researcher 'RUN cat gate' --no-wait")
    run = answer.partition(" of researcher goes on")[0].rpartition(" ")[2]
    assert run.startswith("r")
    assert f"{run} of researcher: running" in stage.ask(f"run: {SCRIPT} list")
    answer = stage.ask(f"run: echo opened > gate; {SCRIPT} wait {run}")
    assert f"[{run} of researcher: done" in answer
    assert "It printed: opened" in answer
    assert len(children(model)) == 2


def test_runs_end_with_a_turn_that_is_stopped(stage: Stage, model: LoopbackModel) -> None:
    stage.server.say(GENERAL_ID, f"run: {SCRIPT} run researcher 'RUN sleep $((89 + 1)).17'")
    eventually(lambda: bool(living("90.17")))  # the child's own command alone is called so
    assert len(children(model)) == 1
    stage.server.say(GENERAL_ID, "stop")
    eventually(lambda: '"what":"aborted"' in logs(stage))
    answer = stage.ask(f"run: {SCRIPT} list")
    assert ": stopped, 1 answers, 1 commands" in answer
    assert "its turn was stopped" in answer


def test_runs_of_before_a_restart_are_said_to_be_interrupted(
    server: PlaygroundServer, model: LoopbackModel, stage: Stage, tmp_path: Path
) -> None:
    answer = stage.ask(f"run: {SCRIPT} run researcher 'RUN sleep 90' --no-wait")
    run = answer.partition(" of researcher goes on")[0].rpartition(" ")[2]
    stage.stop()
    again = start_stage(server, model, tmp_path)
    answer = again.ask(f"run: {SCRIPT} wait {run}")
    again.stop()
    assert f"[{run} of researcher: failed" in answer
    assert "interrupted: the agent was restarted" in answer
