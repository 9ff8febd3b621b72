"""Word of an agent on what it owes: by the status of a real system, and answers in a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.chaos.kills.word import Word, find_last_look, owed_by


def status(**system: object) -> dict[str, Any]:
    return {
        "system": {"some_at_work": [], "not_answering": [], **system},
        "late": [],
        "actors": {
            "facts": {"state": "ready", "owed_turns": 0, "to_be_indexed": 0},
            "memory": {"state": "ready"},
            "scheduler": {"state": "working", "last_look": "2026-01-05T08:00:00+00:00", "reminders": 0},
        },
    }


def test_an_agent_at_rest_owes_nothing() -> None:
    assert owed_by(status()) == ()


@pytest.mark.parametrize(
    ("described", "owed"),
    [
        (status(some_at_work=["context:cli/1"]), "context:cli/1 is at work"),
        (status(not_answering=["loop discord"]), "loop discord does not answer"),
        (status() | {"late": ["memory"]}, "memory does not answer"),
        (status() | {"actors": {"facts": {"state": "ready", "owed_turns": 2}}}, "facts: owed_turns 2"),
        (status() | {"actors": {"memory": {"state": "the index is locked"}}}, "memory is the index is locked"),
    ],
)
def test_whatever_an_agent_owes_is_named(described: dict[str, Any], owed: str) -> None:
    assert owed_by(described) == (owed,)


def test_without_the_scheduler_s_answer_nothing_is_known_of_reminders() -> None:
    assert find_last_look(status()) is None
    assert find_last_look({"actors": {}}) is None


def test_an_agent_that_does_not_answer_is_not_calm(tmp_path: Path) -> None:
    word = Word(tmp_path)
    word.calm = 7
    assert word.ask() == 0
    assert word.owed == (f"no agent is running on the data root {tmp_path}",)
