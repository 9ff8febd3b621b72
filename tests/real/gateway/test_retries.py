"""Clients of public reports that ask again: retries, regenerated answers, and people who say the same twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.actors.gateway.rig import ASK, GatewayRig

USER, ANSWER, AGAIN = (
    {"role": role, "content": text} for role, text in (("user", "yes"), ("assistant", "A1"), ("user", "yes"))
)
TOOL: list[dict[str, Any]] = [
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f"}}]},
    {"role": "tool", "tool_call_id": "c", "content": "sunny"},
]


@pytest.fixture
def rig() -> Iterator[GatewayRig]:
    rig = GatewayRig()
    yield rig
    rig.stop()


@pytest.mark.req("X-225")
def test_the_memory_is_told_which_answer_the_client_shows_before_the_question(rig: GatewayRig) -> None:
    """As rome-os/rome#211 says people send "ok" twice, and as thunderbird/thunderbolt#488 regenerates."""
    cases: tuple[tuple[str, list[dict[str, Any]], str], ...] = (
        ("alone", [USER], ""),
        ("said again after its answer", [USER, ANSWER, AGAIN], "A1"),
        ("regenerated", [{"role": "system", "content": "s"}, USER], ""),
        ("begun answer", [USER, ANSWER, AGAIN, {"role": "assistant", "content": "I"}], "A1"),
        ("tools between", [USER, *TOOL, ANSWER, AGAIN], "A1"),
        ("parts", [USER, {"role": "assistant", "content": [{"type": "text", "text": "A1"}]}, AGAIN], "A1"),
    )
    failures = []
    for name, messages, before in cases:
        for is_stream in (False, True):
            rig.facts.stored.clear()
            rig.send(ASK | {"messages": messages, "stream": is_stream})
            told = {each.answer_before for each in rig.stored_turns(1)}
            failures += [f"{name}: {told}"] if told != {before} else []
    assert not failures
