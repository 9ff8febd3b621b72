"""MCP servers through a whole agent: the prompt, a call by a command in its sandbox, and the channels that may call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.part import SHIPPED_SKILLS
from lab.loopback_model.server import Answer, Behaviour, Call, LoopbackModel, Received
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import ELSEWHERE_ID, GENERAL_ID
from tests.actors.mcp.bench import HERE, SMALL
from tests.e2e.stage import Stage

SCRIPT = SHIPPED_SKILLS / "mcp" / "scripts" / "mcp.py"
USED = (1_000, 100)


class Runner:
    """A model that runs the text of a message, and quotes the output."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def __call__(self, request: Received) -> Behaviour:
        last = request.body["messages"][-1]
        self.prompts.append(str(request.body["messages"][0]["content"]))
        if last["role"] == "tool":
            return Answer(f"It printed: {last['content']}", usage=USED)
        command = request.last_text.split("run: ")[-1].strip()
        return Answer(calls=(Call("bash", json.dumps({"command": command, "timeout": 100})),), usage=USED)


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(Runner()) as made:
        yield made


@pytest.mark.req("X-259", "X-262")
def test_a_command_calls_a_tool_where_the_channel_may_and_the_prompt_says_so_there_only(
    server: PlaygroundServer, model: LoopbackModel, tmp_path: Path
) -> None:
    runner = model.behave
    assert isinstance(runner, Runner)
    small = {"command": list(SMALL), "read": [str(HERE)], "channels": [str(GENERAL_ID)]}
    given: dict[str, Any] = {
        "memory.enabled": False,
        "model.name": "openai/loopback",
        "model.api_base": model.api_base,
        "mcp.servers": {"small": small},
    }
    channels = (GENERAL_ID, ELSEWHERE_ID)
    stage = Stage(server, tmp_path / "data", {"OPENAI_API_KEY": "no key"}, channels=channels, **given)
    call = f"""run: {SCRIPT} call small say '{{"text": "hi there"}}'"""
    try:
        assert "hi there" in stage.ask(call, GENERAL_ID)
        thread = server.create_thread(GENERAL_ID, "inside")
        assert "hi there" in stage.ask(call, thread)
        assert all("scripts/mcp.py" in prompt for prompt in runner.prompts)
        runner.prompts.clear()
        assert "there is none of that name here" in stage.ask(call, ELSEWHERE_ID)
        assert not any("scripts/mcp.py" in prompt for prompt in runner.prompts)
        log = "".join(path.read_text() for path in (tmp_path / "data" / "logs").rglob("*.md"))
        assert "call small say" in log
    finally:
        stage.stop()
