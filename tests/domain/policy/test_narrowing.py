from __future__ import annotations

from math import ceil, log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.narrowing import (
    LATER_S,
    LEAST_CHARS,
    LONGEST_SPACE_S,
    STREAK,
    TRIES,
    CallSize,
    FailureStreak,
    Step,
    fewer_chars,
    next_step,
    parts,
    server_works,
)
from domain.policy.retrying import Fault, FaultKind

SERVER = Fault(FaultKind.SERVER, 500)
TEXTS = (FaultKind.SERVER, FaultKind.SLOW, FaultKind.CUT_OFF, FaultKind.UNREADABLE, FaultKind.UNKNOWN)
REFUSALS = (FaultKind.REJECTED, FaultKind.TOO_LONG)


def step(
    fault: Fault, count: int, *, tries: int = 0, downs: int = 0, rounds: int = 0, works: bool | None = None
) -> Step:
    return next_step(fault, count, tries=tries, downs=downs, rounds=rounds, works=works)


@pytest.mark.req("X-202")
def test_who_is_at_fault_is_found_out_first(subtests: pytest.Subtests) -> None:
    cases_1: list[int] = [1, 2, 64]
    cases_2: list[FaultKind] = [*TEXTS, *REFUSALS]
    for count in cases_1:
        for kind in cases_2:
            with subtests.test(count=count, kind=kind):
                assert step(Fault(kind), count) is Step.PROBE


def test_a_server_that_answers_nothing_is_waited_for_and_no_text_is_blamed(subtests: pytest.Subtests) -> None:
    cases: list[FaultKind] = [*TEXTS, *REFUSALS]
    for kind in cases:
        with subtests.test(kind=kind):
            assert step(Fault(kind), 1, tries=9, downs=1, works=False) is Step.WAIT
            assert step(Fault(kind), 64, downs=1, works=False) is Step.WAIT


def test_a_call_that_fails_while_the_server_works_is_split(subtests: pytest.Subtests) -> None:
    cases: list[FaultKind] = [*TEXTS, *REFUSALS]
    for kind in cases:
        with subtests.test(kind=kind):
            assert step(Fault(kind), 2, works=True) is Step.SPLIT


def test_a_text_alone_is_put_off_after_a_few_tries(subtests: pytest.Subtests) -> None:
    cases: list[FaultKind] = [*TEXTS, *REFUSALS]
    for kind in cases:
        with subtests.test(kind=kind):
            steps = [step(Fault(kind), 1, tries=tries, works=True) for tries in range(1, TRIES + 1)]
            last = Step.SET_ASIDE if kind is FaultKind.TOO_LONG else Step.PUT_OFF

            assert steps == sorted(steps, key=lambda each: each is last)
            assert set(steps) <= {Step.REPEAT, last}
            assert steps[-1] is last
            assert (steps[0] is last) is (kind in REFUSALS)


def test_a_text_is_set_aside_once_it_has_failed_over_minutes(subtests: pytest.Subtests) -> None:
    cases: list[FaultKind] = [*TEXTS, FaultKind.REJECTED]
    for kind in cases:
        with subtests.test(kind=kind):
            rounds = range(1, len(LATER_S) + 1)
            steps = [step(Fault(kind), 1, tries=1, rounds=each, works=True) for each in rounds]

            assert steps == [Step.PUT_OFF] * (len(LATER_S) - 1) + [Step.SET_ASIDE]
            assert sum(LATER_S) > 120


ACCOUNT = (FaultKind.KEY, FaultKind.QUOTA, FaultKind.NOT_FOUND)


@pytest.mark.parametrize("kind", ACCOUNT)
@pytest.mark.parametrize("status", [400, 403, 404])
def test_what_looks_like_a_refused_account_may_be_about_one_text(kind: FaultKind, status: int) -> None:
    """amazon-archives/aws-waf-sample#30: a firewall before the server answers 403 to a certain word."""
    fault = Fault(kind, status)

    assert step(fault, 64) is Step.PROBE
    assert step(fault, 64, works=True) is Step.SPLIT
    assert step(fault, 1, tries=1, works=True) is Step.REPEAT


def test_a_refused_account_is_about_no_text(subtests: pytest.Subtests) -> None:
    cases_1: list[int | None] = [None, 401, 402, 429]
    for status in cases_1:
        for kind in ACCOUNT:
            with subtests.test(status=status, kind=kind):
                assert step(Fault(kind, status), 1, tries=9, downs=9, works=True) is Step.WAIT


def test_no_text_can_cause_what_no_text_has_reached(subtests: pytest.Subtests) -> None:
    cases: list[FaultKind] = [FaultKind.UNREACHABLE, FaultKind.KEY, FaultKind.QUOTA, FaultKind.NOT_FOUND]
    for kind in cases:
        with subtests.test(kind=kind):
            assert step(Fault(kind), 1, tries=9, downs=9, works=True) is Step.WAIT


def test_a_server_that_asks_for_a_wait_gets_it(subtests: pytest.Subtests) -> None:
    cases: list[Fault] = [Fault(FaultKind.RATE_LIMIT, 429), Fault(FaultKind.SERVER, 503, asked_wait_s=5.0)]
    for fault in cases:
        with subtests.test(fault=fault):
            assert server_works(fault, works=True) is False
            assert step(fault, 64, works=True) is Step.WAIT


