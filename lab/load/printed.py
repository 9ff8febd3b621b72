"""Printed form of reports and comparisons, in lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lab.load.comparison import Comparison, Row
from lab.load.report import AGENT, FLOOR, Report

_COLUMNS: Sequence[tuple[str, Callable[[Row], float | None]]] = (
    ("CPU ms/turn", lambda row: row.cpu_ms_per_turn),
    ("less vectors", lambda row: row.cpu_ms_without_vectors),
    ("turns/s", lambda row: row.turns_per_s),
    ("p50 ms", lambda row: row.overhead_ms.p50),
    ("p95 ms", lambda row: row.overhead_ms.p95),
    ("p99 ms", lambda row: row.overhead_ms.p99),
    ("peak MiB", lambda row: row.peak_rss_mb),
)


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
        f"without pages of files {_shown(report.peak_anon_mb)} MiB, "
        f"{report.agent_errors} errors and {report.agent_warnings} warnings logged; {report.logs} logs checked"
    )
    yield from _harness_lines(report)
    if len(report.phases) > 1:
        yield from _phase_lines(report)
    for each in report.verdicts:
        yield f"{'ok  ' if each.holds else 'FAIL'} {each.name}: {each.value} (wanted {each.wanted})"


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """A table of the subjects and their ratio, below it what bounded each and what the harness took."""
    first = comparison.runs[0]
    known = f", {first.known} known windows" if first.known else ""
    yield (
        f"{first.profile}: {first.threads} threads x {first.turns} turns{known}, model {first.model_latency_ms:g} ms, "
        f"medians of {sum(each.subject == first.subject for each in comparison.runs)}; {first.machine}"
    )
    yield " " * 8 + "".join(f"{name:>13}" for name, _ in _COLUMNS)
    for name, row in ((AGENT, comparison.row(AGENT)), (FLOOR, comparison.row(FLOOR)), ("ratio", comparison.ratio)):
        if row is not None:
            yield f"{name:8}" + "".join(f"{_shown(value(row)):>13}" for _, value in _COLUMNS)
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
            f"{_shown(cells[0]):>10}{_shown(cells[1]):>10}{_shown(cells[2]):>13}{_shown(cells[3]):>9}{_shown(cells[4]):>9}"
        )


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def sizes_lines(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Comparisons of several sizes, one after the other."""
    for number, each in enumerate(comparisons):
        if number:
            yield ""
        yield from comparison_lines(each)
