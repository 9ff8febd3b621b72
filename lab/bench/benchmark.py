"""Benchmark as data: name, measurement, targets and columns of the table; the frame does the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from rich.table import Table

from lab.bench.machine import Facts
from lab.bench.measure import Figures

Rows = Mapping[str, Figures]
"""Row (a system, a workload, a condition) -> figures of the row."""


@dataclass(frozen=True, slots=True)
class Target:
    """Figure to be reached."""

    name: str
    figure: str
    bound: float
    row: str | None = None
    """Row of the target; None for every row with the figure."""
    at_least: bool = False
    """Otherwise at most."""
    is_speed: bool = False
    """True if small sizes make the figure meaningless."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Comparison of a row's figure with a target."""

    row: str
    name: str
    value: float
    bound: float
    met: bool
    at_least: bool


@dataclass(frozen=True, slots=True)
class Column:
    """Figure to be shown."""

    heading: str
    figure: str
    form: str = ".3g"
    better: str = ""
    """`less` or `more` where the first row is compared with the second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One benchmark."""

    name: str
    measure: Callable[..., Rows]
    """Takes `say`, called with the current step, `quick` for small sizes if the command offers the option, and options.

    Raises MeasurementError, OSError or ValueError without figures.
    """
    targets: tuple[Target, ...]
    columns: tuple[Column, ...]
    """JSON has all figures."""
    is_upright: bool = False
    """True if a figure is a line of the table, and a row of the figures a column."""
    promises: frozenset[str] | None = None
    """Figures whose missed targets alone make the exit code 1; None for all."""
    peer: str = ""
    """Row without targets."""
    note: str = ""
    """Printed below the table."""
    missing: Callable[[], Iterable[str]] = tuple
    """Names of parts missing on this machine, whose figures are left out; shown before the measurement."""

    def verdicts(self, rows: Rows, *, quick: bool) -> tuple[Verdict, ...]:
        """Verdict on every target with a measurement and meaningful sizes, row by row."""
        return tuple(self._verdicts(rows, quick=quick))

    def is_sound(self, rows: Rows, *, quick: bool) -> bool:
        """True if every target is met that counts for the exit code."""
        figures = {target.name: target.figure for target in self.targets}
        missed = {figures[verdict.name] for verdict in self._verdicts(rows, quick=quick) if not verdict.met}
        return not (missed if self.promises is None else missed & self.promises)

    def document(self, rows: Rows, machine: Facts, *, quick: bool) -> dict[str, object]:
        """The whole result, for `json.dumps`."""
        return {
            "machine": machine,
            "quick": quick,
            "figures": {name: dict(figures) for name, figures in rows.items()},
            "ratios": self.ratios(rows),
            "targets": [asdict(verdict) for verdict in self.verdicts(rows, quick=quick)],
        }

    def ratios(self, rows: Rows) -> Figures:
        """Figure -> how many times better the first row is than the second, where both were measured."""
        if len(rows) < 2:
            return {}
        ours, peer = list(rows.values())[:2]
        both = [each for each in self.columns if each.better and ours.get(each.figure) and peer.get(each.figure)]
        quotients = {each: ours[each.figure] / peer[each.figure] for each in both}
        return {each.figure: value if each.better == "more" else 1 / value for each, value in quotients.items()}

    def tables(self, rows: Rows, *, quick: bool) -> Iterator[Table | str]:
        """The figures, the note, and a row for each target."""
        used_columns = [each for each in self.columns if any(each.figure in figures for figures in rows.values())]
        cells = {name: [_cell(figures, each) for each in used_columns] for name, figures in rows.items()}
        headings = [each.heading for each in used_columns]
        if not self.is_upright:
            yield _table(["", *headings], ([name, *row] for name, row in cells.items()))
        else:
            ratios = self.ratios(rows)
            last = [f"{ratios[each.figure]:.3g} x" if each.figure in ratios else "" for each in used_columns]
            columns = {**cells, **({"better by": last} if ratios else {})}
            yield _table(["", *columns], zip(headings, *columns.values(), strict=True))
        if self.note:
            yield self.note
        if verdicts := self.verdicts(rows, quick=quick):
            yield _table(["", "target", "wanted", "reached", "met"], map(_line, verdicts), left=2)

    def _verdicts(self, rows: Rows, *, quick: bool) -> Iterator[Verdict]:
        for row, figures in rows.items():
            for target in self.targets if row != self.peer else ():
                if target.figure not in figures or target.row not in (None, row) or (quick and target.is_speed):
                    continue
                value, bound = figures[target.figure], target.bound
                met = value >= bound if target.at_least else value <= bound
                yield Verdict(row, target.name, value, bound, met, target.at_least)


def _cell(figures: Figures, column: Column) -> str:
    return format(figures[column.figure], column.form) if column.figure in figures else ""


def _line(verdict: Verdict) -> list[str]:
    wanted = f"{'>=' if verdict.at_least else '<='} {verdict.bound:,g}"
    reached = f"{verdict.value:,.0f}" if verdict.value >= 1000 else f"{verdict.value:.3g}"
    return [verdict.row, verdict.name, wanted, reached, "yes" if verdict.met else "NO"]


def _table(headings: list[str], lines: Iterable[Iterable[str]], left: int = 1) -> Table:
    built = Table(box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        built.add_column(heading, justify="left" if number < left else "right", no_wrap=not number)
    for line in lines:
        built.add_row(*line)
    return built
