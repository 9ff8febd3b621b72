from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from lab.bench.facts.recall import WAYS
from lab.bench.facts.report import (
    KNOWN_PER_S,
    ROWS,
    TARGETS,
    TIMES,
    as_document,
    is_sound,
    ratios,
    tables,
    verdicts,
)
from lab.bench.facts.systems import Ours
from lab.bench.measure import Figures

PEER = "agent-cli"
FIGURES: Figures = {
    **{target.figure: target.at_most for target in TARGETS},
    "crowd_per_s": TIMES * KNOWN_PER_S,
    "first_text_p50_ms": 5,
}
RECALL: Figures = {
    "recall_questions": 7,
    "recall_gain": -0.01,
    "recall_gain_error": 0.02,
    **{f"recall_{way}": 0.5 for way in (*WAYS, "memory")},
    **{f"recall_{way}_chars": 1_234 for way in (*WAYS, "memory")},
}


def missed(ours: Figures, peer: Figures | None = None, *, quick: bool = False) -> list[str]:
    systems = {Ours.name: ours} | ({PEER: peer} if peer is not None else {})
    assert is_sound(systems, quick=quick) == all(verdict.met for verdict in verdicts(systems, quick=quick))
    return [verdict.name for verdict in verdicts(systems, quick=quick) if not verdict.met]


def test_targets_are_met_when_they_are_just_reached() -> None:
    assert missed(FIGURES) == []


@pytest.mark.parametrize("target", TARGETS, ids=[target.figure for target in TARGETS])
def test_each_target_is_missed_by_a_little_more_and_small_sizes_say_nothing_of_speed(target: object) -> None:
    for each in TARGETS:
        if each is target:
            figures = FIGURES | {each.figure: each.at_most * 1.01 + 0.01}
            assert missed(figures) == [each.name]
            assert missed(figures, quick=True) == ([] if each.is_speed else [each.name])


def test_requests_a_second_are_held_against_the_peers_where_that_is_measured() -> None:
    assert len(missed(FIGURES | {"crowd_per_s": TIMES * KNOWN_PER_S - 1})) == 1
    assert missed(FIGURES, {"crowd_per_s": KNOWN_PER_S}) == []
    assert len(missed(FIGURES, {"crowd_per_s": KNOWN_PER_S + 0.1})) == 1
    assert missed(FIGURES | {"crowd_per_s": 1}, quick=True) == []


def test_what_was_not_measured_has_no_verdict() -> None:
    figures = {name: value for name, value in FIGURES.items() if name not in ("search_p95_ms", "facts_lost")}
    assert {target.name for target in TARGETS if target.figure not in figures}.isdisjoint(
        verdict.name for verdict in verdicts({Ours.name: figures}, quick=False)
    )


def test_a_ratio_says_how_many_times_better_ours_is_whichever_way_is_better() -> None:
    found = ratios({Ours.name: FIGURES, PEER: {"added_p50_ms": 150, "crowd_per_s": 2.7, "facts_lost": 3}})
    assert found == {"added_p50_ms": pytest.approx(15), "crowd_per_s": pytest.approx(20)}


def test_tables_show_what_was_measured_of_each() -> None:
    systems = {Ours.name: FIGURES, PEER: {"added_p50_ms": 150.0, "kills": 2, "crowd_per_s": KNOWN_PER_S}}
    console = Console(file=StringIO(), width=120)
    for table in tables(systems, quick=False):
        console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "15 x" in text
    assert next(line for line in text.splitlines() if line.startswith("kills ")).split() == ["kills", "2"]
    assert "start, empty store" not in text
    assert "evidence" not in text.partition("target")[0]
    assert "NO" not in text


def test_evidence_is_shown_where_it_was_measured() -> None:
    console = Console(file=StringIO(), width=120)
    for part in tables({Ours.name: FIGURES | RECALL}, quick=False):
        console.print(part)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.count("1,234") == len(WAYS) + 1
    assert "-0.010 ± 0.020" in text


def test_the_document_has_all_of_it() -> None:
    document = as_document({Ours.name: FIGURES}, {"cpu": "any"}, quick=False)
    assert document["figures"] == {Ours.name: FIGURES}
    assert len(document["targets"]) == len(TARGETS) + 1  # type: ignore[arg-type]
    assert set(ROWS.values()) >= {"added_p50_ms", "search_p95_ms"}
