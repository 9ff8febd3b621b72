"""The memory's nearest rows beside those of sqlite-vec and chromadb: how fast, how large, how right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.bench.measure import percentile
from lab.bench.memory import data
from lab.bench.memory.set import MemorySet, Watch
from lab.bench.process import measure, measure_chromadb

PEER_QUERIES = 50
"""Questions that the peers are asked at most: at a million rows each takes about a second."""
OURS, VEC, CHROMA = "remembrancer", "sqlite-vec", "chromadb"


@dataclass(frozen=True, slots=True)
class Results:
    """Measurements of one run.

    Attributes:
        systems: By name: `p50_ms`, `p95_ms`, `resident_mb`, `agreement` (share of the exact list that is found),
            `identical` (lists equal to the exact one, in order) and `queries`; more for some.
        figures: `cold_start_s` and the like, which only ours has.
    """

    rows: int
    systems: Mapping[str, Mapping[str, float]]
    figures: Mapping[str, float]

    @property
    def is_exact(self) -> bool:
        """True if every list of the project's search is exact."""
        ours = self.systems[OURS]
        return ours["identical"] == ours["queries"]


def run(folder: Path, rows: int, queries: int, watch: Watch, *, with_chromadb: bool = False) -> Results:
    """Make the set below `folder` unless it is there, then measure, each system in a process of its own.

    Raises:
        MeasurementError: a measurement failed.
    """
    given = MemorySet(folder, rows)
    given.make(watch)
    some = min(queries, PEER_QUERIES)
    for count in (queries, some):
        given.queries(count)
    watch(f"the exact lists of {queries:,} questions")
    truth = _measured("oracle", folder, rows, queries)["lists"]
    watch(f"{OURS}: {queries:,} questions")
    ours = _measured("search", folder, rows, queries)
    watch(f"{VEC}: {some} questions")
    peer = _measured("sqlite-vec", folder, rows, some)
    systems = {OURS: _system(ours, truth), VEC: _system(peer, truth)}
    if with_chromadb:
        watch(f"{CHROMA}: {some} questions")
        systems[CHROMA] = _system(_chromadb(given, some), truth)
    watch("turns taken in")
    inserts = _measured("inserting", folder, rows, some)
    watch("an index made anew from logs")
    rebuilt = _measured("rebuild", folder, rows, some)
    return Results(rows, systems, _figures(ours, peer, inserts) | rebuilt)


def as_document(results: Results) -> dict[str, Any]:
    """The results for `--json`."""
    return {"rows": results.rows, "systems": results.systems, **results.figures}


def _measured(name: str, folder: Path, rows: int, queries: int) -> dict[str, Any]:
    return measure("lab.bench.memory.measure", {"folder": str(folder), "rows": rows, "queries": queries}, name)


def _figures(ours: Mapping[str, Any], peer: Mapping[str, Any], inserts: Mapping[str, Any]) -> dict[str, float]:
    return {
        "cold_start_s": ours["cold_start_s"],
        "inserts_per_s": inserts["inserts_per_s"],
        "search_p95_ms_while_inserting": inserts["p95_ms"],
        "hybrid_p50_ms": ours["hybrid"]["p50_ms"],
        "hybrid_p95_ms": ours["hybrid"]["p95_ms"],
        "compiled": ours["compiled"],
        "machine_gb_per_s": ours["machine_gb_per_s"],
        "times_faster_than_sqlite_vec": peer["p50_ms"] / ours["p50_ms"],
    }


def _system(measured: Mapping[str, Any], truth: Sequence[Sequence[int]]) -> dict[str, float]:
    """A system's row; its lists are compared with as many of the exact ones."""
    lists: list[list[int]] = measured["lists"]
    shared = [
        len(set(found) & set(exact)) / max(len(exact), 1)
        for found, exact in zip(lists, truth[: len(lists)], strict=True)
    ]
    kept = ("p50_ms", "p95_ms", "resident_mb", "peak_mb", "of_it_files_mb", "vectors_read", "made_s")
    return {
        **{name: measured[name] for name in kept if name in measured},
        "agreement": sum(shared) / len(shared),
        "identical": sum(found == exact for found, exact in zip(lists, truth, strict=False)),
        "queries": len(lists),
    }


def _chromadb(given: MemorySet, queries: int) -> dict[str, Any]:
    found = measure_chromadb(
        given.folder.parent / "chromadb-environment",
        {
            "folder": str(given.folder),
            "rows": given.rows,
            "dims": data.DIMS,
            "queries": str(given.questions_file(queries)),
            "nearest": data.NEAREST,
        },
    )
    took = found["took_ms"]
    latency = {"p50_ms": percentile(took, 0.5), "p95_ms": percentile(took, 0.95)}
    return {"lists": found["lists"], **latency, "resident_mb": found["resident_mb"], "made_s": found["made_s"]}
