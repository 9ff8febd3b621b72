"""Targets of a benchmark: figures that have to be reached, and whether they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.table import Table

from lab.bench.measure import Figures


@dataclass(frozen=True, slots=True)
class Target:
    """Figure that has to be reached."""

    name: str
    figure: str
    at_most: float
    is_speed: bool = False
    """Whether small sizes say nothing of it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Comparison of a figure with its target."""

    name: str
    value: float
    bound: float
    met: bool
    at_least: bool = False
    """Otherwise at most."""


def at_most(name: str, value: float, bound: float) -> Verdict:
    """Whether a figure is small enough."""
    return Verdict(name, value, bound, value <= bound)


def at_least(name: str, value: float, bound: float) -> Verdict:
    """Whether a figure is great enough."""
    return Verdict(name, value, bound, value >= bound, at_least=True)


def judged(targets: Iterable[Target], figures: Figures, *, quick: bool) -> Iterator[Verdict]:
    """Every target that the sizes say something of; each has to be measured."""
    for target in targets:
        if not (quick and target.is_speed):
            yield at_most(target.name, figures[target.figure], target.at_most)


def verdicts_table(verdicts: Iterable[Verdict]) -> Table:
    """A row for each target."""
    built = Table(box=None, pad_edge=False)
    for heading in ("target", "wanted", "reached", "met"):
        built.add_column(heading, justify="left" if heading == "target" else "right")
    for verdict in verdicts:
        wanted = f"{'>=' if verdict.at_least else '<='} {verdict.bound:,g}"
        reached = f"{verdict.value:,.0f}" if verdict.value >= 1000 else f"{verdict.value:.3g}"
        built.add_row(verdict.name, wanted, reached, "yes" if verdict.met else "NO")
    return built
