"""Verdicts on layers: what was promised and is not kept, or is kept twice, is a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.simulation import verdict
from lab.simulation.chance import Chance
from lab.simulation.doubles import Outside
from lab.simulation.server import DiscordServer


def judge(record: verdict.Record, data: Path) -> list[str]:
    server = DiscordServer(lambda: 0.0, 0, tells_nonces=True)
    return verdict.of(record, data, server, Outside(Chance(1), lambda _line: None))


def keep(data: Path, role: str, name: str, words: str) -> None:
    folder = data / "memory_db" / "entries" / "chat-0" / "turns" / role
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(words, encoding="utf-8")


def test_a_promised_turn_of_the_gateway_is_kept_once(tmp_path: Path) -> None:
    record = verdict.Record(chats_promised={1000})
    assert len(judge(record, tmp_path)) == 2
    keep(tmp_path, "user", "one", "please look at\nq1000")
    keep(tmp_path, "assistant", "two", "a1000 of the model")
    assert judge(record, tmp_path) == []
    keep(tmp_path, "assistant", "three", "a1000 of the model")
    assert judge(record, tmp_path) == ["chat 1000: the words of the assistant were kept 2 times"]


@pytest.mark.parametrize(("index", "times"), [("", 0), ("- fact f1\n- fact f10\n- fact f1\n", 2)])
def test_a_confirmed_fact_is_noted_once(tmp_path: Path, index: str, times: int) -> None:
    record = verdict.Record(facts_staged={"fact f1"})
    memory = tmp_path / "curated-global" / "MEMORY.md"
    memory.parent.mkdir()
    memory.write_text("# Memory\n\n- fact f1\n", encoding="utf-8")
    assert judge(record, tmp_path) == []
    memory.write_text(index, encoding="utf-8")
    assert judge(record, tmp_path) == [f"fact f1: noted {times} times"]
