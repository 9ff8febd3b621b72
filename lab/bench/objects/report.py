"""Report of the layer of objects: targets, one JSON document, tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from rich.table import Table

from lab.bench.machine import Facts
from lab.bench.measure import Figures
from lab.bench.objects.request import Sums
from lab.bench.target import Target, Verdict, at_least, at_most, judged, verdicts_table

PRICES = {
    "repeat_reader": 0.65,
    "big_outputs": 0.65,
    "long_turns": 0.65,
    "mixed": 0.65,
    "chatty": 1.1,
    "E1": 0.65,
    "E2": 0.65,
}
"""Workload -> the most that its input may cost, times plain history's."""
POINTS = 4.0
"""By so much of a hundred may the cached share be lower than plain history's."""
KIB, MIB = 1024, 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One workload, and what its requests come to."""

    workload: str
    turns: int
    calls: int
    plain: Sums
    worded: Sums
    unbounded: Sums | None = None
    """Plain history without a bound inside a turn; None where that is no other."""

    @property
    def price_ratio(self) -> float:
        """Of the worded input to plain history's."""
        return self.worded.price / self.plain.price

    @property
    def size_ratio(self) -> float:
        """Of the mean requests."""
        return self.worded.mean_tokens / self.plain.mean_tokens

    @property
    def points_lost(self) -> float:
        """How much lower the cached share is, in hundredths."""
        return 100 * (self.plain.cached_share - self.worded.cached_share)


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that was measured."""

    rows: tuple[Row, ...]
    flood: Row
    figures: Figures
    """Of speed, memory, disk and kills."""


TARGETS = (
    Target("added to a model call at 60 turns/s, p95, ms", "added_p95_ms", 5, is_speed=True),
    Target("CPU added to a model call, ms", "added_cpu_ms", 1, is_speed=True),
    Target("model calls that got no wording in time", "unworded", 0),
    Target("resident memory that a window leaves behind at rest, KiB", "idle_kib", 20, is_speed=True),
    Target("resident memory of a window that waits, KiB", "awake_kib", 20, is_speed=True),
    Target("disk after a session of 60 turns, WAL included, MiB", "session_mib", 1),
    Target("disk after 60 edits of a file of 12 KB, WAL included, MiB", "edits_mib", 2),
    Target("kills: versions lost that were answered", "lost", 0),
    Target("kills: versions or outputs doubled", "doubled", 0),
    Target("kills: faults of the store", "faults", 0),
    Target("kills: lives that ended otherwise than planned", "failures", 0),
)
FLOOD_TOKENS = 70_000


def verdicts(results: Results, *, quick: bool) -> tuple[Verdict, ...]:
    """Every target that the sizes say something of."""
    return (*_of_rows(results, quick=quick), *judged(TARGETS, results.figures, quick=quick))


def is_sound(results: Results, *, quick: bool) -> bool:
    """Whether every target is met."""
    return all(verdict.met for verdict in verdicts(results, quick=quick))


def _of_rows(results: Results, *, quick: bool) -> Iterator[Verdict]:
    for row in results.rows:
        if not quick:
            yield at_most(f"{row.workload}: price, times plain history's", row.price_ratio, PRICES[row.workload])
        if not quick:
            yield at_most(f"{row.workload}: cached share, points below plain history's", row.points_lost, POINTS)
        name = f"{row.workload}: turns whose words stand in the last request"
        yield at_least(name, row.worded.words, row.turns)
    flood = results.flood.worded.largest_tokens
    yield at_most("a turn of 50 x 50 KB of output: tokens of its largest request", flood, FLOOD_TOKENS)


def as_document(results: Results, machine: Facts, *, quick: bool) -> dict[str, object]:
    """All of it, for `json.dumps`."""
    return {
        "machine": machine,
        "quick": quick,
        "rows": [_as_dict(row) for row in (*results.rows, results.flood)],
        "figures": results.figures,
        "targets": [asdict(verdict) for verdict in verdicts(results, quick=quick)],
    }


def _as_dict(row: Row) -> dict[str, object]:
    return {**asdict(row), "price_ratio": row.price_ratio, "size_ratio": row.size_ratio, "points_lost": row.points_lost}


def table(results: Results, *, quick: bool) -> Table:
    """A row for each workload: plain history, the layer, the one to the other."""
    built = Table(box=None, pad_edge=False)
    headings = ("turns", "calls", "tokens", "cached", "words", "with it", "cached", "words", "price", "size", "target")
    for heading in ("workload", *headings, "met"):
        built.add_column(heading, justify="left" if heading == "workload" else "right", no_wrap=True)
    for row in (*results.rows, results.flood):
        target = None if quick else PRICES.get(row.workload)
        ending = ("", "") if target is None else (f"{target:.2f}", "yes" if row.price_ratio <= target else "NO")
        built.add_row(
            *(row.workload, str(row.turns), str(row.calls), *_cells(row.plain), *_cells(row.worded)),
            *(f"{row.price_ratio:.2f}", f"{row.size_ratio:.2f}", *ending),
        )
    return built


def lines(results: Results) -> Iterator[str]:
    """What there is to say beside the tables."""
    yield "E1 and E2 are one turn each, as in the record, which has one prompt each."
    yield (
        "model calls at 60 turns/s: {speed_model_calls:.0f}; added p50 {added_p50_ms:.2f} ms, p99 {added_p99_ms:.1f} "
        "ms; the same disk keeps three pages in {sync_p95_ms:.1f} ms (p95), and the store waits for that at times"
    ).format_map(results.figures)
    yield (
        "disk after a session: {session_wal_mib:.2f} MiB of it are the WAL; {kills:.0f} kills, before which "
        "{answered:.0f} versions were answered"
    ).format_map(results.figures)
    for row in (*results.rows, results.flood):
        if row.unbounded is not None:
            yield (
                f"{row.workload}: largest request {row.plain.largest_tokens:,} tokens in plain history, "
                f"{row.worded.largest_tokens:,} worded; without a bound inside a turn "
                f"{row.unbounded.largest_tokens:,}, mean {row.unbounded.mean_tokens:,.0f}, "
                f"{row.unbounded.cached_share:.0%} cached, to which the price is "
                f"{row.worded.price / row.unbounded.price:.2f}"
            )


def _cells(sums: Sums) -> tuple[str, str, str]:
    return f"{sums.mean_tokens / 1000:.0f}k", f"{sums.cached_share:.0%}", str(sums.words)


def targets_table(results: Results, *, quick: bool) -> Table:
    """A row for each target."""
    return verdicts_table(verdicts(results, quick=quick))
