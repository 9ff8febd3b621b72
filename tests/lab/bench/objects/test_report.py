from __future__ import annotations

import dataclasses
from io import StringIO
from typing import Any

import pytest
from rich.console import Console, RenderableType

from lab.bench.measure import Figures
from lab.bench.objects.report import (
    FLOOD_TOKENS,
    PRICES,
    TARGETS,
    Results,
    Row,
    as_document,
    is_sound,
    lines,
    table,
    targets_table,
    verdicts,
)
from lab.bench.objects.request import Sums
from lab.bench.target import Target

TOLD = ("speed_model_calls", "added_p50_ms", "added_p99_ms", "sync_p95_ms", "session_wal_mib")
FIGURES: Figures = {
    **dict.fromkeys((*TOLD, "kills", "answered"), 1.0),
    **{target.figure: target.at_most for target in TARGETS},
}


def sums(**changes: Any) -> Sums:
    """Of plain history."""
    plain = Sums(model_calls=300, mean_tokens=80_000, largest_tokens=110_000, cached_share=0.9, price=1000, words=60)
    return dataclasses.replace(plain, **changes)


def row(workload: str, **changes: Any) -> Row:
    """A row whose targets are all just reached, but for the changes of what is worded."""
    price = 1000 * PRICES.get(workload, 1)
    worded = sums(**{"price": price, "cached_share": 0.8601, "mean_tokens": 40_000, "largest_tokens": 69_999} | changes)
    return Row(workload=workload, turns=60, calls=270, plain=sums(), worded=worded)


def results(*rows: Row, figures: Figures = FIGURES) -> Results:
    """All targets just reached, but for these rows and figures."""
    other = {each.workload: each for each in rows}
    each = {name: other.get(name, row(name)) for name in (*PRICES, "flood")}
    return Results(tuple(each[name] for name in PRICES), each["flood"], figures)


def missed(found: Results, *, quick: bool = False) -> list[str]:
    """Names of the targets that are not reached."""
    return [verdict.name for verdict in verdicts(found, quick=quick) if not verdict.met]


def test_targets_are_met_when_they_are_just_reached() -> None:
    assert missed(results()) == []
    assert is_sound(results(), quick=False)


@pytest.mark.parametrize("name", PRICES)
def test_a_price_above_its_target_is_a_miss_of_whole_sizes(name: str) -> None:
    dear = results(row(name, price=1000 * PRICES[name] + 1))
    assert missed(dear) == [f"{name}: price, times plain history's"]
    assert is_sound(dear, quick=True)


@pytest.mark.parametrize("name", PRICES)
def test_a_lower_cached_share_is_a_miss(name: str) -> None:
    found = results(row(name, cached_share=0.859))
    assert missed(found) == [f"{name}: cached share, points below plain history's"]


def test_words_that_are_not_kept_are_a_miss_in_all_sizes() -> None:
    found = results(row("mixed", words=59))
    assert missed(found) == missed(found, quick=True) == ["mixed: turns whose words stand in the last request"]


def test_a_flood_that_is_too_large_is_a_miss() -> None:
    assert len(missed(results(row("flood", largest_tokens=FLOOD_TOKENS + 1)))) == 1


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.figure)
def test_a_figure_above_its_target_is_unsound_but_for_the_speed_of_small_sizes(target: Target) -> None:
    found = results(figures=FIGURES | {target.figure: target.at_most + 0.1})
    assert missed(found) == [target.name]
    assert is_sound(found, quick=True) == target.is_speed


def test_the_document_has_rows_with_their_ratios_and_all_targets() -> None:
    document: dict[str, Any] = as_document(results(), {"cores": 2}, quick=False)
    assert document["machine"] == {"cores": 2}
    assert [each["workload"] for each in document["rows"]] == [*PRICES, "flood"]
    first = document["rows"][0]
    assert (first["price_ratio"], first["size_ratio"]) == (0.65, 0.5)
    assert first["plain"]["words"] == 60
    assert len(document["targets"]) == len(verdicts(results(), quick=False))
    assert document["figures"] == FIGURES


def printed(*parts: RenderableType) -> str:
    """As on a terminal of a hundred columns."""
    console = Console(file=StringIO(), width=100, color_system=None, record=True)
    console.print(*parts)
    return console.export_text()


def test_tables_fit_a_terminal_and_say_what_is_missed() -> None:
    found = results(dataclasses.replace(row("E1", price=700), unbounded=sums(largest_tokens=645_000)))
    text = printed(table(found, quick=False), targets_table(found, quick=False))
    assert "…" not in text
    assert [line.split()[-1] for line in text.splitlines() if line.startswith("E1 ")] == ["NO"]
    assert "NO" not in printed(table(found, quick=True))


def test_lines_say_what_the_targets_are_and_what_a_turn_without_a_bound_would_be() -> None:
    said = list(lines(results(dataclasses.replace(row("E1"), unbounded=sums(largest_tokens=645_000)))))
    assert said[0].startswith("E1 and E2 are one turn each")
    assert [line.partition(":")[0] for line in said if "645,000" in line] == ["E1"]
