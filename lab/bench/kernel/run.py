"""Rows of the kernel's benchmark: each system in separate processes, in turn, several times, and the medians."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.measure import Figures
from lab.bench.process import Erlang, measure

Sizes = Mapping[str, float]
OURS, PYKKA, ASYNCIO, ERLANG = "remembrancer", "pykka", "asyncio", "erlang"
WORST = frozenset({"lost", "doubled", "out_of_order", "unburied"})
"""Figures of which the greatest value counts and not the median: a single loss is too many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One row of the table."""

    measurement: str
    sizes: Sizes
    quick: Sizes
    """Sizes for a run of seconds, as a smoke test without meaningful speeds."""
    headline: str = "msg_per_s"
    """Figure for comparing the peers."""
    less: bool = False
    """True if a smaller headline is better."""
    peers: Mapping[str, Sizes] = field(default_factory=dict)
    """Peer -> different sizes, for peers that would take too long."""
    rounds: int = 3
    """Rounds for the median; one for memory, which hardly varies and takes long to fill."""
    on_request: bool = False
    """True if the row runs only when named."""


EVERY: Mapping[str, Sizes] = {PYKKA: {}, ASYNCIO: {}, ERLANG: {}}
WORKLOADS = {
    "request_reply": Workload(
        measurement="request_reply",
        sizes={"clients": 100, "servers": 10, "questions": 1000},
        quick={"clients": 10, "servers": 2, "questions": 10},
        headline="round_trips_per_s",
        peers={**EVERY, PYKKA: {"questions": 100}, ASYNCIO: {"questions": 300}},
    ),
    "fan_out_1000x100": Workload(
        measurement="fan_out",
        sizes={"actors": 1000, "messages": 100},
        quick={"actors": 100, "messages": 10},
        peers={**EVERY, PYKKA: {"messages": 10}},
    ),
    "fan_out_10000x100": Workload(
        measurement="fan_out",
        sizes={"actors": 10_000, "messages": 100},
        quick={"actors": 200, "messages": 10},
        peers={**EVERY, PYKKA: {"messages": 10}},  # a hundred would take five minutes a round
    ),
    "idle_bytes_100000": Workload(
        measurement="idle_bytes",
        sizes={"actors": 100_000},
        quick={"actors": 200},
        headline="bytes",
        less=True,
        peers={**EVERY, PYKKA: {"actors": 2000}},
        rounds=1,
    ),
    "crash_storm": Workload(
        measurement="crash_storm",
        sizes={"messages": 200_000, "actors": 100},
        quick={"messages": 4000, "actors": 10},
        peers={PYKKA: {}, ERLANG: {}},
    ),
    "restart_latency": Workload(
        measurement="restart_latency",
        sizes={"restarts": 5000},
        quick={"restarts": 50},
        headline="p50_us",
        less=True,
        peers={ERLANG: {}},
    ),
    "churn_10m": Workload(
        measurement="churn",
        sizes={"messages": 10_000_000, "windows": 1000, "messages_each": 10},
        quick={"messages": 4000, "windows": 20, "messages_each": 10},
        rounds=1,
        on_request=True,
    ),
}


def measure_rows(say: Callable[[str], object], *, quick: bool, names: Iterable[str] = ()) -> Rows:
    """Medians by workload and system; missing peers are left out.

    Raises:
        MeasurementError: a measurement failed.
        ValueError: a name belongs to no workload.
    """
    if unknown := [name for name in names if name not in WORKLOADS]:
        raise ValueError(f"no row {', '.join(unknown)}; the rows are {', '.join(WORKLOADS)}")
    rows: dict[str, Figures] = {}
    with _erlang() as erlang:
        for name, workload in WORKLOADS.items():
            if name in names or not (tuple(names) or workload.on_request):
                measured = _measure(name, workload, erlang, 1 if quick else workload.rounds, say, quick=quick)
                rows |= {f"{name} {system}": figures for system, figures in compare_systems(measured, workload).items()}
    return rows


def compare_systems(measured: Mapping[str, Figures], workload: Workload) -> dict[str, Figures]:
    """Figures by system, each peer's with `times`: how many times better ours is by the headline."""
    rows = {system: dict(figures) for system, figures in measured.items()}
    ours = rows[OURS][workload.headline]
    for system, figures in rows.items():
        if system != OURS and ours and figures[workload.headline]:
            quotient = ours / figures[workload.headline]
            figures["times"] = 1 / quotient if workload.less else quotient
    return rows


