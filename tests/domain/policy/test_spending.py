"""Spending: entries, sums and budgets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.policy.spending import (
    Attempt,
    By,
    DailyBudget,
    Total,
    estimated_tokens,
    has_counts,
    stated_tokens,
    stated_usage,
    sums,
)
from messages.model import CallKind, CallOutcome, CallSpent, Usage

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


def spend(**changes: object) -> CallSpent:
    fields: dict[str, object] = {
        "at": NOON,
        "kind": CallKind.MODEL,
        "owner": "discord-channel/1",
        "call_id": "a",
        "attempt": 1,
        "model": "m",
        "prompt_tokens": 10,
        "cached_tokens": 4,
        "completion_tokens": 3,
        "cost_usd": 0.5,
        "outcome": CallOutcome.ANSWERED,
    }
    return CallSpent(**(fields | changes))  # type: ignore[arg-type]


def test_calls_are_summed_by_what_was_asked_for() -> None:
    cases: list[tuple[By, dict[str, object], list[str]]] = [
        (By.DAY, {"at": NOON + timedelta(days=1)}, ["2026-03-31", "2026-04-01"]),
        (By.DAY, {"at": datetime(2026, 4, 1, 1, tzinfo=timezone(timedelta(hours=2)))}, ["2026-03-31"]),
        (By.WINDOW, {"owner": "cli/turn"}, ["cli/turn", "discord-channel/1"]),
        (By.MODEL, {"model": "a"}, ["a", "m"]),
    ]
    got = [list(sums(iter([spend(), spend(**changes)]), by)[0]) for by, changes, _ in cases]
    assert got == [keys for *_, keys in cases]


def test_several_sums_have_every_attempt_and_keep_guesses_apart() -> None:
    calls = [
        spend(),
        spend(outcome=CallOutcome.FAILED, prompt_tokens=0, cached_tokens=0, completion_tokens=0, cost_usd=0.0),
        spend(outcome=CallOutcome.CANCELLED, is_estimated=True),
        spend(outcome=CallOutcome.KILLED, is_estimated=True),
    ]
    total = Total(
        calls=4,
        failed=2,
        cancelled=1,
        prompt_tokens=30,
        cached_tokens=12,
        completion_tokens=9,
        estimated_tokens=26,
        cost_usd=1.5,
    )

    assert sums(iter(calls), By.WINDOW, By.MODEL) == ({"discord-channel/1": total}, {"m": total})


def test_an_entry_has_the_providers_count_or_the_estimates_and_says_which() -> None:
    attempt = Attempt(owner="cli/turn", call_id="a", attempt=2, model="m", sent_tokens=9, began_s=1.0)
    counted = attempt.entry(
        CallOutcome.ANSWERED, Usage(prompt_tokens=7, cached_tokens=2, cost_usd=0.5), NOON, 3.5, written_tokens=4
    )
    guessed = attempt.entry(CallOutcome.FAILED, None, NOON, 3.5, written_tokens=4)
    refused = attempt.entry(CallOutcome.FAILED, Usage(), NOON, 3.5, written_tokens=4)

    assert (counted.prompt_tokens, counted.cached_tokens, counted.completion_tokens) == (7, 2, 0)
    assert (counted.cost_usd, counted.took_s, counted.attempt) == (0.5, 2.5, 2)
    assert (guessed.prompt_tokens, guessed.completion_tokens) == (9, 4)
    assert (refused.prompt_tokens, refused.completion_tokens) == (0, 0)
    assert [each.is_estimated for each in (counted, guessed, refused)] == [False, True, False]


def test_counts_that_a_server_states_are_numbers_or_nothing() -> None:
    counts = [7, "7", 7.9, -1, 10**13, "x", "7" * 13, None, [], float("nan")]
    assert [stated_tokens(each) for each in counts] == [7, 7, 7, 0, 0, 0, 0, 0, 0, 0]
    stated = {"prompt_tokens": 5, "completion_tokens": "3", "prompt_tokens_details": {"cached_tokens": 2}}
    assert stated_usage(stated) == Usage(prompt_tokens=5, completion_tokens=3, cached_tokens=2)
    nonsenses: tuple[object, ...] = (None, [], "x", {"prompt_tokens_details": 3})
    for nonsense in nonsenses:
        assert stated_usage(nonsense) == Usage()
        assert not has_counts(stated_usage(nonsense))
    assert [estimated_tokens(chars) for chars in (0, 1, 4, 5)] == [0, 1, 1, 2]


def test_a_budget_refuses_from_its_cap_until_midnight_utc() -> None:
    budget = DailyBudget(1.0)
    budget.spend(0.75, NOON)
    assert budget.refusal(NOON) == ""
    budget.spend(0.25, NOON)
    waits = [
        (NOON, "in 12 h 0 min"),
        (NOON.replace(hour=23, minute=59, second=30), "in 1 min"),
        (NOON.replace(hour=22, minute=30), "in 1 h 30 min"),
    ]
    for at, wait in waits:
        assert wait in budget.refusal(at)
        assert "limit of $1.00" in budget.refusal(at)
        assert "$1.00 so far" in budget.refusal(at)
    tomorrow = NOON + timedelta(hours=12)
    assert (budget.refusal(tomorrow), budget.spent_usd(tomorrow)) == ("", 0.0)
    budget.spend(0.5, tomorrow)
    assert budget.spent_usd(tomorrow) == 0.5


def test_without_a_cap_a_budget_only_counts_and_a_cap_below_nothing_is_refused() -> None:
    budget = DailyBudget()
    budget.spend(1e6, NOON)
    assert (budget.refusal(NOON), budget.spent_usd(NOON)) == ("", 1e6)
    with pytest.raises(ValueError, match="-1"):
        DailyBudget(-1)
