"""What may be spent on one day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from domain.policy.budget import DailyBudget

NOON = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)


def test_nothing_is_refused_until_the_cap_is_reached() -> None:
    budget = DailyBudget(1.0)
    budget.spend(0.75, NOON)
    assert budget.refusal(NOON) == ""
    budget.spend(0.25, NOON)
    assert "$1.00" in budget.refusal(NOON)


@pytest.mark.parametrize(
    ("at", "wait"),
    [
        (NOON, "in 12 h 0 min"),
        (NOON.replace(hour=23, minute=59, second=30), "in 1 min"),
        (NOON.replace(hour=22, minute=30), "in 1 h 30 min"),
    ],
)
def test_a_refusal_says_when_it_goes_on(at: datetime, wait: str) -> None:
    budget = DailyBudget(1.0)
    budget.spend(5.0, at)
    assert wait in budget.refusal(at)
    assert "$5.00 so far" in budget.refusal(at)


def test_each_day_begins_with_nothing_spent() -> None:
    budget = DailyBudget(1.0)
    budget.spend(5.0, NOON)
    tomorrow = NOON + timedelta(hours=12)
    assert (budget.refusal(tomorrow), budget.spent_usd(tomorrow)) == ("", 0.0)
    budget.spend(0.5, tomorrow)
    assert budget.spent_usd(tomorrow) == 0.5


def test_without_a_cap_it_only_counts() -> None:
    budget = DailyBudget()
    budget.spend(1e6, NOON)
    assert (budget.refusal(NOON), budget.spent_usd(NOON)) == ("", 1e6)


def test_a_cap_below_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        DailyBudget(-1)
