"""Sums of what calls took."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from domain.policy.spending import By, Total, summed, summed_by_each
from messages.model import CallKind, CallOutcome, CallSpent

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


def spent(**changes: object) -> CallSpent:
    given: dict[str, object] = {
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
    return CallSpent(**(given | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("by", "changes", "keys"),
    [
        (By.DAY, {"at": NOON + timedelta(days=1)}, ["2026-03-31", "2026-04-01"]),
        (By.DAY, {"at": datetime(2026, 4, 1, 1, tzinfo=timezone(timedelta(hours=2)))}, ["2026-03-31"]),
        (By.WINDOW, {"owner": "cli/turn"}, ["cli/turn", "discord-channel/1"]),
        (By.MODEL, {"model": "a"}, ["a", "m"]),
    ],
)
def test_calls_are_summed_by_what_was_asked_for(by: By, changes: dict[str, object], keys: list[str]) -> None:
    assert list(summed([spent(), spent(**changes)], by)) == keys


def test_a_sum_has_every_attempt_and_keeps_guesses_apart() -> None:
    calls = [
        spent(),
        spent(outcome=CallOutcome.FAILED, prompt_tokens=0, cached_tokens=0, completion_tokens=0, cost_usd=0.0),
        spent(outcome=CallOutcome.CANCELLED, is_estimated=True),
        spent(outcome=CallOutcome.KILLED, is_estimated=True),
    ]

    assert summed(calls, By.MODEL) == {
        "m": Total(
            calls=4,
            failed=1,
            cancelled=1,
            killed=1,
            prompt_tokens=30,
            cached_tokens=12,
            completion_tokens=9,
            estimated_tokens=26,
            cost_usd=1.5,
        )
    }


def test_several_sums_are_made_of_calls_that_come_once() -> None:
    calls = [spent(), spent(owner="cli/turn"), spent(model="a")]

    assert summed_by_each(iter(calls), By.WINDOW, By.MODEL) == (summed(calls, By.WINDOW), summed(calls, By.MODEL))
