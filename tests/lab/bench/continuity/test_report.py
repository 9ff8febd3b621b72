from __future__ import annotations

import dataclasses
import re
from io import StringIO
from typing import Any

import pytest
from rich.console import Console, RenderableType

from lab.bench.continuity.course import PROBES, Outcome, Reach
from lab.bench.continuity.report import (
    LEAST,
    NAMES,
    TARGETS,
    Results,
    as_document,
    is_sound,
    lines,
    table,
    targets_table,
    verdicts,
)
from lab.bench.measure import Figures

TOLD = [
    "kills",
    "kill_items",
    "human_edits",
    "edit_worker_calls",
    "load_turns",
    "load_threads",
    "load_layer_per_s",
    "load_bare_per_s",
    "load_layer_cpu_ms",
    "load_bare_cpu_ms",
    "prepare_kb",
    "prepare_p50_ms",
    "prepare_cpu_p95_ms",
    "prepare_edited_p95_ms",
]
FIGURES: Figures = {
    **dict.fromkeys(TOLD, 1.0),
    **{target.figure: target.at_most for target in TARGETS},
    "load_ratio": 0.95,
    "kill_in_turn": 7.0,
}


def reach(share: float) -> Reach:
    """That share of a hundred constraints, by every probe."""
    return Reach(dict.fromkeys(PROBES, round(100 * share)), 100)


def outcome(name: str, **changes: Any) -> Outcome:
    """All targets just reached, but for the changes."""
    share = LEAST.get(name, 0.3)
    plain = Outcome(name, cuts=18, breaks=18, least_cuts=3, old=reach(share), new=reach(share), talk_turns=10)
    return dataclasses.replace(plain, **changes)


def results(*outcomes: Outcome, figures: Figures = FIGURES) -> Results:
    """All targets just reached, but for these outcomes and figures."""
    other = {each.condition: each for each in outcomes}
    return Results(tuple(other.get(name, outcome(name)) for name in NAMES), figures)


def missed(found: Results, *, quick: bool = False) -> list[str]:
    """Names of the targets that are not reached."""
    return [verdict.name for verdict in verdicts(found, quick=quick) if not verdict.met]


def shown(*parts: RenderableType) -> str:
    """As on a terminal."""
    console = Console(file=StringIO(), width=100)
    console.print(*parts, sep="\n")
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_targets_are_met_when_they_are_just_reached() -> None:
    assert missed(results()) == []
    assert is_sound(results(), quick=False)


@pytest.mark.parametrize(
    ("found", "name"),
    [
        (results(outcome("files", new=reach(0.99))), "files: least share of the three, after /new, too"),
        (results(outcome("said", old=reach(0.59))), "said: least share of the three, after cuts and a restart"),
        (results(outcome("said_llm", breaks=19)), "said_llm: breaks of the beginning that are no cuts"),
        (results(outcome("files_llm", least_cuts=2)), "files_llm: cuts of each work"),
        (results(figures=FIGURES | {"human_lost": 1}), "edits: a person's lines lost"),
        (results(figures=FIGURES | {"kill_doubled": 1}), "kills: items doubled in MEMORY"),
        (results(figures=FIGURES | {"hang_delayed_cut": 2}), "workers that hang from the first cut on: turns delayed"),
        (results(figures=FIGURES | {"prepare_p95_ms": 2.1}), "contribution with 100 KB of files, p95, ms"),
        (results(figures=FIGURES | {"load_ratio": 0.94}), "100 threads: turns/s, times without"),
    ],
)
def test_what_is_missed_is_named(found: Results, name: str) -> None:
    assert missed(found) == [name]
    assert not is_sound(found, quick=False)


def test_one_probe_that_reaches_less_is_enough_to_miss() -> None:
    worse = Reach({"continue": 100, "act": 99, "direct": 100}, 100)

    assert missed(results(outcome("files", old=worse))) == ["files: least share of the three, after cuts and a restart"]


def test_small_sizes_say_nothing_of_speed_and_of_the_number_of_cuts() -> None:
    figures = FIGURES | {"prepare_p95_ms": 9.0, "load_ratio": 0.1}

    assert missed(results(outcome("files", least_cuts=0), figures=figures), quick=True) == []


def test_the_document_has_every_condition_with_its_shares() -> None:
    document: dict[str, Any] = as_document(results(outcome("off", recalled=4)), {"cores": 2}, quick=False)

    assert [each["condition"] for each in document["conditions"]] == list(NAMES)
    assert document["conditions"][-1]["shares"]["after_new"] == dict.fromkeys(PROBES, 0.3)
    assert document["conditions"][-1]["silent_share"] == 0.6
    assert len(document["targets"]) == len(verdicts(results(), quick=False))


def test_the_table_sets_each_condition_beside_the_layer_switched_off() -> None:
    text = shown(table(results()))

    assert re.search(rf"{NAMES['files']} +1.00 1.00 1.00 +1.00 1.00 1.00 +3.3 +18 +18", text)
    assert len(text.splitlines()) == 1 + len(NAMES)


def test_what_was_not_reached_is_told_and_targets_stand_in_a_table() -> None:
    told = "\n".join(lines(results(outcome("said", missed=["act: Site Q"]), outcome("off", missed=["act: Tallinn"]))))

    assert "said, not reached after /new: act: Site Q" in told
    assert "Tallinn" not in told
    assert "1 kills, by what had begun last: turn 7" in told
    assert shown(targets_table(results(figures=FIGURES | {"kill_left": 1}), quick=False)).count("NO") == 1
