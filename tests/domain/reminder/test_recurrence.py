from __future__ import annotations

import calendar
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.reminder.line import Recurrence, Reminder
from domain.reminder.recurrence import firings, instant, is_skipped, last_firing, next_firing, shows_twice

LONDON = ZoneInfo("Europe/London")
MINUTE = timedelta(minutes=1)
NONE, DAILY, WEEKLY, MONTHLY = Recurrence

ONE_OFFS = """
2026-03-29 00:59 -> 2026-03-29T00:59Z
2026-03-29 01:00 -> 2026-03-29T01:00Z
2026-03-29 01:30 -> 2026-03-29T01:00Z
2026-03-29 01:59 -> 2026-03-29T01:00Z
2026-03-29 02:00 -> 2026-03-29T01:00Z
2026-10-25 00:59 -> 2026-10-24T23:59Z
2026-10-25 01:00 -> 2026-10-25T00:00Z
2026-10-25 01:30 -> 2026-10-25T00:30Z
2026-10-25 01:59 -> 2026-10-25T00:59Z
2026-10-25 02:00 -> 2026-10-25T02:00Z
2026-03-29 00:00 -> 2026-03-29T00:00Z
2026-10-25 00:00 -> 2026-10-24T23:00Z
2026-03-29 13:00 -> 2026-03-29T12:00Z
2026-03-29 12:00 -> 2026-03-29T11:00Z
2027-03-28 01:15 -> 2027-03-28T01:00Z
2027-10-31 01:15 -> 2027-10-31T00:15Z
2026-12-31 23:59 -> 2026-12-31T23:59Z
2026-06-30 00:30 -> 2026-06-29T23:30Z
2026-01-10 09:00 -> 2026-01-10T09:00Z
2026-07-10 09:00 -> 2026-07-10T08:00Z
"""
"""Rows 1-12, 23-25 and 27-30 of the table of reference instants, and the two of the specification."""

RECURRING = [
    (DAILY, "2026-03-20 01:30", "2026-03-28T01:00Z", "2026-03-28T01:30Z 2026-03-29T01:00Z 2026-03-30T00:30Z"),
    (DAILY, "2026-10-01 01:30", "2026-10-24T00:00Z", "2026-10-24T00:30Z 2026-10-25T00:30Z 2026-10-26T01:30Z"),
    (WEEKLY, "2026-03-20 09:00", "2026-03-27T00:00Z", "2026-03-27T09:00Z 2026-04-03T08:00Z"),
    (WEEKLY, "2026-10-05 09:00", "2026-10-19T00:00Z", "2026-10-19T08:00Z 2026-10-26T09:00Z"),
    (MONTHLY, "2026-01-31 09:00", "2026-02-01T00:00Z", "2026-02-28T09:00Z 2026-03-31T08:00Z 2026-04-30T08:00Z"),
    (MONTHLY, "2026-01-31 09:00", "2028-02-01T00:00Z", "2028-02-29T09:00Z 2028-03-31T08:00Z"),
    (MONTHLY, "2026-01-29 01:30", "2026-03-01T00:00Z", "2026-03-29T01:00Z 2026-04-29T00:30Z"),
    (MONTHLY, "2024-02-29 09:00", "2027-02-01T00:00Z", "2027-02-28T09:00Z 2027-03-29T08:00Z"),
]
"""Rows 13-22; weekdays and yearly are said with what the grammar has."""

ELSEWHERE = [
    ("Africa/Cairo", "2026-04-24 00:30", "2026-04-23T22:00Z"),
    ("America/Santiago", "2026-09-06 00:00", "2026-09-06T04:00Z"),
    ("Australia/Lord_Howe", "2026-10-04 02:10", "2026-10-03T15:30Z"),
    ("Asia/Beirut", "2026-03-29 00:00", "2026-03-28T22:00Z"),
    ("America/New_York", "2026-11-01 01:30", "2026-11-01T05:30Z"),
    ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30T10:00Z"),
]
ZONES = ("Europe/London", *(zone for zone, _, _ in ELSEWHERE), "Europe/Dublin")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def reminder(recurrence: Recurrence, local: str) -> Reminder:
    first = at(local)
    return Reminder(day=first.date(), at=first.time(), recurrence=recurrence, message="x", id="x")


