"""Benchmark `recorded`: an archive of recorded exchanges played under the agent's backends, by provider."""

from __future__ import annotations

import asyncio
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from rich.table import Table

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.machine import Facts
from lab.bench.measure import Figures
from lab.bench.recorded.archive import Exchange, read_archive
from lab.bench.recorded.providers import endpoint_of, provider_of
from lab.bench.recorded.replay import Played, Replay
from lab.bench.recorded.talk import LeftOutError

ALL = "all"
_LEAST_SHARE = 400 / 568
_NO_MODEL = frozenset({"a download", "a server of tools (MCP)", "a sign-in"})
"""Reasons of exchanges without a provider of models."""


@dataclass(slots=True)
class Report(dict[str, Figures]):
    """Figures by provider, and all results other than numbers."""

    left_out: Counter[str] = field(default_factory=Counter)
    """Reason -> exchanges."""
    files_left_out: Counter[str] = field(default_factory=Counter)
    """Reason -> files without any played exchange."""
    without: Counter[str] = field(default_factory=Counter)
    """Kind of part left out of requests -> exchanges."""
    differences: list[str] = field(default_factory=list)
    recorded: dict[str, tuple[datetime, datetime]] = field(default_factory=dict)
    """Provider -> time of the first and of the last exchange, among exchanges with a time."""
    files: int = 0
    files_taken: int = 0


def measure(say: Callable[[str], object], *, data: Path, only: Sequence[str] = ()) -> Rows:
    """Provider -> figures.

    Args:
        say: Is told each file.
        data: Archive, or folder of its files.
        only: Names of providers; empty for all.
    """
    warnings.simplefilter("ignore")  # of litellm's types
    return asyncio.run(_play(say, data, frozenset(name.lower() for name in only)))


async def _play(say: Callable[[str], object], data: Path, only: frozenset[str]) -> Report:
    report = Report()
    async with Replay() as replay:
        for name, exchanges in read_archive(data):
            chosen = [each for each in exchanges if not only or provider_of(each.host).lower() in only]
            if not chosen:
                continue
            say(name)
            reasons = [await _enter(report, replay, exchange) for exchange in chosen]
            report.files += 1
            if None in reasons:
                report.files_taken += 1
            else:
                plain = [reason for reason in reasons if reason not in _NO_MODEL]
                report.files_left_out[str((plain or reasons)[0])] += 1
    _sum_up(report, is_whole=not only)
    return report


async def _enter(report: Report, replay: Replay, exchange: Exchange) -> str | None:
    """Play an exchange and enter the outcome, or the reason for leaving the exchange out."""
    provider = provider_of(exchange.host)
    try:
        played = await replay.play(exchange)
    except LeftOutError as error:
        reason = str(error)
        report.left_out[reason] += 1
        if reason not in _NO_MODEL:
            _row(report, provider)["left_out"] += 1
        return reason
    except Exception as error:  # noqa: BLE001 - one exchange is no reason to lose the others
        played = Played(exchange, endpoint_of(exchange), (), (f"the replay failed: {error!r}",), ())
    figures = _row(report, provider)
    figures["taken"] += 1
    figures["streams"] += exchange.is_stream
    figures["errors"] += exchange.status != 200
    figures["plays"] += len(played.ways)
    figures["differing"] += bool(played.differences)
    figures["agreeing"] += not played.differences
    report.without.update(played.without)
    report.differences += _lines(played)
    if exchange.at is not None:
        first, last = report.recorded.get(provider, (exchange.at, exchange.at))
        report.recorded[provider] = (min(first, exchange.at), max(last, exchange.at))
    return None


def _row(report: Report, provider: str) -> Figures:
    names = ("taken", "streams", "errors", "plays", "agreeing", "differing", "left_out")
    return report.setdefault(provider, dict.fromkeys(names, 0.0))


def _lines(played: Played) -> Iterator[str]:
    for line in played.differences:
        yield f"{played.exchange}: {line}"


def _sum_up(report: Report, *, is_whole: bool) -> None:
    total: Figures = {}
    for provider in sorted(report, key=lambda name: -report[name]["taken"]):
        report[provider] = figures = report.pop(provider)
        for name, value in figures.items():
            total[name] = total.get(name, 0.0) + value
    total |= {"files": report.files, "files_taken": report.files_taken}
    if is_whole and report.files:
        total["share"] = report.files_taken / report.files
    report[ALL] = total


class Recorded(Benchmark):
    """Benchmark with tables of reasons beside its figures."""

    def tables(self, rows: Rows, *, quick: bool) -> Iterator[Table | str]:
        """The figures, the reasons, and each difference."""
        yield from super().tables(rows, quick=quick)
        if not isinstance(rows, Report):
            return
        yield _table(("left out", "exchanges", "files"), _reasons(rows))
        yield _table(("left out of requests", "exchanges"), rows.without.most_common())
        spans = (
            (name, f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}") for name, (first, last) in sorted(rows.recorded.items())
        )
        yield _table(("recorded", "from", "to"), spans)
        yield from rows.differences

    def document(self, rows: Rows, machine: Facts, *, quick: bool) -> dict[str, object]:
        """Whole result, for `json.dumps`."""
        document = super().document(rows, machine, quick=quick)
        if isinstance(rows, Report):
            spans = {name: [at.date().isoformat() for at in span] for name, span in sorted(rows.recorded.items())}
            document |= {
                "left_out": dict(rows.left_out.most_common()),
                "files_left_out": dict(rows.files_left_out.most_common()),
                "left_out_of_requests": dict(rows.without.most_common()),
                "recorded": spans,
                "differences": rows.differences,
            }
        return document


def _reasons(report: Report) -> Iterator[tuple[str, int, int]]:
    for reason, count in report.left_out.most_common():
        yield reason, count, report.files_left_out[reason]


def _table(headings: Sequence[str], lines: Iterator[Sequence[object]] | Sequence[Sequence[object]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left")
    for line in lines:
        table.add_row(*map(str, line))
    return table


RECORDED = Recorded(
    name="recorded",
    measure=measure,
    targets=(
        Target("exchanges that differ", "differing", 0),
        Target("files of which an exchange is played, share", "share", _LEAST_SHARE, ALL, at_least=True),
    ),
    columns=(
        Column("taken", "taken", ",.0f"),
        Column("streams", "streams", ",.0f"),
        Column("errors", "errors", ",.0f"),
        Column("plays", "plays", ",.0f"),
        Column("agreeing", "agreeing", ",.0f"),
        Column("differing", "differing", ",.0f"),
        Column("left out", "left_out", ",.0f"),
        Column("files", "files", ",.0f"),
        Column("files taken", "files_taken", ",.0f"),
    ),
    note="A play is an exchange by one way: by the provider's name, as a server of one's own in OpenAI's form, "
    "or through the gateway.",
)
