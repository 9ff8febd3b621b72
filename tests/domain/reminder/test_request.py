from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from domain.reminder.line import InvalidReminderError, Reminder, form, parse
from domain.reminder.request import LONGEST_MESSAGE_CHARS, ReminderFields, changed_reminder, new_reminder, remark

LONDON = ZoneInfo("Europe/London")
NOW = datetime.fromisoformat("2026-03-28T12:00:30Z")
OLD = parse('- [ ] date=2026-04-01 time=09:00 recur=daily msg="old" id=rid_X')


def new(_now: str = "2026-03-28T12:00:30Z", **fields: Any) -> Reminder:
    return new_reminder(ReminderFields(msg="x", **fields), "rid_X", datetime.fromisoformat(_now), LONDON)


def stated(reminder: Reminder) -> str:
    return f"{reminder.day} {reminder.at:%H:%M} {reminder.recurrence.value}"


def test_a_wish_becomes_a_local_minute(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"date": "2026-04-01", "time": "09:00"}, "2026-04-01 09:00 none"),
        ({"date": "today", "time": "12:01"}, "2026-03-28 12:01 none"),
        ({"date": "tomorrow", "time": "00:00"}, "2026-03-29 00:00 none"),
        ({"time": "12:01"}, "2026-03-28 12:01 none"),
        ({"time": "12:00"}, "2026-03-29 12:00 none"),
        ({"time": "09:00", "recur": "weekly"}, "2026-03-29 09:00 weekly"),
        ({"date": "2020-01-31", "time": "09:00", "recur": "monthly"}, "2020-01-31 09:00 monthly"),
        ({"in_minutes": 1}, "2026-03-28 12:02 none"),
        ({"in_minutes": 1440}, "2026-03-29 13:01 none"),
        ({"at": "2026-07-01T09:00"}, "2026-07-01 09:00 none"),
        ({"at": "2026-07-01T09:00Z"}, "2026-07-01 10:00 none"),
        ({"at": "2026-07-01T18:00+09:00"}, "2026-07-01 10:00 none"),
        ({"date": "2026-03-29", "time": "01:30"}, "2026-03-29 01:30 none"),
    ]
    for fields, expected in cases:
        with subtests.test(fields=fields):
            assert stated(new(**fields)) == expected


def test_what_no_line_can_state_is_refused_with_the_reason(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "no time"),
        ({"date": "2026-04-01"}, "time= is missing"),
        ({"date": "2026-03-28", "time": "12:00"}, "has passed: in London it is Sat 2026-03-28 12:00 GMT"),
        ({"date": "today", "time": "11:00"}, "has passed"),
        ({"at": "2026-03-28T12:00Z"}, "has passed"),
        ({"date": "next week", "time": "11:00"}, "date 'next week': must be YYYY-MM-DD"),
        ({"date": "2026-02-30", "time": "11:00"}, "no such day"),
        ({"time": "25:00"}, "must be HH:MM"),
        ({"time": "11:00", "recur": "yearly"}, "none, daily, weekly, monthly"),
        ({"time": "11:00", "in_minutes": 5}, "given twice"),
        ({"at": "2026-07-01T09:00", "date": "today"}, "given twice"),
        ({"at": "soon"}, "must be ISO 8601"),
        ({"at": "2026-07-01T09:00:30"}, "whole minute"),
        ({"at": "9999-12-31T23:59-09:00"}, "beyond the calendar"),
        ({"in_minutes": -5}, "in_minutes -5"),
        ({"in_minutes": 10**9}, "in_minutes 1000000000"),
    ]
    for fields, why in cases:
        with subtests.test(fields=fields):
            with pytest.raises(InvalidReminderError) as raised:
                new(**fields)
            assert why in str(raised.value)


def test_one_hour_said_before_the_first_half_past_one_is_that_one() -> None:
    assert stated(new("2026-10-24T23:30:00Z", in_minutes=60)) == "2026-10-25 01:30 none"


@pytest.mark.parametrize(
    "fields", [{"in_minutes": 60}, {"at": "2026-10-25T01:30+00:00"}, {"at": "2026-10-25T02:30+01:00"}]
)
def test_the_second_half_past_one_is_refused_because_a_line_has_no_zone(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidReminderError) as raised:
        new("2026-10-25T00:30:00Z", **fields)
    assert "Sun 2026-10-25 01:30 GMT cannot be written down" in str(raised.value)
    assert "means the first, Sun 2026-10-25 01:30 BST" in str(raised.value)


def test_a_message_must_fit_one_line_and_one_post(subtests: pytest.Subtests) -> None:
    for message, why in [("a\nb", "U+000A"), ("a\tb", "tab"), ("", "empty"), ("x" * 1501, "1501")]:
        with subtests.test(message=message):
            with pytest.raises(InvalidReminderError, match=why.replace("+", r"\+")):
                new_reminder(ReminderFields(msg=message, time="09:00"), "rid_X", NOW, LONDON)
            assert LONGEST_MESSAGE_CHARS == 1500


def test_a_change_touches_what_it_names(subtests: pytest.Subtests) -> None:
    for fields, expected in [
        (ReminderFields(msg="new"), '- [ ] date=2026-04-01 time=09:00 recur=daily msg="new" id=rid_X'),
        (ReminderFields(time="10:00"), '- [ ] date=2026-04-01 time=10:00 recur=daily msg="old" id=rid_X'),
        (ReminderFields(date="tomorrow"), '- [ ] date=2026-03-29 time=09:00 recur=daily msg="old" id=rid_X'),
        (ReminderFields(recur="none"), '- [ ] date=2026-04-01 time=09:00 recur=none msg="old" id=rid_X'),
        (ReminderFields(in_minutes=2, recur="none"), '- [ ] date=2026-03-28 time=12:03 recur=none msg="old" id=rid_X'),
    ]:
        with subtests.test(fields=fields):
            assert form(changed_reminder(OLD, fields, NOW, LONDON)) == expected


def test_a_change_must_name_something_and_not_lie_in_the_past() -> None:
    with pytest.raises(InvalidReminderError, match="nothing to change"):
        changed_reminder(OLD, ReminderFields(), NOW, LONDON)
    with pytest.raises(InvalidReminderError, match="has passed"):
        changed_reminder(OLD, ReminderFields(date="2026-03-01", recur="none"), NOW, LONDON)


def test_the_words_of_a_reminder_whose_time_has_passed_can_still_be_changed() -> None:
    past = parse('- [ ] date=2026-01-01 time=09:00 recur=none msg="old" id=rid_X')
    assert changed_reminder(past, ReminderFields(msg="new"), NOW, LONDON).message == "new"


def test_a_minute_that_the_clocks_skip_or_show_twice_is_remarked_on() -> None:
    assert "next minute there is: Sun 2026-03-29 02:00 BST" in remark(new(date="2026-03-29", time="01:30"), LONDON)
    assert "due at the first, Sun 2026-10-25 01:30 BST" in remark(new(date="2026-10-25", time="01:30"), LONDON)
    assert remark(OLD, LONDON) == ""
