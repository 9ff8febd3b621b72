"""Report of curated memory's figures: targets, one JSON document, a table."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table

from lab.bench.machine import Facts
from lab.bench.measure import Figures
from lab.bench.target import Target, Verdict, judged

TARGETS = (
    Target("files read while none changes", "files_read", 0),
    Target("blocks that are not the window's block before, byte for byte", "blocks_unequal", 0),
    Target("turns without a block", "blocks_empty", 0),
    Target("changes that the next turn did not show", "changes_not_shown", 0),
    Target("PrepareTurn p95, files unchanged, ms", "unchanged_p95_ms", 1, is_speed=True),
    Target("PrepareTurn p95 after a change of an index, ms", "changed_p95_ms", 5, is_speed=True),
)
_ROWS = (("unchanged", "turns"), ("changed", "changes"))


def verdicts(figures: Figures, *, quick: bool) -> tuple[Verdict, ...]:
    """Every target that the sizes say something of."""
    return tuple(judged(TARGETS, figures, quick=quick))


def is_sound(figures: Figures, *, quick: bool) -> bool:
    """Whether every target is met."""
    return all(verdict.met for verdict in verdicts(figures, quick=quick))


def as_document(figures: Figures, machine: Facts, *, quick: bool) -> dict[str, object]:
    """All of it, for `json.dumps`."""
    return {
        "machine": machine,
        "quick": quick,
        "figures": figures,
        "targets": [asdict(verdict) for verdict in verdicts(figures, quick=quick)],
    }


def table(figures: Figures) -> Table:
    """A row for each phase: turns, milliseconds, and what is beside them."""
    built = Table(box=None, pad_edge=False)
    headings = ("files", "turns", "p50 ms", "p95 ms", "p99 ms", "floor p95 ms", "times the floor's")
    for heading in headings:
        built.add_column(heading, justify="left" if heading == "files" else "right")
    for name, count in _ROWS:
        times = [f"{figures[f'{name}_{each}_ms']:.3f}" for each in ("p50", "p95", "p99", "floor_p95")]
        built.add_row(name, f"{figures[count]:,.0f}", *times, f"{figures[f'{name}_p95_to_floor']:.1f}")
    return built