@pytest.mark.req("S0-117", "S0-118", "X-38")
def test_a_local_minute_is_the_instant_that_the_reference_table_says(subtests: pytest.Subtests) -> None:
    for row in ONE_OFFS.split("\n")[1:-1]:
        with subtests.test(row=row):
            local, due = row.split(" -> ")
            assert instant(at(local), LONDON) == at(due)


def test_the_rules_hold_in_zones_with_odder_clocks(subtests: pytest.Subtests) -> None:
    for zone, local, due in ELSEWHERE:
        with subtests.test(zone=zone):
            assert instant(at(local), ZoneInfo(zone)) == at(due)


@pytest.mark.req("S0-114")
def test_a_recurring_reminder_keeps_its_wall_clock(subtests: pytest.Subtests) -> None:
    for recurrence, first, after, expected in RECURRING:
        with subtests.test(recurrence=recurrence):
            due = [at(text) for text in expected.split()]
            instants = list(firings(reminder(recurrence, first), at(after), due[-1], LONDON))
            assert instants == due


def valid_minutes(zone: ZoneInfo, begin: datetime, days: int) -> dict[datetime, datetime]:
    """Local minute -> the first instant at which the clocks show it, by looking at every minute."""
    minutes: dict[datetime, datetime] = {}
    for number in range(days * 1440):
        moment = begin + number * MINUTE
        minutes.setdefault(moment.astimezone(zone).replace(tzinfo=None), moment)
    return minutes


@cache
def change_days(name: str) -> tuple[datetime, ...]:
    """Midnights (UTC) shortly before a change of the zone's clocks."""
    zone = ZoneInfo(name)
    days = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=n) for year in (2011, 2026, 2027) for n in range(365)]
    return tuple(
        day
        for day in days
        if day.astimezone(zone).utcoffset() != (day + timedelta(days=1)).astimezone(zone).utcoffset()
    )


def test_every_minute_near_a_change_agrees_with_looking_at_every_minute(subtests: pytest.Subtests) -> None:
    """Brute force: an absent minute stands for the first local minute after it that is shown, at its first showing."""
    for name in ZONES:
        with subtests.test(name=name):
            zone, cases = ZoneInfo(name), 0
            for day in change_days(name):
                minutes = valid_minutes(zone, day - timedelta(days=2), 5)
                first = (day - timedelta(days=1)).replace(tzinfo=None)
                expected: datetime | None = None
                for number in reversed(range(0, 2 * 1440, 7)):
                    local = first + number * MINUTE
                    wanted = local
                    while wanted not in minutes:
                        wanted += MINUTE
                    expected = minutes[wanted]
                    assert instant(local, zone) == expected, local
                    cases += 1
            assert cases >= 400, "eight zones make more than 3,000 cases"


@given(
    st.sampled_from([DAILY, WEEKLY, MONTHLY]),
    st.dates(date(2024, 1, 1), date(2027, 12, 31)),
    st.times().map(lambda t: t.replace(second=0, microsecond=0)),
    st.dates(date(2024, 1, 1), date(2028, 1, 1)),
    st.integers(1, 90),
)
def test_firings_agree_with_asking_every_day(
    recurrence: Recurrence, day: date, clock: time, begin: date, days: int
) -> None:
    after = datetime.combine(begin, time(5, 17), UTC)
    until = after + timedelta(days=days)
    expected = []
    for number in range(-2, days + 3):
        candidate = begin + timedelta(days=number)
        if candidate >= day and is_due_on(candidate, day, recurrence):
            due = instant(datetime.combine(candidate, clock), LONDON)
            if after < due <= until:
                expected.append(due)
    instants = Reminder(day=day, at=clock, recurrence=recurrence, message="x")
    assert list(firings(instants, after, until, LONDON)) == expected
    assert last_firing(instants, after, until, LONDON) == (expected[-1] if expected else None)


