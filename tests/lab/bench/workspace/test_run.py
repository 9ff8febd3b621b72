from __future__ import annotations

from pathlib import Path

from lab.bench.recall.data import read
from lab.bench.recall.vectors import KeptVectors
from lab.bench.workspace import facts
from lab.bench.workspace.report import TARGETS
from lab.bench.workspace.run import Recorded, measure
from lab.bench.workspace.speed import FILE_BYTES
from tests.lab.bench.recall import conversations
from tests.lab.bench.recall.conversations import WordModel
from tests.lab.bench.workspace import recorded


def test_everything_is_measured_and_evidence_only_with_what_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    recorded.write(tmp_path / "facts", {**recorded.sample(), "sample_id": "tiny"})
    its = Recorded(
        [read(conversations.write(tmp_path))], facts.read(tmp_path / "facts"), KeptVectors(WordModel(), None)
    )
    told: list[str] = []

    figures = measure(told.append, its, 1)

    assert {target.figure for target in TARGETS} <= figures.keys()
    assert told == ["messages of people", "speed", "tiny: 2 questions"]
    assert FILE_BYTES <= figures["speed_bytes"] <= 1.1 * FILE_BYTES
    assert 0 < figures["recall_p50_ms"] <= figures["recall_p95_ms"]
    assert figures["index_ms"] > 0
    assert "questions" not in measure(told.append, None, 1)
