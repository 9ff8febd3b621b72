from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.brief import EXCERPT_CHARS, brief

HUGE = 16**8_000
SIMPLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates()
VALUES = st.recursive(
    SIMPLE, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner)
)


class Odd:
    def __repr__(self) -> str:
        raise RuntimeError("not to be worded")


def test_a_value_is_worded_whatever_it_is(subtests: pytest.Subtests) -> None:
    for value, text in [
        (None, "none"),
        ("a\nb\u202e", "'a\\nb\\u202e'"),
        (7, "7"),
        (HUGE, "<a number of some 9,633 digits>"),
        (-HUGE, "<a number of some 9,633 digits>"),
        ([HUGE], "[<a number of some 9,633 digits>]"),
        ({HUGE: HUGE}, "{<a number of some 9,633 digits>: <a number of some 9,633 d…"),
        (date(2026, 11, 25), "datetime.date(2026, 11, 25)"),
        ("x" * 60, f"'{'x' * 58}…"),
    ]:
        with subtests.test(value=value):
            assert brief(value) == text


def test_what_is_long_deep_odd_or_within_itself_is_worded_too() -> None:
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep, deep]
    endless: dict[str, Any] = {}
    endless["x"] = endless
    for value in (deep, endless, Odd(), b"x" * 1_000_000, "x" * 1_000_000, set(range(100_000))):
        assert len(brief(value)) <= EXCERPT_CHARS


@given(VALUES, st.integers(10, 200))
def test_it_is_one_short_line_that_can_be_sent(value: object, most: int) -> None:
    text = brief(value, most)
    assert len(text) <= most
    assert text.isprintable()
    assert text.encode()
