"""Comparison of runs, of the agent and of the floor, and the printed form of it and of a single run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from statistics import median

from lab.load.campaign import run
from lab.load.plan import Plan, Progress
from lab.load.report import AGENT, FLOOR, Report

FIGURES = {
    "cpu_ms_per_turn": "CPU ms/turn",
    "cpu_ms_without_vectors": "less vectors",
    "turns_per_s": "turns/s",
    "overhead_ms.p50": "p50 ms",
    "overhead_ms.p95": "p95 ms",
    "overhead_ms.p99": "p99 ms",
    "peak_rss_mb": "peak MiB",
}
"""Compared figures of a report, with the heads of their columns."""
Row = dict[str, float | None]
"""Figures of one subject, medians of its runs, or the agent's divided by the floor's."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Runs of one size, in the order of execution."""

    runs: tuple[Report, ...]

    def row(self, subject: str) -> Row | None:
        """Figures of a subject; None for a subject without runs."""
        runs = [each for each in self.runs if each.subject == subject]
        return {name: _median([attrgetter(name)(each) for each in runs]) for name in FIGURES} if runs else None

    @property
    def ratio(self) -> Row | None:
        """Agent's figures divided by the floor's; None if either is missing."""
        agent, floor = self.row(AGENT), self.row(FLOOR)
        return {name: _quotient(agent[name], floor[name]) for name in FIGURES} if agent and floor else None

    def rows(self) -> dict[str, Row | None]:
        """All rows of the table."""
        return {AGENT: self.row(AGENT), FLOOR: self.row(FLOOR), "ratio": self.ratio}

    def as_dict(self) -> dict[str, object]:
        """Comparison in JSON's form."""
        first = self.runs[0]
        return {
            "profile": first.profile,
            "threads": first.threads,
            "turns": first.turns,
            "model_latency_ms": first.model_latency_ms,
            **{name: _nest_row(row) if row is not None else None for name, row in self.rows().items()},
            "bounded_by": {each.subject: each.bounded_by for each in self.runs},
            "runs": [each.as_dict() for each in self.runs],
        }

    def failures(self) -> tuple[str, ...]:
        """Reasons for failure of the agent's runs; the floor's losses are shown and are no failure."""
        return tuple(reason for each in self.runs if each.subject == AGENT for reason in each.failures())


def compare(
    plan: Plan,
    subjects: Sequence[str],
    rounds: int,
    on_progress: Callable[[Progress], None],
    run_plan: Callable[[Plan, Callable[[Progress], None]], Report] = run,
) -> Comparison:
    """Drive each subject in each round, the order turned round from one to the next, since a machine's speed drifts.

    Raises:
        LoadError: a subject could not be driven.
    """
    runs = []
    for number in range(rounds):
        for subject in subjects if number % 2 == 0 else reversed(subjects):
            each, prefix = dataclasses.replace(plan, subject=subject), ""
            if len(subjects) * rounds > 1:
                prefix = f"{subject}, round {number + 1} of {rounds}: "
                keep_in = plan.keep_in / f"{number + 1}-{subject}" if plan.keep_in is not None else None
                each = dataclasses.replace(each, seed=f"{plan.seed}/{number}", keep_in=keep_in)
            runs.append(run_plan(each, _add_prefix(on_progress, prefix)))
    return Comparison(runs=tuple(runs))


def _add_prefix(on_progress: Callable[[Progress], None], prefix: str) -> Callable[[Progress], None]:
    return lambda progress: on_progress(dataclasses.replace(progress, stage=f"{prefix}{progress.stage}"))


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(median(known), 2) if known else None


def _quotient(value: float | None, by: float | None) -> float | None:
    return round(value / by, 2) if value is not None and by else None


def _nest_row(row: Row) -> dict[str, object]:
    """The row with the figures of the latency in a table of their own."""
    inner = {name.partition(".")[2]: value for name, value in row.items() if "." in name}
    return {**{name: value for name, value in row.items() if "." not in name}, "overhead_ms": inner}


