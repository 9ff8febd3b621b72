"""Requests to the model are the same from Discord and from the command line, but for the place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lab.loopback_model.answers import Answer
from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer
from tests.actors.cli.command import run
from tests.e2e.stage import Stage
from tests.patience import eventually
from tests.trusted import write_settings

WORDS = "Which owls are there in Rotterdam?"
PLACE = ("You are talking in ", "- You have exactly one tool", "- `logs/` in that folder")
"""Beginnings of lines about the place of the conversation and the folder of commands."""
OF_ONE_PLACE = (
    "  files stay there.",
    "  what it may change there. `$HOME` is a folder of your own for this one turn.",
    "- Everything said here is kept word for word in the logs. You need not, and cannot, save anything for yourself.",
    "- Nothing said here is kept: no log has it, and nobody remembers it. You need not, and cannot, save anything for yourself.",
)
"""Lines that are true in one of the two only."""
SENDS_FILES = re.compile(r"^# [^\n]*/send-file/SKILL.md\)\n(?:\$ .*\n)+", re.MULTILINE)
"""The skill that only Discord has a use for."""


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(lambda _: Answer("Long-eared ones.")) as model:
        yield model


def last_request(model: LoopbackModel) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(model.requests()[-1].raw)
    return body


def last_text(body: dict[str, Any], role: str) -> str:
    contents = [message["content"] for message in body["messages"] if message["role"] == role]
    return str(contents[-1])


@pytest.mark.req("S0-11")
def test_the_same_words_become_the_same_request(model: LoopbackModel, tmp_path: Path) -> None:
    named: dict[str, Any] = {"memory.enabled": False, "model.name": "openai/owl", "model.api_base": model.api_base}
    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "discord" / "data", {"OPENAI_API_KEY": "k" * 20}, **named)
        try:
            stage.ask(WORDS)
        finally:
            stage.stop()
    from_discord = last_request(model)
    (tmp_path / "cli").mkdir()
    write_settings(tmp_path / "cli", f'[model]\nname = "openai/owl"\napi_base = "{model.api_base}"\n')
    done = run("agent-cli", "--no-memory", WORDS, cwd=tmp_path / "cli", environment={"OPENAI_API_KEY": "k" * 20})
    assert done.stdout == "Long-eared ones.\n", done.stderr
    from_cli = last_request(model)

    assert model.request_count == 2
    assert {*from_discord, *from_cli} - {"prompt_cache_key"} <= {*from_discord} & {*from_cli}
    assert [tool["function"]["parameters"] for tool in from_discord["tools"]] == [
        tool["function"]["parameters"] for tool in from_cli["tools"]
    ]
    assert [tool["function"]["name"] for tool in from_cli["tools"]] == ["bash"]
    for body in (from_discord, from_cli):
        assert re.fullmatch(rf"\[[^]]+ UTC\] [Yy]ou \(@\w+\):\n{re.escape(WORDS)}", last_text(body, "user"))
    assert len(SENDS_FILES.findall(last_text(from_discord, "system"))) == 1
    here, there = (
        set(SENDS_FILES.sub("", last_text(body, "system")).splitlines()) for body in (from_discord, from_cli)
    )
    assert len(here & there) > 20
    assert [line for line in here ^ there if not line.startswith(PLACE) and line not in OF_ONE_PLACE] == []


@pytest.mark.req("X-26", "S0-11")
def test_whatever_is_a_command_in_discord_is_none_at_the_command_line(tmp_path: Path) -> None:
    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "discord" / "data")
        try:
            eventually(lambda: bool(server.run(server.hub.commands.visible)))
            names = sorted(str(one["name"]) for one in server.run(server.hub.commands.visible) if one["type"] == 1)
        finally:
            stage.stop()
    assert {"help", "new", "status", "memory"} <= {*names}

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda name: run("agent-cli", f"/{name}", cwd=tmp_path), names))
    assert [(one.stdout, "stateless" in one.stderr or "is a Discord command" in one.stderr) for one in done] == [
        ("", True)
    ] * len(names)
