from __future__ import annotations

from pathlib import Path

import pytest

from domain.workspace.recall.entries import Source, entries
from lab.bench.recall.observations import read
from tests.lab.bench.recall.recorded import sample, write


def test_facts_become_dated_lines_of_memory_that_name_their_turns_and_summaries_become_history(tmp_path: Path) -> None:
    write(tmp_path, name="26")

    [(name, files)] = read(tmp_path).items()

    assert name == "conv-26"
    memory_entries = entries(files.memory, Source.MEMORY, "MEMORY.md")
    facts = [(entry.text, str(entry.day), files.turns[entry.line]) for entry in memory_entries]
    assert facts == [
        ("Ana adopted a greyhound called Pixel.", "2026-01-05", frozenset({"t2"})),
        ("Ben did not sleep for the rooster.", "2026-01-05", frozenset({"t0", "t1"})),
        ("Ben booked the ferry to Tallinn.", "2026-02-11", frozenset({"t3"})),
        ("It takes two hours.", "2026-02-11", frozenset({"t9"})),
    ]
    history_entries = entries(files.history, Source.HISTORY, "HISTORY.md")
    assert [(entry.text, str(entry.day)) for entry in history_entries] == [("They talked about animals.", "2026-01-05")]


def test_all_conversations_may_stand_in_one_list_with_their_parts_below(tmp_path: Path) -> None:
    whole = sample()
    parted = {
        "sample_id": "conv-1",
        "conversation": {key: value for key, value in whole.items() if key.endswith("time")},
        "observation": {key: value for key, value in whole.items() if key.endswith("observation")},
        "session_summary": {key: value for key, value in whole.items() if key.endswith("summary")},
    }
    file = write(tmp_path, [parted, {**whole, "sample_id": "conv-2"}])

    memory_entries = read(file)

    assert list(memory_entries) == ["conv-1", "conv-2"]
    assert memory_entries["conv-1"] == memory_entries["conv-2"]


def test_what_is_no_such_file_is_refused_by_its_name(tmp_path: Path) -> None:
    for content in (
        "{",
        '{"name": "conv-26", "turns": []}',
        '{"session_1_summary": "x"}',
        "[1]",
        '{"session_1_observation": {"A": [["x"]]}}',
    ):
        (tmp_path / "a.json").write_text(content)
        with pytest.raises(ValueError, match=r"a\.json: no facts"):
            read(tmp_path)
