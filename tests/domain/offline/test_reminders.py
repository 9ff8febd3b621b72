"""Tests of reminder wishes."""

from __future__ import annotations

import pytest

from domain.offline.reminders import ReminderWish, reminder_wish
from domain.reminder.line import Recurrence


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("remind me to take the bread out at 18:30", ["--msg=take the bread out", "--time", "18:30"]),
        ("Remind me to call Bob tomorrow at 9am.", ["--msg=call Bob", "--date", "tomorrow", "--time", "09:00"]),
        ("remind me at 12:15 pm to eat", ["--msg=eat", "--time", "12:15"]),
        (
            "please remind me of the rent on 2026-12-01 at 9:00",
            ["--msg=the rent", "--date", "2026-12-01", "--time", "09:00"],
        ),
        ("remind me to stand up at 09:30 every day", ["--msg=stand up", "--time", "09:30", "--recur", "daily"]),
        ("remind me every morning at 7 to run", ["--msg=run", "--time", "07:00", "--recur", "daily"]),
        ("remind me every month to pay at 12 am", ["--msg=pay", "--time", "00:00", "--recur", "monthly"]),
        ("remind me daily at 9:00 to stretch", ["--msg=stretch", "--time", "09:00", "--recur", "daily"]),
        ("remind me once a week at 9:00 to call home", ["--msg=call home", "--time", "09:00", "--recur", "weekly"]),
        ("remind me to pay at 9:00 monthly.", ["--msg=pay", "--time", "09:00", "--recur", "monthly"]),
        ("remind me to send the weekly report at 9:00", ["--msg=send the weekly report", "--time", "09:00"]),
        ("remind me that it's tea in 2 hours, please", ["--msg=it's tea", "--in-minutes", "120"]),
        ("remind me to feed every cat at 9:00", ["--msg=feed every cat", "--time", "09:00"]),
        ("remind me of the yearly review at 9:00", ["--msg=the yearly review", "--time", "09:00"]),
        ("remind me in 5 minutes that that kettle is hot", ["--msg=that kettle is hot", "--in-minutes", "5"]),
        ("remind me that that kettle is hot in 5 minutes", ["--msg=that kettle is hot", "--in-minutes", "5"]),
        ("remind me that Monday is off at 9:00", ["--msg=Monday is off", "--time", "09:00"]),
    ],
)
def test_a_reminder_that_is_asked_for_is_understood(line: str, arguments: list[str]) -> None:
    assert reminder_wish(line) == ReminderWish(tuple(arguments))


@pytest.mark.parametrize(
    "line", ["remind me to sleep", "remind me at 9:00", "he said remind me to go at 9:00", "remind me to go at 25:00"]
)
def test_what_has_no_time_or_no_message_is_no_wish(line: str) -> None:
    assert reminder_wish(line) is None


@pytest.mark.req("S0-120")
@pytest.mark.parametrize(
    ("line", "rhythm"),
    [
        ("remind me to pay the tax every year at 9:00", "every year"),
        ("remind me every Monday at 9 to water the plants", "every Monday"),
        ("remind me to stretch every 2 hours", "every 2 hours"),
        ("remind me every other week at 10:00 to call home", "every other week"),
        ("remind me to stand up every weekday at 9:30", "every weekday"),
        ("remind me yearly on 2026-12-01 at 9:00 to renew", "yearly"),
        ("remind me to renew at 9:00 annually.", "annually"),
        ("remind me on weekdays at 9:30 to stand up", "on weekdays"),
        ("remind me to drink twice a day at 9:00", "twice a day"),
    ],
)
def test_a_rhythm_that_the_file_has_not_is_named(line: str, rhythm: str) -> None:
    assert reminder_wish(line) == ReminderWish(rhythm=rhythm)


def test_every_rhythm_that_is_set_is_one_of_the_files() -> None:
    units = ("day", "morning", "evening", "night", "week", "month")
    wishes = [reminder_wish(f"remind me to go every {unit} at 9:00") for unit in units]

    assert {Recurrence(wish.arguments[-1]) for wish in wishes if wish} == set(Recurrence) - {Recurrence.NONE}
