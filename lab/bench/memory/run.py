"""The memory's nearest rows beside the rows of sqlite-vec: speed, size and accuracy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.machine import cache_folder
from lab.bench.measure import Figures
from lab.bench.memory.set import MemorySet
from lab.bench.process import measure

PEER_QUERIES = 50
"""Most questions to the peer."""
PEER_ROWS = 10_000_000
"""Most rows that the peer reads in all: it reads every row for every question, a million in two seconds."""
FIGURES = ("p50_ms", "p95_ms", "cpu_p50_ms", "cpu_p95_ms", "resident_mb")
"""Figures of each system, as printed by its process."""
OURS, VEC = "remembrancer", "sqlite-vec"


def measure_searches(say: Callable[[str], object], *, rows: int, queries: int, data: Path | None = None) -> Rows:
    """System -> figures; a missing set is created, and each system has a separate process.

    Raises:
        MeasurementError: a measurement failed.
    """
    folder = (data or cache_folder()).absolute()
    memory_set, some = MemorySet(folder, rows), min(queries, PEER_QUERIES, max(1, PEER_ROWS // rows))
    memory_set.make(say)
    for count in (queries, some):
        memory_set.queries(count)

    def run_measurement(name: str, count: int) -> dict[str, Any]:
        say(f"{name}: {count:,} questions")
        return measure("lab.bench.memory.measure", {"folder": str(folder), "rows": rows, "queries": count}, name)

    truth = run_measurement("oracle", queries)["lists"]
    return {
        OURS: compare_lists(run_measurement("search", queries), truth),
        VEC: compare_lists(run_measurement(VEC, some), truth),
    }


def compare_lists(measured: dict[str, Any], truth: Sequence[Sequence[int]]) -> Figures:
    """Figures of a system, with its lists compared with as many exact lists."""
    lists: list[list[int]] = measured["lists"]
    pairs = list(zip(lists, truth, strict=False))
    shares = [len(set(measured_list) & set(exact)) / max(len(exact), 1) for measured_list, exact in pairs]
    identical = sum(measured_list == exact for measured_list, exact in pairs)
    return {
        **{name: measured[name] for name in FIGURES},
        "agreement": sum(shares) / len(shares),
        "queries": len(lists),
        "identical": identical,
        "wrong": len(lists) - identical,
    }


MEMORY = Benchmark(
    name="memory",
    measure=measure_searches,
    is_upright=True,
    peer=VEC,
    targets=(Target("lists that are not those of brute force", "wrong", 0),),
    columns=(
        Column("one list, ms p50", "p50_ms", ".1f", better="less"),
        Column("one list, ms p95", "p95_ms", ".1f", better="less"),
        Column("its CPU, ms p50", "cpu_p50_ms", ".1f", better="less"),
        Column("its CPU, ms p95", "cpu_p95_ms", ".1f", better="less"),
        Column("resident, MB", "resident_mb", ".0f"),
        Column("share of the exact list", "agreement", ".3f"),
        Column("identical lists", "identical", ",.0f"),
        Column("lists", "queries", ",.0f"),
    ),
)
