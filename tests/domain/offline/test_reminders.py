"""Tests of reminder wishes."""

from __future__ import annotations

import pytest

from domain.offline.reminders import ReminderWish, reminder_wish, reminder_wishes
from domain.reminder.line import Recurrence


def test_a_reminder_that_is_asked_for_is_understood(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[str]]] = [
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
        ("remind me in 20 minutes' time to ring Ann", ["--msg=ring Ann", "--in-minutes", "20"]),
        ("remind me to ring Ann in 1 hour\u2019s time", ["--msg=ring Ann", "--in-minutes", "60"]),
        ("remind me tomorrow at 9 to buy 30 stamps", ["--msg=buy 30 stamps", "--date", "tomorrow", "--time", "09:00"]),
        ("remind me at 9 to quarter the apples", ["--msg=quarter the apples", "--time", "09:00"]),
        ("remind me that it's tea in 2 hours, please", ["--msg=it's tea", "--in-minutes", "120"]),
        ("remind me to feed every cat at 9:00", ["--msg=feed every cat", "--time", "09:00"]),
        ("remind me of the yearly review at 9:00", ["--msg=the yearly review", "--time", "09:00"]),
        ("remind me in 5 minutes that that kettle is hot", ["--msg=that kettle is hot", "--in-minutes", "5"]),
        ("remind me that that kettle is hot in 5 minutes", ["--msg=that kettle is hot", "--in-minutes", "5"]),
        ("remind me that Monday is off at 9:00", ["--msg=Monday is off", "--time", "09:00"]),
        ("remind me  every  day at 9:00 to stretch", ["--msg=stretch", "--time", "09:00", "--recur", "daily"]),
        ("remind me to rest every evening at 9", ["--msg=rest", "--time", "21:00", "--recur", "daily"]),
        ("remind me to rest every night at 8:30", ["--msg=rest", "--time", "20:30", "--recur", "daily"]),
        ("remind me to feed the owl every night at 2", ["--msg=feed the owl", "--time", "02:00", "--recur", "daily"]),
        ("remind me of mum's birthday at 10", ["--msg=mum's birthday", "--time", "10:00"]),
        ("remind me to lock up every night at 12", ["--msg=lock up", "--time", "00:00", "--recur", "daily"]),
        ("remind me to send the daily at 9:00", ["--msg=send the daily", "--time", "09:00"]),
        ("remind me to practise for 20 minutes at 9:00", ["--msg=practise for 20 minutes", "--time", "09:00"]),
        ("remind me to say good night at 22:00", ["--msg=say good night", "--time", "22:00"]),
        ("remind me to wait until Bob calls at 9:00", ["--msg=wait until Bob calls", "--time", "09:00"]),
        (
            "remind me to buy 1/2 pint and 3.50 m of rope at 9:00",
            ["--msg=buy 1/2 pint and 3.50 m of rope", "--time", "09:00"],
        ),
    ]
    for line, arguments in cases:
        with subtests.test(line=line, arguments=arguments):
            assert reminder_wish(line) == ReminderWish(tuple(arguments))


def test_what_has_no_time_or_no_message_is_no_wish(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "remind me to sleep",
        "remind me at 9:00",
        "he said remind me to go at 9:00",
        "remind me to go at 25:00",
        "remind me to buy bread at 5th Avenue",
        "remind me to go at 9h30",
        "remind me at 9ish to go",
        "remind me at 9:00h to go",
    ]
    for line in cases:
        with subtests.test(line=line):
            assert reminder_wish(line) is None


@pytest.mark.req("S0-120")
def test_a_rhythm_that_the_file_has_not_is_named(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("remind me to pay the tax every year at 9:00", "every year"),
        ("remind me every Monday at 9 to water the plants", "every Monday"),
        ("remind me to stretch every 2 hours", "every 2 hours"),
        ("remind me every other week at 10:00 to call home", "every other week"),
        ("remind me to stand up every weekday at 9:30", "every weekday"),
        ("remind me yearly on 2026-12-01 at 9:00 to renew", "yearly"),
        ("remind me to renew at 9:00 annually.", "annually"),
        ("remind me on weekdays at 9:30 to stand up", "on weekdays"),
        ("remind me to drink twice a day at 9:00", "twice a day"),
    ]
    for line, rhythm in cases:
        with subtests.test(line=line, rhythm=rhythm):
            assert reminder_wish(line) == ReminderWish(rhythm=rhythm)


