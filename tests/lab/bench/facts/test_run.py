from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lab.bench.facts.run import FACTS, QUICK, TIMES, figures_of
from lab.bench.facts.systems import Start
from lab.bench.process import MeasurementError


class Broken:
    """System that ends at once."""

    name = "broken"

    def start(self, place: Path, port: int, base: str) -> Start:
        del place, port, base
        return Start((sys.executable, "-c", "raise SystemExit('no such model')"), {})

    def store(self, place: Path) -> Path:
        return place


def test_a_system_that_does_not_start_is_an_error_with_its_last_words() -> None:
    with pytest.raises(MeasurementError, match="no such model"):
        figures_of(lambda _: None, Broken(), QUICK)


def test_a_peer_that_does_not_start_is_an_error_before_ours_is_measured(tmp_path: Path) -> None:
    peer = tmp_path / "agent-cli"
    peer.write_text("#!/bin/sh\necho no reranker >&2\nexit 1\n")
    peer.chmod(0o700)
    progress: list[str] = []
    with pytest.raises(MeasurementError, match="no reranker"):
        FACTS.measure(progress.append, quick=True, peer=peer)
    assert progress == ["agent-cli: 0 facts"]


def test_requests_a_second_are_held_against_the_peers() -> None:
    rows = {"remembrancer": {"crowd_times": TIMES - 0.1}, "agent-cli": {"crowd_times": 0.0}}
    assert [(each.row, each.met) for each in FACTS.verdicts(rows, quick=False)] == [("remembrancer", False)]