def test_a_text_before_which_the_server_works_and_after_which_it_does_not_is_found_too() -> None:
    """gpustack/gpustack#1407: a text that is too long ends the server's process."""
    assert [step(SERVER, 64, downs=downs, works=False) for downs in (1, 2)] == [Step.WAIT, Step.SPLIT]
    alone = [step(SERVER, 1, downs=downs, works=False) for downs in (1, 2, 3, 4)]
    assert alone == [Step.WAIT, Step.WAIT, Step.WAIT, Step.SET_ASIDE]


@given(st.lists(st.integers(), max_size=200))
def test_parts_are_all_items_in_their_order_and_none_is_empty(items: list[int]) -> None:
    cut = parts(items)

    assert [item for part in cut for item in part] == items
    assert all(cut)
    assert len(items) < 2 or max(map(len, cut)) <= (len(items) + 1) // 2


@given(st.integers(1, 128), st.data())
def test_exactly_the_bad_texts_are_set_aside_and_each_costs_few_calls(count: int, data: st.DataObject) -> None:
    bad = data.draw(st.sets(st.integers(0, count - 1), max_size=5))
    waiting, tries, gone, calls = [list(range(count))], dict.fromkeys(range(count), 0), set(), 0
    while waiting:
        call, calls = waiting.pop(), calls + 1
        if bad.isdisjoint(call):
            continue
        if len(call) == 1:
            tries[call[0]] += 1
        match step(SERVER, len(call), tries=tries[call[0]], works=True):
            case Step.SPLIT:
                waiting += parts(call)
            case Step.PUT_OFF:
                gone.update(call)
            case other:
                assert other is Step.REPEAT
                waiting.append(call)

    assert gone == bad
    assert calls <= 1 + len(bad) * (2 * ceil(log2(count + 1)) + TRIES)


# the size of calls


def test_one_vector_for_several_texts_twice_means_that_each_goes_alone() -> None:
    """AstrBotDevs/AstrBot#8537: a model's client makes one text of a list."""
    size = CallSize(64)
    size.note_answer(64, 1)
    assert size.most == 64
    size.note_answer(1, 1)
    size.note_answer(32, 1)
    assert size.most == 1

    for _ in range(100):
        size.note_success(1)
    assert size.most == 1


def test_another_wrong_count_is_no_sign_of_that(subtests: pytest.Subtests) -> None:
    cases: list[int] = [0, 2, 63, 64, 65]
    for count in cases:
        with subtests.test(count=count):
            size = CallSize(64)
            for _ in range(9):
                size.note_answer(64, count)

            assert size.most == 64


def test_a_call_that_was_too_large_makes_the_next_ones_smaller_and_later_a_greater_one_is_tried() -> None:
    """memodb-io/memobase#142: a server takes ten texts a call."""
    size = CallSize(64)
    for largest in (32, 16, 8):
        size.note_split(largest)
    assert size.most == 8

    for _ in range(100):
        size.note_success(7)
    assert size.most == 8
    for _ in range(16):
        size.note_success(8)
    assert size.most == 16
    for _ in range(16 * 9):
        size.note_success(64)
    assert size.most == 64


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="limit 0 must be >= 1"):
        CallSize(0)


# failures in a row


def test_many_failures_in_a_row_are_spaced_out_and_a_success_ends_that() -> None:
    streak = FailureStreak()

    assert [streak.fail(0) for _ in range(STREAK)] == [0] * STREAK
    waits = [streak.fail(0) for _ in range(40)]
    assert waits[:3] == [1, 2, 4]
    assert waits[-1] == LONGEST_SPACE_S
    assert streak.wait_s(LONGEST_SPACE_S / 2) == LONGEST_SPACE_S / 2
    assert streak.wait_s(LONGEST_SPACE_S) == 0

    streak.end()
    assert streak.wait_s(0) == 0


# long texts


@pytest.mark.req("X-223")
def test_a_long_text_is_asked_for_by_its_beginning_before_it_is_set_aside(subtests: pytest.Subtests) -> None:
    for kind in (*TEXTS, *REFUSALS):
        with subtests.test(kind=kind):
            rounds = 0 if kind is FaultKind.TOO_LONG else len(LATER_S)
            facts: dict[str, Any] = {"tries": 1, "downs": 0, "rounds": rounds, "works": True}
            assert next_step(Fault(kind), 1, chars=LEAST_CHARS + 1, **facts) is Step.SHORTEN
            assert next_step(Fault(kind), 1, chars=LEAST_CHARS, **facts) is Step.SET_ASIDE
            assert next_step(Fault(kind), 2, chars=LEAST_CHARS + 1, **facts) is Step.SPLIT


def test_a_beginning_is_half_or_what_the_numbers_allow_and_always_shorter() -> None:
    numbered = "maximum context length is 512 tokens, however you requested 640 tokens"
    cases = [
        (8000, Fault(FaultKind.TOO_LONG, 400), 4000),
        (8000, Fault(FaultKind.TOO_LONG, 400, words=numbered), 5760),
        (8000, Fault(FaultKind.SERVER, 500, words=numbered), 4000),
        (LEAST_CHARS + 1, Fault(FaultKind.TOO_LONG, 413), LEAST_CHARS),
    ]
    failures = [case for case in cases if fewer_chars(case[0], case[1]) != case[2]]
    assert not failures
