"""Pace of the facts of a conversation."""

from __future__ import annotations

import pytest

from domain.facts.pace import LONGEST_PAUSE_S, LONGEST_QUIET_S, MOST_CHARS, QUIET_S, Pace, batch_size


def walk(turns: int, between_s: float, calls_a_batch: int, *, turns_a_call: int = 20) -> tuple[int, float]:
    """Calls of a talk, and the longest wait of a turn in it."""
    pace, waiting, calls, longest_s, now = Pace(turns_a_call), list[float](), 0, 0.0, 0.0
    for number in range(turns + 1):
        ends = now + (between_s if number < turns else 0.0)
        if number < turns:
            pace.end_turn(now)
            waiting.append(now)
        while (
            waiting
            and (due := now + pace.remaining_s(now, is_asked=False, is_worth=len(waiting) >= turns_a_call)) < ends
        ):
            calls_made = calls_a_batch if calls else 1  # the first facts are compared with no others
            now, calls = due, calls + calls_made
            pace.begin(now)
            longest_s, waiting = max(longest_s, now - waiting[0]), []
            for _ in range(calls_made):
                pace.balance.charge()
            pace.note_success()
        now = ends
    return calls, longest_s


@pytest.mark.req("X-232")
def test_talk_of_forty_turns_costs_one_call_in_five_at_most_however_fast_it_is() -> None:
    """As SudoJacky/tinybot#426 and MemoriLabs/Memori#366 report of a call for each turn of ordinary talk."""
    failures = []
    for between_s in (0.1, 5.0, 29.0, 61.0, 90.0, 119.0, 150.0):
        for calls_a_batch in (1, 2):
            calls, longest_s = walk(40, between_s, calls_a_batch)
            if calls > 8 or longest_s > LONGEST_QUIET_S + 20 * between_s:
                failures.append((between_s, calls_a_batch, calls, longest_s))
    assert not failures


@pytest.mark.req("X-232")
def test_long_talk_costs_one_call_in_five_whatever_a_batch_costs_and_no_turn_waits_for_ever() -> None:
    failures = []
    for between_s in (0.1, 30.0, 61.0, 300.0, 1_500.0):
        for calls_a_batch in (1, 2, 3):
            calls, longest_s = walk(400, between_s, calls_a_batch)
            if calls > 80 or longest_s > LONGEST_QUIET_S + 20 * between_s:
                failures.append((between_s, calls_a_batch, calls, longest_s))
    assert not failures


@pytest.mark.req("X-232")
def test_first_turns_wait_for_nothing_and_a_setting_has_every_turn_at_once() -> None:
    pace = Pace()
    pace.end_turn(0.0)
    assert pace.remaining_s(0.0, is_asked=False) == 0
    pace.balance.charge()
    pace.end_turn(1.0)
    assert pace.remaining_s(1.0, is_asked=False) == 0
    pace.balance.charge()
    pace.end_turn(2.0)
    assert 0 < pace.remaining_s(2.0, is_asked=False) < QUIET_S
    pace.balance.charge()
    pace.end_turn(2.0)
    assert QUIET_S < pace.remaining_s(2.0, is_asked=False) < 200.0
    assert pace.remaining_s(2.0, is_asked=True) == 0
    assert pace.remaining_s(2.0, is_asked=False, is_worth=True) == 0
    pace.begin(50.0)
    assert pace.remaining_s(52.0, is_asked=False) > QUIET_S
    assert walk(10, 1.0, 3, turns_a_call=1) == (28, 0.0)


@pytest.mark.req("X-232")
def test_failures_in_a_row_pause_a_conversation_and_no_wish_or_number_shortens_that() -> None:
    """As MemMachine/MemMachine#1453 and Project-N-E-K-O/N.E.K.O#1504 report of a night of calls that all failed."""
    pace, now, waits = Pace(), 0.0, []
    for _ in range(8):
        pace.balance.charge()
        pace.note_failure(now)
        waits.append(pace.remaining_s(now, is_asked=True, is_worth=True))
        now += waits[-1]
        assert pace.remaining_s(now, is_asked=True) == 0
    assert waits[0] >= 30
    assert waits == sorted(waits)
    assert LONGEST_PAUSE_S <= waits[-1] <= LONGEST_QUIET_S
    pace.note_success()
    assert pace.remaining_s(now, is_asked=False) == 0


@pytest.mark.req("X-232")
def test_a_conversation_that_asks_for_every_turn_to_be_remembered_waits_as_well() -> None:
    pace, calls = Pace(), 0
    for number in range(40):
        pace.end_turn(float(number))
        if pace.remaining_s(float(number), is_asked=True) == 0:
            pace.begin(float(number))
            pace.balance.charge()
            calls += 1
    assert 4 <= calls <= 8


def test_an_extraction_reads_as_many_messages_as_have_room() -> None:
    table = [([10] * 5, 20, 5), ([10] * 50, 20, 20), ([MOST_CHARS, 1], 20, 1), ([9 * MOST_CHARS], 20, 1)]
    table += [([MOST_CHARS // 2] * 5, 20, 2), ([10] * 5, 0, 1)]
    assert [(lengths, most) for lengths, most, size in table if batch_size(lengths, most) != size] == []
