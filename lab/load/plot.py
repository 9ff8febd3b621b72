"""Plots of loads, by matplotlib, an optional dependency (extra `plots`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lab.load.comparison import Comparison
from lab.load.report import AGENT, FLOOR, Report

MISSING = (
    "plots are drawn by matplotlib, which is not installed: .venv/bin/python -m pip install 'matplotlib>=3.9' "
    "(the extra `plots` of pyproject.toml)"
)
_INCHES = (11.0, 7.5)
_DPI = 110


@dataclass(frozen=True, slots=True)
class Curve:
    """Curve of a plot."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Pair of axes."""

    title: str
    across: str
    curves: tuple[Curve, ...]
    is_logarithmic: bool = True
    """True if equal steps across are equal factors."""


def refusal() -> str:
    """Reason why no plot can be drawn here; empty when possible."""
    return "" if find_spec("matplotlib") is not None else MISSING


def panels_of_sizes(comparisons: Sequence[Comparison]) -> tuple[Panel, ...]:
    """CPU, rate, latency and memory over the number of threads, a curve for each subject."""
    figures = {
        "CPU of a turn, ms": "cpu_ms_per_turn",
        "turns a second": "turns_per_s",
        "added latency p95, ms": "overhead_ms.p95",
        "peak memory, MiB": "peak_rss_mb",
    }
    panels = []
    for title, figure in figures.items():
        curves = [_curve(comparisons, subject, figure) for subject in (AGENT, FLOOR)]
        panels.append(Panel(title, "threads", tuple(curve for curve in curves if curve is not None)))
    return tuple(panels)


def panels_of_memory(reports: Sequence[Report]) -> tuple[Panel, ...]:
    """Panels of memory: over time, a curve for each run; and over known windows, for runs of different numbers."""
    over_time = tuple(
        Curve(name, points)
        for report in reports
        for name, points in (
            (_name(report), report.rss_over_time),
            (f"{_name(report)}, without pages of files", report.anon_over_time),
        )
        if points
    )
    panels = [Panel(f"memory over time, MiB ({reports[0].profile})", "seconds", over_time, is_logarithmic=False)]
    if len({report.known for report in reports}) > 1:
        points = tuple(sorted((float(report.known), report.rss_over_time[-1][1]) for report in reports))
        panels.append(Panel("memory, MiB", "known windows", (Curve(AGENT, points),), is_logarithmic=False))
    return tuple(panels)


def draw(panels: Sequence[Panel], file: Path) -> None:
    """Write a PNG with the panels, two in a row.

    Raises:
        OSError: the file cannot be written.
    """
    from matplotlib.figure import Figure

    rows = -(-len(panels) // 2)
    figure: Any = Figure(figsize=(_INCHES[0], _INCHES[1] * rows / 2), dpi=_DPI, layout="constrained")
    for number, panel in enumerate(panels, 1):
        axes = figure.add_subplot(rows, min(2, len(panels)), number)
        for curve in panel.curves:
            axes.plot(
                *zip(*curve.points, strict=True), marker="o" if len(curve.points) < 50 else None, label=curve.name
            )
        axes.set_title(panel.title)
        axes.set_xlabel(panel.across)
        if panel.is_logarithmic:
            axes.set_xscale("log")
            across = sorted({x for curve in panel.curves for x, _ in curve.points})
            axes.set_xticks(across, [f"{x:,.0f}" for x in across])
            axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        if panel.curves:
            axes.legend()
    figure.savefig(file, format="png")


def _curve(comparisons: Sequence[Comparison], subject: str, figure: str) -> Curve | None:
    points = tuple(
        (float(each.runs[0].threads), value)
        for each in comparisons
        if (row := each.row(subject)) is not None and (value := row[figure]) is not None
    )
    return Curve(subject, points) if points else None


def _name(report: Report) -> str:
    return f"{report.subject}, {report.known} known" if report.known else report.subject
