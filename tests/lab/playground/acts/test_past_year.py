"""Made-up year of the playground: the same for the same day, whenever it is asked for."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from lab.playground.acts.past_year import DAYS, PEOPLE, past_year

TODAY = date(2026, 11, 29)


@pytest.mark.req("X-272")
def test_a_day_has_the_same_messages_tomorrow_so_that_a_second_import_takes_only_the_new_day() -> None:
    today, tomorrow = ({*past_year(day)} for day in (TODAY, TODAY + timedelta(days=1)))

    assert {message.at.date() for message in tomorrow - today} <= {TODAY}
    assert {message.at.date() for message in today - tomorrow} <= {TODAY - timedelta(days=DAYS)}


def test_a_year_is_in_order_and_everybody_speaks_in_it() -> None:
    year = [*past_year(TODAY)]

    assert [message.at for message in year] == sorted({message.at for message in year})
    assert year[0].at.date() >= TODAY - timedelta(days=DAYS)
    assert {message.author_id for message in year} == {number for _, number in PEOPLE}
    assert len(year) > DAYS


@pytest.mark.parametrize("month", range(1, 13))
def test_whenever_one_begins_each_month_has_something_that_may_be_asked_for(month: int) -> None:
    (cake,) = (message for message in past_year(date(2026, month, 1)) if "Rhubarb cake" in message.text)

    assert (cake.at.month, cake.at.day) == (4, 14)
