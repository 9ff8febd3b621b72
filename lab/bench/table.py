"""Table of the results for a terminal, within a hundred columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from lab.bench.campaign import Results
from lab.bench.kernel.workload import OURS
from lab.bench.measure import Figures
from lab.bench.report import ratios, verdicts

UNITS = {
    "msg_per_s": "msg/s",
    "round_trips_per_s": "round trips/s",
    "actors_per_s": "actors/s",
    "cpu_us": "us CPU each",
    "bytes": "bytes each",
    "p50_us": "us p50",
    "p99_us": "us p99",
    "p50_logged_us": "us p50 with log records",
    "p99_alone_us": "us p99 alone",
    "p99_beside_us": "us p99 beside the flooder",
    "passivate_us": "us to passivate",
    "reactivate_us": "us to re-activate",
    "rss_tenth_mb": "MiB at a tenth",
    "rss_end_mb": "MiB at the end",
    "lost": "lost",
    "doubled": "doubled",
    "poison_buried": "poison in dead letters",
    "refused": "refused",
    "restarts": "restarts",
}
"""Figures that are shown, in this order; JSON has them all."""
WHOLE = frozenset({"lost", "doubled", "poison_buried", "refused", "restarts"})
VS = "ours is"


def renderables(results: Results) -> Iterator[RenderableType]:
    """Place and time, the rows, the targets."""
    machine = results.machine
    erlang = f", Erlang/OTP {machine.erlang}" if machine.erlang else ""
    yield Text(
        f"{machine.cpu}, {machine.cores} cores, Python {machine.python}{erlang}, {machine.at:%Y-%m-%d %H:%M} UTC, "
        f"load {machine.load_before:.1f} to {machine.load_after:.1f}; "
        + (
            "small sizes, one round: no measure of speed"
            if results.quick
            else f"medians of {max(results.rounds.values(), default=1)}"
        )
    )
    yield _rows(results)
    if verdicts(results):
        yield _targets(results)


def _rows(results: Results) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("workload", no_wrap=True)
    table.add_column("system", no_wrap=True)
    table.add_column("figures", overflow="fold")
    table.add_column(VS, justify="right", no_wrap=True)
    advantages = ratios(results)
    for name, systems in results.workloads.items():
        for number, (system, figures) in enumerate(systems.items()):
            style = "bold" if system == OURS else ""
            advantage = advantages[name].get(system)
            table.add_row(
                "" if number else name,
                Text(system, style),
                figures_text(figures),
                f"{advantage:.3g} x" if advantage else "",
            )
    return table


def figures_text(figures: Figures) -> str:
    """The shown ones of `figures` with their units."""
    return ", ".join(f"{_number(name, figures[name])} {unit}" for name, unit in UNITS.items() if name in figures)


def _number(name: str, value: float) -> str:
    if name in WHOLE or value >= 100:
        return f"{round(value):,}"
    return f"{value:.3g}"


def _targets(results: Results) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("target", "wanted", "reached", "met"):
        table.add_column(heading, justify="left" if heading == "target" else "right")
    for verdict in verdicts(results):
        met = "not measured" if verdict.met is None else "yes" if verdict.met else "NO"
        reached = (
            ""
            if verdict.value is None
            else f"{verdict.value:,.3g}"
            if verdict.value < 1000
            else f"{verdict.value:,.0f}"
        )
        table.add_row(verdict.name, verdict.target, reached, met)
    return table
