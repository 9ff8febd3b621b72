"""Benchmark campaign: all rows, each several times, ours and its peers in turn, and the medians."""

from __future__ import annotations

import os
import platform
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from actors.kernel import SystemClock
from lab.bench.kernel.workload import OURS, WORKLOADS, Workload
from lab.bench.machine import cpu
from lab.bench.measure import Figures
from lab.bench.process import Erlang, measure

ERLANG = "erlang"
WORST = frozenset({"lost", "doubled", "out_of_order", "sound_buried", "living"})
"""Figures of which the greatest counts and not the median: what must not happen must not happen once."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Machine:
    """Machine and time of the figures."""

    cpu: str
    cores: int
    system: str
    python: str
    erlang: str | None
    at: datetime
    load_before: float
    load_after: float
    """One-minute averages."""


@dataclass(frozen=True, slots=True)
class Results:
    """Workload -> system -> medians."""

    workloads: Mapping[str, Mapping[str, Figures]]
    rounds: Mapping[str, int]
    """Workload -> how many runs the medians are of."""
    machine: Machine
    quick: bool


def chosen(names: tuple[str, ...]) -> tuple[Workload, ...]:
    """The workloads by these names; without names, all that are not run on request only."""
    return tuple(row for row in WORKLOADS if row.name in names or (not names and not row.on_request))


def run(rows: tuple[Workload, ...], say: Say, *, quick: bool = False) -> Results:
    """Measure `rows`; peers that are not installed are left out.

    Args:
        rows: What to measure.
        say: Is told what is being measured now.
        quick: Small sizes, one round.

    Raises:
        MeasurementError: one of the measurements failed.
    """
    before, clock = os.getloadavg()[0], SystemClock()
    rounds = {row.name: 1 if quick else row.rounds for row in rows}
    with _erlang() as erlang:
        workloads = {row.name: _measure(row, erlang, rounds[row.name], quick, say) for row in rows}
        machine = Machine(
            cpu=cpu(),
            cores=os.cpu_count() or 1,
            system=platform.platform(),
            python=platform.python_version(),
            erlang=erlang.version() if erlang else None,
            at=clock.now(),
            load_before=before,
            load_after=os.getloadavg()[0],
        )
    return Results(workloads, rounds, machine, quick)


def _measure(row: Workload, erlang: Erlang | None, rounds: int, quick: bool, say: Say) -> dict[str, Figures]:
    """Medians by system; within a round all systems follow one another, so that noise hits all alike."""
    runs: dict[str, list[Figures]] = {system: [] for system in row.systems if system != ERLANG or erlang}
    for number in range(1, rounds + 1):
        for system, figures in runs.items():
            say(f"{row.name}: {system}, round {number} of {rounds}")
            sizes = row.sizes_for(system, quick=quick)
            if system == ERLANG and erlang:
                figures.append(erlang.measure(row.measurement, sizes))
            else:
                figures.append(measure("lab.bench.child", sizes, system, row.measurement))
    return {system: median(figures) for system, figures in runs.items()}


def median(runs: list[Figures]) -> Figures:
    """Each figure's median over `runs`, or its greatest value if it must not happen at all."""
    return {
        name: max(run[name] for run in runs) if name in WORST else statistics.median(run[name] for run in runs)
        for name in runs[0]
    }


def is_sound(results: Results) -> bool:
    """True if the project's kernel lost, doubled and reordered no message."""
    ours = [systems[OURS] for systems in results.workloads.values()]
    return not any(figures.get(name, 0) for figures in ours for name in ("lost", "doubled", "out_of_order"))


@contextmanager
def _erlang() -> Iterator[Erlang | None]:
    """The Erlang peer, if it is installed."""
    if not Erlang.is_installed():
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="bench-erlang-") as folder:
        yield Erlang(Path(folder))
