from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.measure import Figures
from lab.bench.recall import observations
from lab.bench.recall.data import read
from lab.bench.recall.vectors import KeptVectors
from lab.bench.recall.workspace import MORE, PLAIN, RECALL_CHARS, evidence
from tests.lab.bench.recall import conversations, recorded
from tests.lab.bench.recall.conversations import WordModel


def rows(tmp_path: Path, name: str = "tiny", **more: object) -> dict[str, Figures]:
    (tmp_path / "facts").mkdir()
    recorded.write(tmp_path / "facts", {**recorded.sample(), "sample_id": name})
    conversation = read(conversations.write(tmp_path))
    files = observations.read(tmp_path / "facts")
    return evidence([conversation], files, KeptVectors(WordModel(), None), lambda _: None, **more)  # type: ignore[arg-type]


def test_evidence_is_counted_with_recall_and_with_more_of_the_memory(tmp_path: Path) -> None:
    figures = rows(tmp_path, search=lambda _library, _query, budget: [5] if budget is PLAIN else [5, 3])
    # The greyhound is found in MEMORY alone; of the question about travelling one turn stands in the memory's block,
    # another in more of it, and MEMORY has a fact of which turn `t9` is not known.
    both, more = figures["memory and workspace's recall"], figures["memory with that room"]
    assert (both["questions"], both["block"], more["block"]) == (2, 0.75, 0.5)
    assert both["gain"] == pytest.approx(0.25)
    assert 0 < both["chars"] < RECALL_CHARS


def test_the_peer_has_as_much_more_room_as_recall_and_no_files_give_no_figures(tmp_path: Path) -> None:
    assert (MORE.total_tokens - PLAIN.total_tokens) * 4 == RECALL_CHARS
    assert rows(tmp_path, "another") == {}
