from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.rate_limit import RateLimit


def test_so_many_acts_are_allowed_and_the_next_says_how_long_to_wait() -> None:
    limit = RateLimit(2, 600)
    assert [limit.take("1", now) for now in (0, 100, 150)] == [0, 0, 450]


def test_an_act_that_was_refused_is_not_counted() -> None:
    limit = RateLimit(1, 10)
    assert [limit.take("1", now) for now in (0, 5, 9, 10)] == [0, 5, 1, 0]


def test_people_have_a_limit_each() -> None:
    limit = RateLimit(1, 10)
    assert [limit.take(person, 0) for person in "123"] == [0, 0, 0]


def test_whoever_was_silent_longest_is_forgotten_first() -> None:
    limit = RateLimit(1, 1e9)
    for person in range(20_000):
        limit.take(str(person), person)
    assert limit.take("0", 20_000) == 0
    assert limit.take("19999", 20_000) > 0


def test_acts_weigh_what_is_said_and_who_waits_waits_until_there_is_room_for_that() -> None:
    limit = RateLimit(10, 100)
    assert [limit.take("1", now, weight) for now, weight in ((0, 4), (10, 5), (20, 1))] == [0, 0, 0]
    assert limit.take("1", 30, 1) == 70
    assert limit.take("1", 30, 5) == 80
    assert limit.take("1", 30, 10) == 90
    assert limit.take("1", 100, 4) == 0


def test_a_weight_that_could_never_be_allowed_or_is_none_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[int] = [0, -1, 11]
    for weight in cases:
        with subtests.test(weight=weight), pytest.raises(ValueError, match=r"weight .* 1 to 10"):
            RateLimit(10, 100).take("1", 0, weight)


def test_a_limit_of_nothing_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, float]] = [(0, 1), (1, 0), (1, -1)]
    for limit, window_s in cases:
        with subtests.test(limit=limit, window_s=window_s), pytest.raises(ValueError, match=r"limit .* window_s"):
            RateLimit(limit, window_s)


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 4)), min_size=1, max_size=60),
    st.integers(4, 9),
    st.integers(1, 30),
)
def test_no_window_of_time_ever_holds_more_than_the_limit(
    steps: list[tuple[int, int]], limit: int, window_s: int
) -> None:
    rate_limit = RateLimit(limit, window_s)
    now, acts = 0, list[tuple[int, int]]()
    for step, weight in steps:
        now += step
        if rate_limit.take("1", now, weight) == 0:
            acts.append((now, weight))
    for begin, _ in acts:
        assert sum(weight for at, weight in acts if begin <= at < begin + window_s) <= limit
