"""Sums of what calls of models took, by day, window or model. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from enum import StrEnum

from messages.model import CallOutcome, CallSpent


class By(StrEnum):
    """Key by which calls are summed."""

    DAY = "day"
    WINDOW = "window"
    MODEL = "model"


@dataclass(slots=True)
class Total:
    """Sum of calls."""

    calls: int = 0
    """Attempts: each counts."""
    failed: int = 0
    cancelled: int = 0
    killed: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    estimated_tokens: int = 0
    """Of both, those that no provider has counted."""
    cost_usd: float = 0.0

    def add(self, spent: CallSpent) -> None:
        """Count one more call."""
        self.calls += 1
        self.failed += spent.outcome is CallOutcome.FAILED
        self.cancelled += spent.outcome is CallOutcome.CANCELLED
        self.killed += spent.outcome is CallOutcome.KILLED
        self.prompt_tokens += spent.prompt_tokens
        self.cached_tokens += spent.cached_tokens
        self.completion_tokens += spent.completion_tokens
        if spent.is_estimated:
            self.estimated_tokens += spent.prompt_tokens + spent.completion_tokens
        self.cost_usd += spent.cost_usd


def summed(calls: Iterable[CallSpent], by: By) -> dict[str, Total]:
    """Day (UTC), window or model -> sum of its calls, in the order of the keys."""
    (totals,) = summed_by_each(calls, by)
    return totals


def summed_by_each(calls: Iterable[CallSpent], *by: By) -> tuple[dict[str, Total], ...]:
    """As `summed`, by several at a time: the calls are gone through once, and none of them is kept."""
    totals: tuple[dict[str, Total], ...] = tuple({} for _ in by)
    for spent in calls:
        for sums, each in zip(totals, by, strict=True):
            sums.setdefault(_key(spent, each), Total()).add(spent)
    return tuple(dict(sorted(sums.items())) for sums in totals)


def _key(spent: CallSpent, by: By) -> str:
    if by is By.DAY:
        return spent.at.astimezone(UTC).date().isoformat()
    return spent.owner if by is By.WINDOW else spent.model
