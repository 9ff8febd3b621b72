from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.restarts import RestartPolicy, backoff_s, may_restart, recent

policies = st.builds(
    RestartPolicy,
    intensity=st.integers(0, 20),
    window_s=st.floats(0.1, 1000),
    min_backoff_s=st.floats(0, 1),
    max_backoff_s=st.floats(1, 60),
    jitter=st.floats(0, 2),
)


def test_five_crashes_in_a_minute_are_borne_and_the_sixth_is_not() -> None:
    policy = RestartPolicy()

    assert may_restart((0.0,) * 5, policy)
    assert not may_restart((0.0,) * 6, policy)


def test_a_crash_counts_until_the_window_has_passed_and_not_at_its_end() -> None:
    policy = RestartPolicy(window_s=60)

    assert recent((0.0, 0.1, 59.0), 60.0, policy) == (0.1, 59.0)


def test_waits_double_from_the_least_to_the_most() -> None:
    policy = RestartPolicy(min_backoff_s=0.1, max_backoff_s=5.0)

    assert [backoff_s(n, policy, 0.0) for n in range(1, 9)] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_chance_adds_at_most_the_jitters_share() -> None:
    policy = RestartPolicy(min_backoff_s=1.0, jitter=0.2)

    assert backoff_s(1, policy, 0.5) == pytest.approx(1.1)
    assert backoff_s(1, policy, 0.999999) < 1.2


@given(policies, st.integers(1, 10**9), st.floats(0, 1, exclude_max=True))
def test_a_wait_always_lies_between_its_bounds(policy: RestartPolicy, count: int, chance: float) -> None:
    wait_s = backoff_s(count, policy, chance)

    assert policy.min_backoff_s <= wait_s <= policy.max_backoff_s * (1 + policy.jitter)


@given(policies, st.lists(st.floats(0, 1e6)), st.floats(0, 1e6))
def test_recent_keeps_the_order_and_invents_nothing(policy: RestartPolicy, crashes: list[float], now: float) -> None:
    recent_crashes = recent(tuple(crashes), now, policy)

    assert list(recent_crashes) == [at for at in crashes if at in recent_crashes]
    assert all(now - at < policy.window_s for at in recent_crashes)


def test_a_policy_that_cannot_be_kept_is_refused_naming_the_value(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, Any]] = [
        {"intensity": -1},
        {"max_attempts": 0},
        {"min_backoff_s": -0.1},
        {"min_backoff_s": 6.0},
        {"window_s": 0.0},
        {"suspend_s": 0.0},
        {"jitter": -0.1},
    ]
    for wrong in cases:
        with subtests.test(wrong=wrong):
            (name,) = wrong
            with pytest.raises(ValueError, match=name):
                RestartPolicy(**wrong)
