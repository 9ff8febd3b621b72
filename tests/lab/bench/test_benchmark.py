from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from lab.bench.benchmark import Benchmark, Column, Rows, Target

PEER = "theirs"
BENCHMARK = Benchmark(
    name="any",
    measure=lambda *_, **_options: {},
    targets=(
        Target("milliseconds", "ms", 5, is_speed=True),
        Target("rate", "per_s", 20, at_least=True),
        Target("lost, of ours", "lost", 0, "ours"),
    ),
    columns=(
        Column("latency, ms", "ms", better="less"),
        Column("rate", "per_s", better="more"),
        Column("share", "share", ".0%"),
        Column("not measured", "other"),
    ),
    is_upright=True,
    peer=PEER,
    note="A note.",
)
GOOD: Rows = {"ours": {"ms": 5, "per_s": 20, "lost": 0, "share": 0.5}, PEER: {"ms": 50, "per_s": 5, "lost": 7}}


def ours(**changes: float) -> Rows:
    return {**GOOD, "ours": {**GOOD["ours"], **changes}}


def missed_targets(rows: Rows, *, quick: bool = False) -> list[str]:
    return [verdict.name for verdict in BENCHMARK.verdicts(rows, quick=quick) if not verdict.met]


def printed_lines(benchmark: Benchmark, rows: Rows) -> list[list[str]]:
    console = Console(file=StringIO(), width=100, color_system=None)
    console.print(*benchmark.tables(rows, quick=False))
    return [line.split() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def test_targets_are_met_when_they_are_just_reached_and_nothing_is_said_of_the_peer() -> None:
    assert missed_targets(GOOD) == []
    assert BENCHMARK.is_sound(GOOD, quick=False)
    assert {verdict.row for verdict in BENCHMARK.verdicts(GOOD, quick=False)} == {"ours"}
    assert [verdict.name for verdict in BENCHMARK.verdicts({"ours": {"ms": 1}}, quick=False)] == ["milliseconds"]


def test_each_target_is_missed_by_a_little_and_small_sizes_say_nothing_of_speed() -> None:
    for changes, name in (({"ms": 5.1}, "milliseconds"), ({"per_s": 19.9}, "rate"), ({"lost": 1}, "lost, of ours")):
        assert missed_targets(ours(**changes)) == [name]
        assert not BENCHMARK.is_sound(ours(**changes), quick=False)
        assert missed_targets(ours(**changes), quick=True) == ([] if name == "milliseconds" else [name])


def test_only_promises_decide_where_a_benchmark_names_them() -> None:
    benchmark = Benchmark(name="any", measure=dict, targets=BENCHMARK.targets, columns=(), promises=frozenset({"lost"}))
    assert benchmark.is_sound(ours(ms=6), quick=False)
    assert not benchmark.is_sound(ours(lost=1), quick=False)


def test_a_ratio_says_how_many_times_better_ours_is_whichever_way_is_better() -> None:
    assert BENCHMARK.ratios(GOOD) == {"ms": pytest.approx(10), "per_s": pytest.approx(4)}
    assert BENCHMARK.ratios({"ours": GOOD["ours"]}) == {}


def test_an_upright_table_has_a_line_for_each_figure_that_was_measured() -> None:
    lines = printed_lines(BENCHMARK, GOOD)
    assert lines[0] == ["ours", "theirs", "better", "by"]
    assert ["latency,", "ms", "5", "50", "10", "x"] in lines
    assert ["share", "50%"] in lines
    assert ["A", "note."] in lines
    assert not any("measured" in line for line in lines)
    assert ["ours", "rate", ">=", "20", "20", "yes"] in lines
    assert ["ours", "rate", ">=", "20", "19", "NO"] in printed_lines(BENCHMARK, ours(per_s=19))


def test_another_table_has_a_line_for_each_row() -> None:
    flat = Benchmark(name="any", measure=dict, targets=(), columns=BENCHMARK.columns)
    assert [line for line in printed_lines(flat, GOOD) if line] == [
        ["latency,", "ms", "rate", "share"],
        ["ours", "5", "20", "50%"],
        ["theirs", "50", "5"],
    ]


def test_the_document_has_all_figures_and_verdicts() -> None:
    document = BENCHMARK.document(GOOD, {"cores": 2}, quick=False)
    assert (document["machine"], document["quick"], document["figures"]) == ({"cores": 2}, False, GOOD)
    assert len(document["targets"]) == 3  # type: ignore[arg-type]