def is_due_on(candidate: date, anchor: date, recurrence: Recurrence) -> bool:
    if recurrence is WEEKLY:
        return candidate.weekday() == anchor.weekday()
    last = calendar.monthrange(candidate.year, candidate.month)[1]
    return recurrence is DAILY or candidate.day == min(anchor.day, last)


@pytest.mark.req("S0-119", "C-12", "X-39")
@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.integers(0, 600))
def test_a_monthly_reminder_falls_on_its_own_day_of_every_month_or_on_a_shorter_months_last(
    day: date, months: int
) -> None:
    monthly = Reminder(day=day, at=time(9), recurrence=MONTHLY, message="x")
    first = day.year * 12 + day.month - 1 + months
    expected = []
    for year, month in (divmod(number, 12) for number in range(first, first + 14)):
        last = calendar.monthrange(year, month + 1)[1]
        expected.append(datetime(year, month + 1, min(day.day, last), 9, tzinfo=UTC))

    assert list(firings(monthly, expected[0] - MINUTE, expected[-1], UTC)) == expected


@pytest.mark.req("X-40")
def test_a_recurring_reminder_is_never_due_before_its_date() -> None:
    later = reminder(DAILY, "2026-06-01 09:00")
    assert next_firing(later, at("2026-01-01T00:00Z"), LONDON) == at("2026-06-01T08:00Z")


def test_a_one_off_is_due_once_and_then_never() -> None:
    once = reminder(NONE, "2026-10-25 01:30")
    assert next_firing(once, at("2026-10-25T00:29Z"), LONDON) == at("2026-10-25T00:30Z")
    assert next_firing(once, at("2026-10-25T00:30Z"), LONDON) is None


def test_the_interval_leaves_its_beginning_out_and_has_its_end() -> None:
    daily = reminder(DAILY, "2026-01-01 09:00")
    instants = list(firings(daily, at("2026-01-02T09:00Z"), at("2026-01-03T09:00Z"), LONDON))
    assert instants == [at("2026-01-03T09:00Z")]


def test_a_day_that_a_zone_skips_makes_no_minute_due_twice() -> None:
    midnight = reminder(DAILY, "2011-12-01 00:00")
    instants = list(firings(midnight, at("2011-12-28T12:00Z"), at("2012-01-01T00:00Z"), ZoneInfo("Pacific/Apia")))
    assert len(instants) == len(set(instants))


def test_the_calendars_ends_do_no_harm(subtests: pytest.Subtests) -> None:
    for day in [date(1, 1, 1), date(9999, 12, 31)]:
        for recurrence in Recurrence:
            with subtests.test(day=day, recurrence=recurrence):
                edge = Reminder(day=day, at=time(23, 59), recurrence=recurrence, message="x")
                next_firing(edge, at("2026-01-01T00:00Z"), LONDON)
                list(
                    firings(
                        edge,
                        datetime.max.replace(tzinfo=UTC) - timedelta(days=40),
                        datetime.max.replace(tzinfo=UTC),
                        LONDON,
                    )
                )


def test_minutes_that_are_skipped_or_shown_twice_are_known() -> None:
    assert is_skipped(at("2026-03-29T01:30"), LONDON)
    assert shows_twice(at("2026-10-25T01:30"), LONDON)
    for ordinary in ("2026-03-29T02:00", "2026-10-25T02:00", "2026-03-29T00:59", "2026-10-25T00:59"):
        assert not is_skipped(at(ordinary), LONDON)
        assert not shows_twice(at(ordinary), LONDON)
