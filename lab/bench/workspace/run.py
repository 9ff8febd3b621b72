"""Reach of constraints after three cuts, a restart and `/new`, with the layer of workspaces and without."""

from __future__ import annotations

from collections.abc import Callable

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.process import measure_each
from lab.bench.workspace.course import CONDITIONS, PROBES

LEAST = {"files": 1.0, "said_llm": 1.0, "said": 1.0}
"""Condition -> the share of constraints required of each probe."""
LEAST_CUTS = 3


def measure(say: Callable[[str], object], *, quick: bool) -> Rows:
    """Condition -> figures, each in a process of its own.

    Args:
        say: Called with each finished condition.
        quick: One work and few turns.

    Raises:
        MeasurementError: a process did not give its figures.
    """
    sizes = {"works": 1, "turns": 130} if quick else {"works": 2, "turns": 420}
    names = [each.name for each in CONDITIONS]
    return measure_each("lab.bench.workspace.course", "condition", names, sizes, say)


WORKSPACE = Benchmark(
    name="workspace",
    measure=measure,
    targets=(
        *(
            Target(f"least share of the three probes, {when}", figure, least, row, at_least=True)
            for row, least in LEAST.items()
            for when, figure in (("after cuts and a restart", "old_least"), ("after /new, too", "new_least"))
        ),
        *(Target("breaks of the beginning that are no cuts", "breaks_no_cuts", 0, row) for row in LEAST),
        *(Target("cuts of each work", "least_cuts", LEAST_CUTS, row, at_least=True, is_speed=True) for row in LEAST),
    ),
    columns=(
        *(Column(f"{probe}, restarted", f"old_{probe}", ".2f") for probe in PROBES),
        *(Column(f"{probe}, /new", f"new_{probe}", ".2f") for probe in PROBES),
        Column("cuts", "cuts", ".0f"),
        Column("breaks", "breaks", ".0f"),
        Column("worker calls", "worker_calls", ".0f"),
    ),
    note=(
        "Shares of the constraints that requests hold hundreds of turns later: when the agent is told to continue, for "
        "an act that they shape, and for themselves. files: SESSION or MEMORY has them; said: they were only said; "
        "_llm: with workers; off: without the layer, memory on, as is said."
    ),
)