def report_lines(report: Report) -> Iterator[str]:
    """A run."""
    late = report.overhead_ms
    cpu = "unknown" if report.cpu_ms_per_turn is None else f"{report.cpu_ms_per_turn:g} ms"
    hosts = f" on {report.hosts} hosts" if report.hosts > 1 else ""
    yield (
        f"{report.subject}{hosts}, {report.profile}: {report.threads} threads x {report.turns} turns, "
        f"model {report.model_latency_ms:g} ms; {report.machine}"
    )
    yield (
        f"sent {report.sent}, replied {report.replied}, lost {report.lost}, doubled {report.doubled}, "
        f"cross-talk {report.cross_talk}, restarts {report.restarts}, unexpected {report.unexpected}, "
        f"out of order {report.disordered}"
    )
    yield f"{report.turns_per_s:g} turns/s over {report.seconds:g} s; bounded by: {report.bounded_by}"
    yield f"overhead p50 {late.p50} ms, p95 {late.p95} ms, p99 {late.p99} ms"
    yield (
        f"{report.subject}: {cpu} of CPU a turn, {report.vectors_cpu_ms_per_turn:g} of it for vectors, "
        f"at most {report.busiest_share} of a core, "
        f"peak {report.peak_rss_mb:g} MiB in {report.processes} processes, "
        f"without pages of files {_show_figure(report.peak_anon_mb)} MiB, "
        f"{report.agent_errors} errors and {report.agent_warnings} warnings logged; {report.logs} logs checked"
    )
    yield from _harness_lines(report)
    if len(report.phases) > 1:
        yield from _phase_lines(report)
    for each in report.verdicts:
        yield f"{'ok  ' if each.holds else 'FAIL'} {each.name}: {each.value} (wanted {each.wanted})"


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Table of the subjects and their ratio, then the bound of each subject and the harness's use."""
    first = comparison.runs[0]
    known = f", {first.known} known windows" if first.known else ""
    yield (
        f"{first.profile}: {first.threads} threads x {first.turns} turns{known}, model {first.model_latency_ms:g} ms, "
        f"medians of {sum(each.subject == first.subject for each in comparison.runs)}; {first.machine}"
    )
    yield " " * 8 + "".join(f"{head:>13}" for head in FIGURES.values())
    for name, row in comparison.rows().items():
        if row is not None:
            yield f"{name:8}" + "".join(f"{_show_figure(value):>13}" for value in row.values())
    for report in comparison.runs:
        yield (
            f"{report.subject}: replied {report.replied} of {report.sent}, lost {report.lost}, "
            f"doubled {report.doubled}, cross-talk {report.cross_talk}, restarts {report.restarts}; "
            f"bounded by: {report.bounded_by}"
        )
        yield from _harness_lines(report)
        for each in report.verdicts:
            yield f"  {'ok  ' if each.holds else 'FAIL'} {each.name}: {each.value} (wanted {each.wanted})"


def _harness_lines(report: Report) -> Iterator[str]:
    used = "; ".join(
        f"{each.name} {each.cpu_ms_per_turn:g} ms a turn, {each.mean_share:.0%} of a core, "
        f"at most {each.busiest_share:.0%}"
        for each in report.harness
    )
    yield f"  harness: {used}"


def _phase_lines(report: Report) -> Iterator[str]:
    memory = f"{'MiB':>9}{'no file':>9}"
    yield f"  {'phase':20}{'replied':>9}{'turns/s':>9}{'p50 ms':>10}{'p95 ms':>10}{'CPU ms/turn':>13}{memory}"
    for each in report.phases:
        cells = (each.overhead_ms.p50, each.overhead_ms.p95, each.cpu_ms_per_turn, each.rss_mb, each.anon_mb)
        yield (
            f"  {each.name:20}{each.replied:>9}{each.turns_per_s:>9g}"
            f"{_show_figure(cells[0]):>10}{_show_figure(cells[1]):>10}{_show_figure(cells[2]):>13}{_show_figure(cells[3]):>9}{_show_figure(cells[4]):>9}"
        )


def _show_figure(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def sizes_lines(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Comparisons of several sizes, one after the other."""
    for number, each in enumerate(comparisons):
        if number:
            yield ""
        yield from comparison_lines(each)
