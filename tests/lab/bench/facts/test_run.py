from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab.bench.facts.run import FACTS, KNOWN_PER_S, QUICK, TIMES, measured
from lab.bench.facts.systems import Ours, Peer, Start
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
        measured(lambda _: None, lambda _: None, [(Broken("ours"), QUICK)])


def test_a_peer_that_ends_is_warned_of_and_keeps_the_figures_before_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.bench.facts.run._parts", parts)
    told: list[str] = []
    figures = measured(lambda _: None, told.append, [(Broken("ours"), QUICK), (Broken("peer"), QUICK)])
    assert figures == {"ours": {"added_p50_ms": 1.0}, "peer": {"added_p50_ms": 1.0}}
    assert told == ["peer: it has ended"]


def parts(_say: object, system: Broken, *_: object) -> object:
    yield {"added_p50_ms": 1.0}
    if system.name == "peer":
        raise MeasurementError("it has ended")


@pytest.mark.parametrize(("peer", "times"), [(None, TIMES), (Path("/peer"), TIMES * KNOWN_PER_S / 5)])
def test_requests_a_second_are_held_against_the_peers_where_that_is_measured(
    monkeypatch: pytest.MonkeyPatch, peer: Path | None, times: float
) -> None:
    figures = {Ours.name: {"crowd_per_s": TIMES * KNOWN_PER_S}, **({Peer.name: {"crowd_per_s": 5.0}} if peer else {})}
    monkeypatch.setattr("lab.bench.facts.run.measured", lambda *_: figures)

    rows = FACTS.measure(lambda _: None, quick=False, peer=peer, also=lambda: {"facts_lost": 1})

    assert rows[Ours.name]["crowd_times"] == pytest.approx(times)
    assert [verdict.name for verdict in FACTS.verdicts(rows, quick=True) if not verdict.met] == ["kills: facts lost"]
