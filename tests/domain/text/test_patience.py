from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.patience import match_lines
from tests.pace import paced_s

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"dd"]), max_size=14)
BOUND_S = 0.5


def matched(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    return [(block.a, block.b, block.size) for block in match_lines(old, new)]


@given(LINES, LINES)
def test_blocks_are_equal_lines_in_the_order_of_both_texts_and_end_with_an_empty_one(
    old: list[bytes], new: list[bytes]
) -> None:
    *blocks, last = match_lines(old, new)
    i = j = 0
    for a, b, size in blocks:
        assert size > 0
        assert (a, b) >= (i, j)
        assert b >= j
        assert old[a : a + size] == new[b : b + size]
        i, j = a + size, b + size
    assert last == (len(old), len(new), 0)


def test_a_line_that_stands_once_is_matched_before_longer_stretches_that_do_not() -> None:
    assert matched(["{", "}", "once", "{", "}"], ["once", "{", "}", "{", "}"]) == [(2, 0, 3), (5, 5, 0)]


def test_of_lines_in_another_order_the_most_that_keep_theirs_are_matched() -> None:
    assert matched(["a", "b", "c", "d"], ["d", "a", "b", "c"]) == [(0, 1, 3), (4, 4, 0)]


@pytest.mark.parametrize("kinds", [1, 2, 100])
def test_many_equal_lines_are_matched_in_bounded_time(kinds: int) -> None:
    old, new = [str(n % kinds) for n in range(60_000)], [str(n * 7 % kinds) for n in range(50_000)]
    assert paced_s(lambda: match_lines(old, new), tries=3, enough_s=BOUND_S) < BOUND_S
