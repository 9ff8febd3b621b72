from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.document import parse_document
from domain.curated.stale import stale, undated_count
from tests.domain.curated.files import anything

TODAY = date(2026, 6, 1)


@given(st.lists(st.integers(-5, 400), max_size=6), st.integers(0, 400))
@pytest.mark.req("S1-83")
def test_facts_confirmed_longer_ago_are_suggested_the_oldest_first(ages: list[int], after_days: int) -> None:
    lines = [f"- fact {n} <!-- confirmed {TODAY - timedelta(days=age)} -->\n" for n, age in enumerate(ages)]
    suggestions = stale(parse_document("".join(lines).encode()), TODAY, after_days)

    assert [each.age_days for each in suggestions] == sorted((age for age in ages if age > after_days), reverse=True)


@given(anything, st.dates(), st.integers(0, 100))
def test_any_file_has_its_suggestions(data: bytes, today: date, after_days: int) -> None:
    document = parse_document(data)

    assert len(stale(document, today, after_days)) + undated_count(document) <= len(document.facts)


def test_a_day_that_there_is_none_of_is_no_suggestion(subtests: pytest.Subtests) -> None:
    for day in ["2026-02-30", "2026-13-01", "0000-00-00", "9999-99-99"]:
        with subtests.test(day=day):
            assert stale(parse_document(f"- a <!-- confirmed {day} -->\n".encode()), TODAY, 0) == ()


def test_a_fact_without_a_date_is_counted_and_not_suggested() -> None:
    document = parse_document(b"- a\n- b <!-- confirmed 2020-01-01 -->\n# c <!-- confirmed 2020-01-01 -->\n")

    assert [each.page.text for each in stale(document, TODAY, 90)] == ["b"]
    assert undated_count(document) == 1