def median(runs: list[Figures]) -> Figures:
    """Each figure's median over `runs`, or the greatest value for a figure that must be zero."""
    return {
        name: max(run[name] for run in runs) if name in WORST else statistics.median(run[name] for run in runs)
        for name in runs[0]
    }


def _measure(
    name: str, workload: Workload, erlang: Erlang | None, rounds: int, say: Callable[[str], object], *, quick: bool
) -> dict[str, Figures]:
    """Medians by system; within a round all systems follow one another, so noise hits all alike."""
    systems = {OURS: {}, **workload.peers}
    runs: dict[str, list[Figures]] = {system: [] for system in systems if system != ERLANG or erlang}
    for number in range(1, rounds + 1):
        for system, figures in runs.items():
            say(f"{name}: {system}, round {number} of {rounds}")
            sizes = workload.quick if quick else {**workload.sizes, **systems[system]}
            if system == ERLANG and erlang:
                figures.append(erlang.measure(workload.measurement, sizes))
            else:
                figures.append(measure("lab.bench.child", sizes, system, workload.measurement))
    return {system: median(figures) for system, figures in runs.items()}


@contextlib.contextmanager
def _erlang() -> Iterator[Erlang | None]:
    """The Erlang peer, if installed."""
    if not Erlang.is_installed():
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="bench-erlang-") as folder:
        yield Erlang(Path(folder))


def _missing() -> Iterator[str]:
    if not Erlang.is_installed():
        yield "erl and erlc are not both installed: rows are without Erlang/OTP"


_STORM = f"crash_storm {OURS}"
KERNEL = Benchmark(
    name="kernel",
    measure=measure_rows,
    targets=(
        Target("fan-out, share of gen_server's rate", "times", 0.7, f"fan_out_10000x100 {ERLANG}", True, True),
        Target("fan-out, times plain pykka's rate", "times", 100, f"fan_out_10000x100 {PYKKA}", True, True),
        Target("bytes of an idle actor", "bytes", 1500, f"idle_bytes_100000 {OURS}", is_speed=True),
        Target("lost", "lost", 0, _STORM),
        Target("doubled, except retried", "doubled", 0, _STORM),
        Target("overtaken", "out_of_order", 0, _STORM),
        Target("poison not in dead letters", "unburied", 0, _STORM),
        Target("restart p50, us", "p50_us", 50, f"restart_latency {OURS}", is_speed=True),
        Target("growth of RSS over the last nine tenths", "growth", 0.05, f"churn_10m {OURS}", is_speed=True),
    ),
    columns=(
        Column("msg/s", "msg_per_s", ",.0f"),
        Column("round trips/s", "round_trips_per_s", ",.0f"),
        Column("us CPU each", "cpu_us"),
        Column("bytes each", "bytes", ",.0f"),
        Column("us p50", "p50_us"),
        Column("lost", "lost", ",.0f"),
        Column("refused", "refused", ",.0f"),
        Column("MiB, tenth", "rss_tenth_mb", ".1f"),
        Column("MiB, end", "rss_end_mb", ".1f"),
        Column("ours is, times", "times"),
    ),
    promises=frozenset({"lost", "doubled", "out_of_order", "unburied"}),
    missing=_missing,
    note="Medians of three rounds, of memory one; small sizes are no measure of speed.",
)
