from __future__ import annotations

import pytest

from actors.embedder.circuit_breaker import CircuitBreaker


def fail(breaker: CircuitBreaker, now: float, asked_wait_s: float | None = None) -> float:
    breaker.fail(breaker.mark(now), asked_wait_s, now)
    return breaker.pause_left_s(now)


def test_it_allows_calls_at_first() -> None:
    assert CircuitBreaker().allows_calls(0)


@pytest.mark.req("C-11")
def test_pauses_double_to_five_minutes_and_end() -> None:
    breaker, now = CircuitBreaker(), 0.0

    for least in (1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300):
        pause_s = fail(breaker, now)
        assert least <= pause_s <= least + 0.5
        assert not breaker.allows_calls(now + pause_s - 0.01)
        now += pause_s
        assert breaker.allows_calls(now)


def test_pauses_have_a_chance_part() -> None:
    assert len({fail(CircuitBreaker(), 0) for _ in range(20)}) > 1


def test_calls_that_fail_side_by_side_count_once() -> None:
    breaker = CircuitBreaker()
    mark = breaker.mark(0)

    for _ in range(5):
        breaker.fail(mark, None, 0)

    assert breaker.failures == 1
    assert breaker.pause_left_s(0) <= 1.5


def test_success_ends_a_pause_but_not_a_wait_that_was_asked_for() -> None:
    breaker = CircuitBreaker()
    fail(breaker, 0)
    breaker.succeed()
    assert breaker.allows_calls(0)

    fail(breaker, 0, asked_wait_s=20)
    breaker.succeed()
    assert breaker.pause_left_s(0) == 20


def test_the_wait_that_was_asked_for_is_the_least_up_to_an_hour(subtests: pytest.Subtests) -> None:
    for asked_s, kept_s in [(0.5, 1.0), (90.0, 90.0), (86_400.0, 3_600.0)]:
        with subtests.test(asked_s=asked_s, kept_s=kept_s):
            assert kept_s <= fail(CircuitBreaker(), 0, asked_s) <= kept_s + 0.5


def test_what_is_tripped_allows_calls_after_a_success_only() -> None:
    breaker = CircuitBreaker()
    breaker.trip("no key")
    assert not breaker.allows_calls(1e9)

    breaker.succeed()
    assert breaker.allows_calls(0)
