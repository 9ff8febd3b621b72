from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.recall import observations
from lab.bench.recall import workspace as module
from lab.bench.recall.data import read
from lab.bench.recall.vectors import KeptVectors
from lab.bench.recall.workspace import MORE, PLAIN, RECALL_CHARS, evidence
from tests.lab.bench.recall import conversations, recorded
from tests.lab.bench.recall.conversations import WordModel


def figures(tmp_path: Path, name: str = "tiny") -> dict[str, float]:
    (tmp_path / "facts").mkdir()
    recorded.write(tmp_path / "facts", {**recorded.sample(), "sample_id": name})
    conversation = read(conversations.write(tmp_path))
    return evidence(
        [conversation], observations.read(tmp_path / "facts"), KeptVectors(WordModel(), None), lambda _: None
    )


def test_evidence_is_counted_in_each_block_and_in_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "hybrid", lambda library, query, budget: [5] if budget is PLAIN else [5, 3])
    found = figures(tmp_path)
    # The greyhound is found in MEMORY alone; of the question about travelling one turn stands in the memory's block,
    # another in more of it, and MEMORY has a fact of which turn `t9` is not known.
    assert found["questions"] == 2
    assert (found["evidence_plain"], found["evidence_more"]) == (0.25, 0.5)
    assert (found["evidence_recall"], found["evidence_both"]) == (0.5, 0.75)
    assert found["evidence_missed"] == 0.25
    assert found["evidence_gain"] == found["evidence_both"] - found["evidence_more"]
    assert found["evidence_ratio"] == 1.5
    assert 0 < found["evidence_recall_chars"] < RECALL_CHARS
    assert found["evidence_more_chars"] > 0


def test_the_peer_has_as_much_more_room_as_recall(tmp_path: Path) -> None:
    assert (MORE.total_tokens - PLAIN.total_tokens) * 4 == RECALL_CHARS
    assert figures(tmp_path)["evidence_plain"] == 1.0


def test_without_files_of_a_conversation_there_are_no_figures(tmp_path: Path) -> None:
    assert figures(tmp_path, "another") == {}
