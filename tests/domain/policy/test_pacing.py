"""Pacing of workers."""

from __future__ import annotations

from domain.policy.pacing import LONGEST_PAUSE_S, Pacing


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
        pacing.failed(now)
        assert not pacing.may_try(now + 10_000)
        for _ in range(3):
            pacing.turn_ended(0)
        begun = now
        while not pacing.may_try(now):
            now += 1.0
        pauses.append(now - begun)
    assert pauses[:3] == [0.0, 60.0, 120.0]
    assert pauses[-1] == LONGEST_PAUSE_S
    pacing.failed(now)
    pacing.answered()
    for _ in range(3):
        pacing.turn_ended(0)
    assert pacing.may_try(now)
