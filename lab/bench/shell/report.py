"""Report of the sandbox's figures: targets, one JSON document, a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from rich.table import Table

from lab.bench.machine import machine
from lab.bench.measure import Figures
from lab.bench.shell.neighbour import ATTACKS
from lab.bench.shell.run import PLAIN


@dataclass(frozen=True, slots=True)
class Verdict:
    """Comparison of one level with one target."""

    level: str
    name: str
    value: float
    at_most: float
    met: bool


def _figure(name: str) -> Callable[[Figures], float]:
    return lambda figures: figures[name]


TARGETS: tuple[tuple[str, float, Callable[[Figures], float]], ...] = (
    ("start p95 above plain bash, ms", 15, _figure("above_plain_p95_ms")),
    ("of 64 at once, unfinished", 0, _figure("at_once_unfinished")),
    (
        "of 64 at once, brief ones' share of the hanging ones' time-out",
        1,
        lambda figures: figures["at_once_brief_s"] / figures["at_once_hanging_s"],
    ),
    ("memory of a flood of output, MB", 20, _figure("flood_memory_mb")),
    ("cancel until all are gone p95, ms", 250, _figure("cancel_p95_ms")),
    *(
        (f"another window's p95 beside an attacker ({name}), times that alone", 2, _figure(f"neighbour_{name}_ratio"))
        for name in ATTACKS
    ),
)


def verdicts(figures: Mapping[str, Figures]) -> tuple[Verdict, ...]:
    """Every target at every level but the unwrapped one."""
    return tuple(
        Verdict(level, name, value := value_of(of_level), most, value <= most)
        for level, of_level in figures.items()
        if level != PLAIN
        for name, most, value_of in TARGETS
    )


def is_sound(figures: Mapping[str, Figures]) -> bool:
    """Whether every command came to its end."""
    return all(of_level["at_once_unfinished"] == 0 for of_level in figures.values())


def as_document(figures: Mapping[str, Figures], *, quick: bool) -> dict[str, object]:
    """All of it, for `json.dumps`; small sizes say nothing of any target."""
    return {
        "machine": machine(),
        "quick": quick,
        "levels": dict(figures),
        "targets": [] if quick else [asdict(verdict) for verdict in verdicts(figures)],
    }


def table(figures: Mapping[str, Figures]) -> Table:
    """A row for each figure, a column for each level."""
    rows = dict.fromkeys(name for of_level in figures.values() for name in of_level)
    built = Table(box=None, pad_edge=False)
    built.add_column("figure", no_wrap=True)
    for level in figures:
        built.add_column("plain bash" if level == PLAIN else level, justify="right")
    for name in rows:
        mailboxes = [f"{of_level[name]:,.4g}" if name in of_level else "" for of_level in figures.values()]
        built.add_row(name, *mailboxes)
    return built


def targets_table(figures: Mapping[str, Figures]) -> Table:
    """A row for each target of each level."""
    built = Table(box=None, pad_edge=False)
    for heading in ("level", "target", "at most", "reached", "met"):
        built.add_column(heading, justify="left" if heading in ("level", "target") else "right")
    for verdict in verdicts(figures):
        met = "yes" if verdict.met else "NO"
        built.add_row(verdict.level, verdict.name, f"{verdict.at_most:g}", f"{verdict.value:.3g}", met)
    return built
