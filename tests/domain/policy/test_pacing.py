"""Pacing of workers."""

from __future__ import annotations

import pytest

from domain.policy.pacing import LONGEST_PAUSE_S, MOST_EARNED, MOST_OWED, PATIENCE_S, TURNS_A_CALL, Pacing


def test_two_turns_or_four_commands_are_enough() -> None:
    pacing = Pacing()
    due = []
    for calls in (3, 0):
        pacing.turn_ended(calls)
        due.append(pacing.is_due)
    pacing.begin()
    due.append(pacing.is_due)
    pacing.turn_ended(4)
    assert [*due, pacing.is_due] == [False, True, False, True]


def test_after_a_failure_three_turns_pass_and_after_more_ever_more_time_but_half_an_hour_at_most() -> None:
    pacing, now = Pacing(), 0.0
    pauses = []
    for _ in range(12):
        pacing.pause(now)
        assert not pacing.may_try(now + 10_000)
        for _ in range(3):
            pacing.turn_ended(0)
        begun = now
        while not pacing.may_try(now):
            now += 1.0
        pauses.append(now - begun)
    assert pauses[:3] == [0.0, 60.0, 120.0]
    assert pauses[-1] == LONGEST_PAUSE_S
    pacing.pause(now)
    pacing.note_answer(1.0)
    for _ in range(3):
        pacing.turn_ended(0)
    assert pacing.may_try(now)


@pytest.mark.req("X-226")
def test_forty_turns_earn_at_most_one_call_in_five_whatever_the_turns_do() -> None:
    for calls in (0, 4, 50):
        pacing, call_count = Pacing(), 0
        for _ in range(40):
            pacing.turn_ended(calls)
            if pacing.is_due:
                pacing.begin()
                pacing.charge()
                call_count += 1
        assert 4 <= call_count <= MOST_EARNED + 40 // TURNS_A_CALL <= 8


@pytest.mark.req("X-226")
def test_a_cut_waits_for_workers_once_and_a_person_who_asks_for_it_waits_for_slow_ones_too() -> None:
    failures: list[tuple[str, object]] = []
    for name, seconds, fails, may_wait, may_wait_asked in [
        ("healthy", [1.0, PATIENCE_S], False, True, True),
        ("slow", [1.0, PATIENCE_S + 1], False, False, True),
        ("failing", [1.0], True, False, False),
    ]:
        pacing = Pacing()
        pacing.begin_wait()
        for after_s in seconds:
            pacing.note_answer(after_s)
        if fails:
            pacing.note_failure()
        pacing.end_wait()
        for life in (pacing, Pacing(pacing.snapshot())):
            waits = life.may_wait(is_asked_for=False), life.may_wait(is_asked_for=True)
            if waits != (may_wait, may_wait_asked):
                failures.append((name, waits))
        pacing.note_answer(1.0)
        if not pacing.may_wait(is_asked_for=False):
            failures.append((name, "after a quick answer"))
    assert not failures
    background = Pacing()
    background.note_answer(60.0)
    assert background.may_wait(is_asked_for=False), "no cut has waited for it"


@pytest.mark.req("X-226")
def test_a_cut_waits_for_no_worker_while_calls_are_overdrawn_unless_a_person_asks_for_it() -> None:
    pacing = Pacing()
    for _ in range(int(MOST_EARNED - MOST_OWED)):
        pacing.charge()
        assert pacing.may_wait(is_asked_for=False)
    pacing.charge()
    assert not pacing.may_wait(is_asked_for=False)
    assert pacing.may_wait(is_asked_for=True)
    for _ in range(TURNS_A_CALL):
        pacing.turn_ended(0)
    assert pacing.may_wait(is_asked_for=False)


def test_what_an_earlier_life_kept_in_no_good_form_counts_as_nothing() -> None:
    for saved in ({"balance": "x"}, {"balance": True}, {"failing": 1, "slow": "yes"}, {"balance": 1e9}):
        assert Pacing(saved).snapshot() == Pacing().snapshot()
