from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab.bench.facts.run import QUICK, measure
from lab.bench.facts.systems import Start
from lab.bench.process import MeasurementError


@dataclass(frozen=True)
class Broken:
    """System that ends at once."""

    name: str

    def start(self, place: Path, port: int, base: str) -> Start:
        del place, port, base
        return Start((sys.executable, "-c", "raise SystemExit('no such model')"), {})

    def store(self, place: Path) -> Path:
        return place


def test_a_system_of_ours_that_does_not_start_is_an_error_with_its_last_words() -> None:
    with pytest.raises(MeasurementError, match="no such model"):
        measure(lambda _: None, lambda _: None, [(Broken("ours"), QUICK)], 0, "")


def test_a_peer_that_ends_is_warned_of_and_keeps_the_figures_before_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.bench.facts.run._parts", parts)
    told: list[str] = []
    figures = measure(lambda _: None, told.append, [(Broken("ours"), QUICK), (Broken("peer"), QUICK)], 0, "")
    assert figures == {"ours": {"added_p50_ms": 1.0}, "peer": {"added_p50_ms": 1.0}}
    assert told == ["peer: it has ended"]


def parts(_say: object, system: Broken, *_: object) -> object:
    yield {"added_p50_ms": 1.0}
    if system.name == "peer":
        raise MeasurementError("it has ended")
