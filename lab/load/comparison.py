"""Comparison: the agent and the floor under the same traffic, in turn, and what each of them takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from lab.load.campaign import run
from lab.load.plan import Plan, Progress
from lab.load.report import AGENT, FLOOR, Overhead, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Figures of one subject, or the agent's divided by the floor's; medians of the rounds."""

    cpu_ms_per_turn: float | None
    cpu_ms_without_vectors: float | None
    """The same without the local model, where the agent has one."""
    turns_per_s: float | None
    overhead_ms: Overhead
    peak_rss_mb: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Runs of one size, in the order in which they were made."""

    runs: tuple[Report, ...]

    def row(self, subject: str) -> Row | None:
        """A subject's figures; None if it was not driven."""
        runs = [each for each in self.runs if each.subject == subject]
        return _row(runs) if runs else None

    @property
    def ratio(self) -> Row | None:
        """The agent's figures in terms of the floor's; None without either."""
        agent, floor = self.row(AGENT), self.row(FLOOR)
        return _ratio(agent, floor) if agent is not None and floor is not None else None

    def as_dict(self) -> dict[str, object]:
        """The comparison as JSON has it."""
        first = self.runs[0]
        rows = {AGENT: self.row(AGENT), FLOOR: self.row(FLOOR), "ratio": self.ratio}
        return {
            "profile": first.profile,
            "threads": first.threads,
            "turns": first.turns,
            "model_latency_ms": first.model_latency_ms,
            **{name: asdict(row) if row is not None else None for name, row in rows.items()},
            "bounded_by": {each.subject: each.bounded_by for each in self.runs},
            "runs": [each.as_dict() for each in self.runs],
        }

    def failures(self) -> tuple[str, ...]:
        """Why the agent's runs are no success; what the floor loses is its own affair, and is shown."""
        return tuple(reason for each in self.runs if each.subject == AGENT for reason in each.failures())


def compare(plan: Plan, subjects: Sequence[str], rounds: int, on_progress: Callable[[Progress], None]) -> Comparison:
    """Drive each subject in each round, the order turned round from one to the next, since a machine's speed drifts.

    Raises:
        LoadError: one of them could not be driven.
    """
    runs = []
    for number in range(rounds):
        for subject in subjects if number % 2 == 0 else reversed(subjects):
            shown = f"{subject}, round {number + 1} of {rounds}: " if len(subjects) * rounds > 1 else ""
            keep_in = plan.keep_in / f"{number + 1}-{subject}" if plan.keep_in is not None and shown else plan.keep_in
            each = dataclasses.replace(plan, subject=subject, seed=f"{plan.seed}/{number}", keep_in=keep_in)
            if not shown:
                each = dataclasses.replace(plan, subject=subject)
            runs.append(run(each, _prefixed(on_progress, shown)))
    return Comparison(runs=tuple(runs))


def _prefixed(on_progress: Callable[[Progress], None], prefix: str) -> Callable[[Progress], None]:
    return lambda progress: on_progress(dataclasses.replace(progress, stage=f"{prefix}{progress.stage}"))


def _row(runs: Sequence[Report]) -> Row:
    return Row(
        cpu_ms_per_turn=_median([each.cpu_ms_per_turn for each in runs]),
        cpu_ms_without_vectors=_median([each.cpu_ms_without_vectors for each in runs]),
        turns_per_s=_median([each.turns_per_s for each in runs]),
        overhead_ms=Overhead(
            p50=_median([each.overhead_ms.p50 for each in runs]),
            p95=_median([each.overhead_ms.p95 for each in runs]),
            p99=_median([each.overhead_ms.p99 for each in runs]),
        ),
        peak_rss_mb=_median([each.peak_rss_mb for each in runs]),
    )


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(median(known), 2) if known else None


def _ratio(agent: Row, floor: Row) -> Row:
    ours, theirs = agent.overhead_ms, floor.overhead_ms
    return Row(
        cpu_ms_per_turn=_quotient(agent.cpu_ms_per_turn, floor.cpu_ms_per_turn),
        cpu_ms_without_vectors=_quotient(agent.cpu_ms_without_vectors, floor.cpu_ms_without_vectors),
        turns_per_s=_quotient(agent.turns_per_s, floor.turns_per_s),
        overhead_ms=Overhead(
            p50=_quotient(ours.p50, theirs.p50),
            p95=_quotient(ours.p95, theirs.p95),
            p99=_quotient(ours.p99, theirs.p99),
        ),
        peak_rss_mb=_quotient(agent.peak_rss_mb, floor.peak_rss_mb),
    )


def _quotient(value: float | None, by: float | None) -> float | None:
    return round(value / by, 2) if value is not None and by else None
