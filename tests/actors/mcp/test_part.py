"""The part: from the settings to the prompt, and doctor's findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.bootstrap import agent_plan, discord_connection
from actors.kernel import ActorSystem
from actors.mcp.checks import findings
from actors.mcp.config import ServerConfig
from actors.part import Level, Parts
from actors.parts import parts, settings_tables
from actors.settings.load import load
from domain.text.token_estimate import tokens_of_text
from messages.base import RequestId, Surface, TurnId, Window
from messages.skills import SKILLS
from messages.turn import PrepareTurn, TurnContribution
from messages.web import MCP

CHANNEL = "111111111111111111"
HERE = Window(surface=Surface.DISCORD_CHANNEL, id=CHANNEL)
THREAD = Window(surface=Surface.DISCORD_THREAD, id="222222222222222222")
CLI = Window(surface=Surface.CLI, id="turn")


def table_with(folder: Path, servers: dict[str, Any]) -> Parts:
    """Parts of an agent with these servers."""
    given = {"data_root": str(folder / "data"), "skills.folders": [], "mcp.servers": servers}
    settings = load(environ={}, folder=folder, overrides=given, tables=settings_tables())
    return parts(agent_plan(settings, {}, ActorSystem(workers=0), discord_connection(settings, "token")))


def instructions(table: Parts, window: Window, tables: tuple[str, ...] = ()) -> str:
    """Section of the system prompt about skills, from the agent's own skills actor."""
    system = ActorSystem(workers=0)
    edge = system.edge("test")
    system.register(next(part.spec for part in table if part.spec.kind == SKILLS.kind))
    system.start()
    question = PrepareTurn(
        request_id=RequestId("r"),
        reply_to=edge.address,
        window=window,
        turn_id=TurnId("t"),
        author_id="1",
        author_name="Ann",
        text="hello",
        visible=(),
        tables=tables,
    )
    system.tell(SKILLS, question)
    system.run()
    answer = edge.receive(0)
    assert isinstance(answer, TurnContribution)
    system.stop()
    return answer.instructions


@pytest.mark.req("X-259")
def test_twenty_servers_cost_the_prompt_no_token_more_than_one_and_none_cost_nothing(tmp_path: Path) -> None:
    one = table_with(tmp_path, {"a": {"command": ["a"]}})
    twenty = table_with(tmp_path, {f"s{number}": {"command": [f"program-{number}"]} for number in range(20)})
    without = table_with(tmp_path, {})

    assert instructions(one, HERE) == instructions(twenty, HERE)
    assert tokens_of_text(instructions(one, HERE)) > tokens_of_text(instructions(without, HERE))
    assert "mcp" not in instructions(without, HERE)
    assert MCP not in [part.address for part in without]
    (part,) = [part for part in twenty if part.address == MCP]
    assert (part.contributes, part.explains) == (False, ())


@pytest.mark.req("X-262")
def test_only_conversations_that_may_use_a_server_are_offered_the_skill(tmp_path: Path) -> None:
    restricted = {"a": {"command": ["a"], "channels": [CHANNEL]}}
    table = table_with(tmp_path, restricted)

    assert "scripts/mcp.py" in instructions(table, HERE)
    assert "scripts/mcp.py" in instructions(table, THREAD, (CHANNEL,))
    assert "scripts/mcp.py" not in instructions(table, THREAD)
    assert "scripts/mcp.py" in instructions(table, CLI)
    for_all = table_with(tmp_path, restricted | {"b": {"command": ["b"]}})
    assert "scripts/mcp.py" in instructions(for_all, THREAD)


def test_doctor_names_what_a_server_lacks_and_starts_none(tmp_path: Path) -> None:
    servers = (
        ServerConfig(name="good", command=("sh",), reads=(str(tmp_path),)),
        ServerConfig(name="web", url="https://example.org/mcp"),
        ServerConfig(name="gone", command=("no-such-program",)),
        ServerConfig(name="shut", command=("sh",), writes=("/no/such/folder",)),
        ServerConfig(name="poor", command=("sh",), fault="the secret A_API_KEY is not set"),
    )

    assert [(each.level, each.detail) for each in findings(servers)] == [
        (Level.OK, "good: sh"),
        (Level.OK, "web: https://example.org/mcp"),
        (Level.WARN, "gone: command 'no-such-program': there is no such program"),
        (Level.WARN, "shut: /no/such/folder is not a folder"),
        (Level.WARN, "poor: the secret A_API_KEY is not set"),
    ]