@pytest.mark.req("S0-120")
def test_words_for_when_that_are_not_understood_are_named_and_nothing_else_is_set(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("to call Bob on Friday at 9", "on Friday"),
        ("Monday at 9 to call Bob", "Monday"),
        ("to pay at 9:00 (Monday)", "Monday"),
        ("to call Bob next week at 9:00", "next week"),
        ("to call Bob the day after tomorrow at 9:00", "the day after"),
        ("tomorrow to call Bob at 9:00", "tomorrow"),
        ("to call Bob tonight at 9", "tonight"),
        ("to call Bob at 9 in the evening", "in the evening"),
        ("to call Bob tomorrow morning at 9", "tomorrow"),
        ("to call Bob on 1 December at 9:00", "1 December"),
        ("to pay at 9:00 on 24/12/2026", "on 24/12"),
        ("to pay 24.12.2026 at 9:00", "24.12.2026"),
        ("to pay before 2026-12-01 at 9:00", "before"),
        ("to pay at 9:00 on 2026-12-01 and 2026-12-02", "2026-12-02"),
        ("to pay today at 9:00 tomorrow", "today at 9:00 tomorrow"),
        ("to pay at 9:00 UTC", "UTC"),
        ("to pay at 9:00 my time", "my time"),
        ("to eat at 9:00 and at 17:00", "at 17"),
        ("to eat at 9, 12 and 15", ", 12"),
        ("to work at 9-17", "-17"),
        ("to pay at 15 am", "at 15 am"),
        ("to run every morning at 7 pm", "at 7 pm"),
        ("to rest every evening at 9 am", "at 9 am"),
        ("to call Bob in 1 hour and 30 minutes", "and 30 minutes"),
        ("to call Bob in 1 hour 30", "30"),
        ("to call Bob in 1 hour and a quarter", "and a quarter"),
        ("at 9 30 to call Bob", "30"),
        ("at 9 thirty to call Bob", "thirty"),
        ("at 5 past 9 to call Bob", "past 9"),
        ("at 10 to ten to call Bob", "to ten"),
        ("at 5 minutes to 9 to call Bob", "minutes"),
        ("to call Bob in 3 days at 9:00", "at 9"),
        ("to call Bob in 2 weeks at 9:00", "in 2 weeks"),
        ("each morning at 7 to run", "each morning"),
        ("every ten minutes at 9:00 to stretch", "every ten minutes"),
        ("to pay every Christmas at 9:00", "every Christmas"),
        ("to lock up nightly at 22:00", "nightly"),
        ("to eat twice daily at 9:00", "twice"),
        ("to pay at 9:00 daily and weekly", "daily"),
        ("to pay on the 1st of every month at 9:00", "on the 1st of"),
        ("to pay the first Monday of every month at 9:00", "first Monday"),
        ("to pay weekly on Monday at 9:00", "on Monday"),
        ("every day at 9:00 until Christmas to count", "until Christmas"),
        ("to pay at 9:00 for 3 days", "for 3 days"),
        ("to work Mon-Fri at 9:00", "Mon-Fri"),
    ]
    for words, unread in cases:
        with subtests.test(words=words, unread=unread):
            assert reminder_wish(f"remind me {words}") == ReminderWish(unread=unread)


def test_every_rhythm_that_is_set_is_one_of_the_files() -> None:
    units = ("day", "morning", "evening", "night", "week", "month")
    wishes = [reminder_wish(f"remind me to go every {unit} at 9:00") for unit in units]

    assert {Recurrence(wish.arguments[-1]) for wish in wishes if wish} == set(Recurrence) - {Recurrence.NONE}


CALL = ("--msg=call Anne", "--in-minutes", "5")
EAT = ("--msg=eat", "--time", "18:30")


def test_wishes_stand_anywhere_in_a_message(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, list[tuple[str, ...]]]] = [
        ("remind me in 5 minutes to call Anne", [CALL]),
        ("could you please remind me in 5 minutes to call Anne?", [CALL]),
        ("Hey bot, can you remind me in 5 minutes to call Anne, please?", [CALL]),
        ("<@123456789012345678> would you kindly remind me to call Anne in 5 minutes", [CALL]),
        ("I'd like you to remind me in 5 minutes to call Anne", [CALL]),
        ("I have much to do, so please remind me in 5 minutes to call Anne. Thanks!", [CALL]),
        ("If I forget, remind me in 5 minutes to call Anne", [CALL]),
        ("It is late. Remind me in 5 minutes to call Anne", [CALL]),
        ("remind me in 5 minutes to call Anne and remind me at 18:30 to eat", [CALL, EAT]),
        ("Remind me in 5 minutes to call Anne. Could you also remind me at 18:30 to eat?", [CALL, EAT]),
        ("remind me in 5 minutes to call Anne, and at 18:30 to eat", [CALL, EAT]),
        ("remind me at 9 a.m. to call Dr. Smith", [("--msg=call Dr. Smith", "--time", "09:00")]),
        ("remind me in 5 minutes to buy milk and bread", [("--msg=buy milk and bread", "--in-minutes", "5")]),
    ]
    for line, wishes in cases:
        with subtests.test(line=line, wishes=wishes):
            assert reminder_wishes(line) == tuple(map(ReminderWish, wishes))


def test_what_others_say_or_nobody_wants_is_no_wish(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "he said remind me at 9:00 to go",
        "Bob said: remind me at 9:00 to go",
        "she asked, could you remind me at 9:00 to go",
        "don't remind me at 9:00 to go",
        "no need to remind me at 9:00 to go",
        "they always remind me at 9:00 to go",
        "> remind me at 9:00 to go",
        "\u201cremind me at 9:00 to go\u201d is how it is written",
        "could you remind me?",
        "remind me where the key is",
    ]
    for line in cases:
        with subtests.test(line=line):
            assert reminder_wishes(line) == ()
