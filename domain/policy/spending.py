"""Spending on calls of models: one attempt and the entry, sums of entries, and the budget of a day. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from domain.text.token_estimate import CHARS_PER_TOKEN
from messages.model import CallKind, CallOutcome, CallSpent, Usage

_MOST_TOKENS = 10**12
_CACHED = ("cache_read_input_tokens", "prompt_cache_hit_tokens", "cached_tokens")
"""Names beside OpenAI's: Anthropic's, DeepSeek's, Moonshot's."""
_STORED = ("cache_creation_input_tokens", "cache_write_tokens", "cache_creation_tokens")
"""Names of Anthropic, OpenRouter and litellm."""
_DIGITS = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt at a call, until the entry is made."""

    kind: CallKind = CallKind.MODEL
    owner: str
    """This and the following as in `CallSpent`."""
    run_id: str = ""
    purpose: str = ""
    call_id: str
    attempt: int = 1
    model: str
    sent_tokens: int
    """Estimate for the texts sent."""
    began_s: float
    """Time of the monotonic clock."""

    def entry(
        self,
        outcome: CallOutcome,
        usage: Usage | None,
        at: datetime,
        now_s: float,
        *,
        written_tokens: int = 0,
        stated_usd: float = 0.0,
    ) -> CallSpent:
        """Entry for the ledger.

        Args:
            outcome: End of the attempt.
            usage: Provider's count, all 0 for a refused attempt; None to enter the estimates.
            at: Aware UTC.
            now_s: Time of the monotonic clock.
            written_tokens: Estimate for the text received.
            stated_usd: Cost that a provider states without a count.
        """
        used = usage or Usage(prompt_tokens=self.sent_tokens, completion_tokens=written_tokens, cost_usd=stated_usd)
        return CallSpent(
            at=at,
            kind=self.kind,
            owner=self.owner,
            run_id=self.run_id,
            purpose=self.purpose,
            call_id=self.call_id,
            attempt=self.attempt,
            model=self.model,
            prompt_tokens=used.prompt_tokens,
            cached_tokens=used.cached_tokens,
            stored_tokens=used.stored_tokens,
            completion_tokens=used.completion_tokens,
            cost_usd=used.cost_usd,
            outcome=outcome,
            is_estimated=usage is None,
            took_s=round(now_s - self.began_s, 3),
        )


def estimated_tokens(chars: int) -> int:
    """Estimate of the tokens of a text, rounded up."""
    return -(-chars // CHARS_PER_TOKEN)


def stated_usage(stated: object) -> Usage:
    """Usage in OpenAI's form, without a cost; 0 for invalid counts."""
    fields = stated if isinstance(stated, Mapping) else {}
    details = fields.get("prompt_tokens_details")
    named = details if isinstance(details, Mapping) else {}
    return Usage(
        prompt_tokens=stated_tokens(fields.get("prompt_tokens")),
        completion_tokens=stated_tokens(fields.get("completion_tokens")),
        cached_tokens=stated_tokens(named.get("cached_tokens")) or _first_stated(fields, _CACHED),
        stored_tokens=_first_stated(named, _STORED) or _first_stated(fields, _STORED),
    )


def _first_stated(fields: Mapping[str, object], names: Iterable[str]) -> int:
    """First count above 0 among servers' alternative fields."""
    return next((count for name in names if (count := stated_tokens(fields.get(name)))), 0)


def stated_tokens(value: object) -> int:
    """Count as reported by a server, perhaps as a string; 0 if invalid."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return int(value) if isinstance(value, int | float) and 0 <= value < _MOST_TOKENS else 0


def has_counts(usage: Usage | None) -> bool:
    """True if the usage has a counted token."""
    return usage is not None and bool(usage.prompt_tokens or usage.completion_tokens)


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
    prompt_tokens: int = 0
    cached_tokens: int = 0
    stored_tokens: int = 0
    completion_tokens: int = 0
    estimated_tokens: int = 0
    """Prompt and completion tokens without a provider's count."""
    cost_usd: float = 0.0

    def add(self, spent: CallSpent) -> None:
        """Count one more call."""
        self.calls += 1
        self.failed += spent.outcome in (CallOutcome.FAILED, CallOutcome.KILLED)
        self.cancelled += spent.outcome is CallOutcome.CANCELLED
        self.prompt_tokens += spent.prompt_tokens
        self.cached_tokens += spent.cached_tokens
        self.stored_tokens += spent.stored_tokens
        self.completion_tokens += spent.completion_tokens
        if spent.is_estimated:
            self.estimated_tokens += spent.prompt_tokens + spent.completion_tokens
        self.cost_usd += spent.cost_usd


def sums(calls: Iterable[CallSpent], *by: By) -> tuple[dict[str, Total], ...]:
    """For each key of `by`: day (UTC), window or model -> sum, in order. The calls may come from an iterator."""
    totals: tuple[dict[str, Total], ...] = tuple({} for _ in by)
    for spent in calls:
        for each, key in zip(totals, by, strict=True):
            each.setdefault(_key(spent, key), Total()).add(spent)
    return tuple(dict(sorted(each.items())) for each in totals)


def _key(spent: CallSpent, by: By) -> str:
    if by is By.DAY:
        return spent.at.astimezone(UTC).date().isoformat()
    return spent.owner if by is By.WINDOW else spent.model


class DailyBudget:
    """Budget of a day: counts the costs and reports when the budget is used up; each day separately."""

    def __init__(self, cap_usd: float = 0.0) -> None:
        """Start an unspent budget; a day may cost `cap_usd`, or any amount for 0.

        Raises:
            ValueError: `cap_usd` is below 0.
        """
        if cap_usd < 0:
            raise ValueError(f"cap_usd {cap_usd} must be >= 0")
        self.cap_usd = cap_usd
        """Most of a day; 0 for no cap."""
        self._day = date.min
        self._spent_usd = 0.0
        self._is_whole = False
        """True if the calls that the day had before are counted."""

    @property
    def has_cap(self) -> bool:
        """True if the budget has an upper limit."""
        return self.cap_usd > 0

    def spend(self, cost_usd: float, at: datetime) -> None:
        """Count a cost, at a time in UTC; costs of another day count no more."""
        self._is_whole &= at.date() == self._day
        self._spent_usd = self.spent_usd(at) + cost_usd
        self._day = at.date()

    def lacks_earlier(self, at: datetime) -> bool:
        """True if there is a cap, and the calls that a day has had so far are still to be counted.

        A clock that was set may bring any day, and a day before comes back.
        """
        return self.has_cap and not (self._is_whole and at.date() == self._day)

    def begin_day(self, earlier_usd: float, at: datetime) -> None:
        """Count the calls that a day has had so far, unless more is counted already."""
        self._spent_usd = max(self.spent_usd(at), earlier_usd)
        self._day, self._is_whole = at.date(), True

    def spent_usd(self, at: datetime) -> float:
        """Cost of the day of `at` so far."""
        return self._spent_usd if at.date() == self._day else 0.0

    def refusal(self, at: datetime) -> str:
        """Reason why no more calls may begin, for a person; empty while calls may begin."""
        so_far_usd = self.spent_usd(at)
        if not self.has_cap or so_far_usd < self.cap_usd:
            return ""
        midnight = datetime.combine(at.date() + timedelta(days=1), datetime.min.time(), at.tzinfo)
        minutes = -(-int((midnight - at).total_seconds()) // 60)
        wait = f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
        return (
            f"today's limit of ${self.cap_usd:,.2f} for language models is used up (${so_far_usd:,.2f} so far). "
            f"It goes on at midnight UTC, in {wait}."
        )
