from __future__ import annotations

import pytest

from actors.embedder.circuit_breaker import Gate


def fail(gate: Gate, now: float, asked_wait_s: float | None = None) -> float:
    gate.fail(gate.round, asked_wait_s, now)
    return gate.opens_in_s(now)


def test_it_is_open_at_first() -> None:
    assert Gate().is_open(0)


def test_pauses_double_to_five_minutes_and_end() -> None:
    gate, now = Gate(), 0.0

    for least in (1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300):
        pause_s = fail(gate, now)
        assert least <= pause_s <= least + 0.5
        assert not gate.is_open(now + pause_s - 0.01)
        now += pause_s
        assert gate.is_open(now)


def test_pauses_have_a_chance_part() -> None:
    assert len({fail(Gate(), 0) for _ in range(20)}) > 1


def test_calls_that_fail_side_by_side_count_once() -> None:
    gate = Gate()
    begun_in = gate.round

    for _ in range(5):
        gate.fail(begun_in, None, 0)

    assert gate.failures == 1
    assert gate.opens_in_s(0) <= 1.5


def test_success_ends_a_pause_but_not_a_wait_that_was_asked_for() -> None:
    gate = Gate()
    fail(gate, 0)
    gate.succeed()
    assert gate.is_open(0)

    fail(gate, 0, asked_wait_s=20)
    gate.succeed()
    assert gate.opens_in_s(0) == 20


@pytest.mark.parametrize(("asked_s", "kept_s"), [(0.5, 1.0), (90.0, 90.0), (86_400.0, 3_600.0)])
def test_the_wait_that_was_asked_for_is_the_least_up_to_an_hour(asked_s: float, kept_s: float) -> None:
    assert kept_s <= fail(Gate(), 0, asked_s) <= kept_s + 0.5


def test_what_is_shut_opens_by_success_only() -> None:
    gate = Gate()
    gate.shut("no key")
    assert not gate.is_open(1e9)

    gate.succeed()
    assert gate.is_open(0)
