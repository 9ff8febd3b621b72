from __future__ import annotations

import re
from datetime import date, time
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.reminder.line import (
    SURFACES,
    InvalidReminderError,
    Recurrence,
    Reminder,
    form,
    looks_like_reminder,
    parse,
    windows_named,
)
from messages.base import Surface, Window

FIELDS = ("date=2026-01-31", "time=09:05", "recur=monthly", 'msg="pay \\"the\\" rent"', "id=rid_7K3D9Q2M4PZT")
LINE = "- [ ] " + " ".join(FIELDS)
RENT = Reminder(
    day=date(2026, 1, 31), at=time(9, 5), recurrence=Recurrence.MONTHLY, message='pay "the" rent', id="rid_7K3D9Q2M4PZT"
)

messages = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).filter(str.strip)
reminders = st.builds(
    Reminder,
    day=st.dates(),
    at=st.builds(time, st.integers(0, 23), st.integers(0, 59)),
    recurrence=st.sampled_from(Recurrence),
    message=messages,
    id=st.from_regex(r"rid_[A-Z2-7]{12}", fullmatch=True),
    window=st.none()
    | st.builds(Window, surface=st.sampled_from(SURFACES), id=st.from_regex(r"[1-9][0-9]{0,19}", fullmatch=True)),
    failed=st.booleans(),
)


def reason(line: str) -> str:
    with pytest.raises(InvalidReminderError) as raised:
        parse(line)
    return str(raised.value)


@pytest.mark.req("S0-113", "X-31")
def test_a_line_states_its_five_fields() -> None:
    assert parse(LINE) == RENT


@pytest.mark.req("S0-115", "S0-120")
def test_the_writer_gives_every_field_in_the_usual_order() -> None:
    assert form(RENT) == LINE


@pytest.mark.req("S0-123")
def test_fields_may_stand_in_any_order(subtests: pytest.Subtests) -> None:
    for order in list(permutations(FIELDS)):
        with subtests.test(order=order):
            assert parse("- [ ] " + " ".join(order)) == RENT


def test_people_may_leave_the_id_out() -> None:
    assert parse("- [ ] " + " ".join(FIELDS[:4])).id == ""


@given(reminders)
def test_what_is_written_is_read_the_same(reminder: Reminder) -> None:
    assert parse(form(reminder)) == reminder


@pytest.mark.req("S0-121")
@given(st.text(st.sampled_from('\\"ab ')).filter(str.strip))
def test_backslashes_and_quotes_survive(message: str) -> None:
    reminder = Reminder(day=RENT.day, at=RENT.at, recurrence=RENT.recurrence, message=message, id="x")
    assert parse(form(reminder)).message == message


@pytest.mark.req("X-35")
def test_only_quotes_and_backslashes_are_escaped(subtests: pytest.Subtests) -> None:
    for written, text in [(r"a\"b", 'a"b'), (r"a\\b", r"a\b"), (r"a\nb", r"a\nb"), (r"C:\\temp\\", "C:\\temp\\")]:
        with subtests.test(written=written):
            assert parse(f'- [ ] date=2026-01-31 time=09:05 recur=none msg="{written}"').message == text


def test_blanks_and_a_carriage_return_at_the_end_do_not_count(subtests: pytest.Subtests) -> None:
    for end in ["", " ", "\t ", "\r", " \r"]:
        with subtests.test(end=end):
            assert parse(LINE + end) == RENT


def test_a_message_may_hold_anything_of_one_line(subtests: pytest.Subtests) -> None:
    for text in ["rent", "rent €5 – ⏰", "date=2026-01-01 id=x", "a  b", "a\tb"]:
        with subtests.test(text=text):
            assert parse(f'- [ ] msg="{text}" date=2026-01-31 time=09:05 recur=none').message == text


@pytest.mark.req("S0-122", "X-33")
def test_every_invalid_line_says_why(subtests: pytest.Subtests) -> None:
    for line, why in [
        ("", "must begin with `- [ ] `"),
        (LINE.replace("- [ ]", "- [x]"), "ticked"),
        (LINE.replace("- [ ]", "- [X]"), "ticked"),
        (LINE.replace("- [ ]", "* [ ]"), "must begin with `- [ ] `"),
        (LINE.replace("- [ ]", "- []"), "must begin with `- [ ] `"),
        ("  " + LINE, "first column"),
        ("- [ ] id=x", "date=, time=, recur=, msg= missing"),
        ("- [ ] buy milk", "must be a field"),
        (LINE.replace("2026-01-31", "2026-02-29"), "the calendar has no such day"),
        (LINE.replace("2026-01-31", "2026-1-31"), "must be YYYY-MM-DD"),
        (LINE.replace("2026-01-31", "2026-W05-1"), "must be YYYY-MM-DD"),
        (LINE.replace("2026-01-31", "２026-01-31"), "must be YYYY-MM-DD"),
        (LINE.replace("2026-01-31", ""), "must be YYYY-MM-DD"),
        (LINE.replace("09:05", "24:00"), "from 00:00 to 23:59"),
        (LINE.replace("09:05", "9:05"), "must be HH:MM"),
        (LINE.replace("09:05", "09:60"), "must be HH:MM"),
        (LINE.replace("09:05", "09: 05"), "must be a field"),
        (LINE.replace("09:05", "09:05:00"), "must be HH:MM"),
        (LINE.replace("date=", "date = "), "must be a field"),
        (LINE.replace("monthly", "yearly"), "none, daily, weekly, monthly"),
        (LINE.replace("monthly", "Monthly"), "none, daily, weekly, monthly"),
        (LINE.replace('rent" ', "rent "), 'no closing "'),
        (LINE.replace('rent" ', 'rent"'), "instead of a space"),
        (LINE.replace('msg="pay', "msg=pay"), "must stand in double quotes"),
        (LINE.replace("msg=", "message="), "'message': unknown field"),
        (LINE + " zone=UTC", "'zone': unknown field"),
        (LINE + " date=2026-01-31", "date= stands there twice"),
        (LINE + " id=other", "id= stands there twice"),
        (LINE + " again", "must be a field"),
        (LINE.replace("id=rid_7K3D9Q2M4PZT", "id="), "id ''"),
        (LINE.replace("id=rid_7K3D9Q2M4PZT", "id=a.b"), "letters, digits"),
        (LINE.replace(FIELDS[3], 'msg=""'), "msg is empty"),
        (LINE.replace(FIELDS[3], 'msg="  "'), "msg is empty"),
        (LINE.replace("rent", "re\rnt"), "control character U+000D"),
        (LINE.replace("rent", "re\0nt"), "control character U+0000"),
        (LINE.replace("rent", "re\u2028nt"), "U+2028"),
        (LINE.replace(" recur=monthly", ""), "recur= missing"),
    ]:
        with subtests.test(line=line):
            assert why in reason(line)


@pytest.mark.req("S0-112")
def test_the_writer_refuses_what_no_line_can_hold(subtests: pytest.Subtests) -> None:
    for message, why in [("a\nb", "U+000A"), ("a\x1b[31m", "U+001B"), ("\ud800", "U+D800"), (" ", "empty")]:
        with subtests.test(message=message):
            bad = Reminder(day=RENT.day, at=RENT.at, recurrence=RENT.recurrence, message=message, id="x")
            with pytest.raises(InvalidReminderError, match=re.escape(why)):
                form(bad)


@pytest.mark.req("S0-124")
def test_the_writer_refuses_a_reminder_without_an_id() -> None:
    with pytest.raises(InvalidReminderError, match="id ''"):
        form(Reminder(day=RENT.day, at=RENT.at, recurrence=RENT.recurrence, message="x"))


@given(st.text())
def test_any_line_is_a_reminder_or_has_a_reason(line: str) -> None:
    try:
        entry = parse(line)
    except InvalidReminderError as error:
        entry, why = None, str(error)
    else:
        why = ""
    assert entry is not None or why


def test_prose_is_told_from_what_was_meant_as_a_reminder(subtests: pytest.Subtests) -> None:
    for line, text in [
        (LINE, True),
        ("- [x] done", True),
        ("  1. [ ] date=", True),
        ("date=2026-01-01 msg=x", True),
        ("# Reminders", False),
        ("- milk", False),
        ("the field date= is a day", False),
    ]:
        with subtests.test(line=line):
            assert looks_like_reminder(line) is text


def test_a_line_may_name_where_it_is_said_in_any_place() -> None:
    window = Window(surface=Surface.DISCORD_THREAD, id="910000000000000077")
    for order in permutations((*FIELDS, "in=discord-thread/910000000000000077")):
        assert parse("- [ ] " + " ".join(order)).window == window


def test_where_a_line_is_said_must_be_a_window_of_discords(subtests: pytest.Subtests) -> None:
    for value in [
        "",
        "discord-thread",
        "discord-thread/",
        "discord-thread/0",
        "discord-thread/-1",
        "discord-thread/1/2",
        "discord-thread/../1",
        "discord-thread/x",
        "discord-thread/\u0661",
        "discord-thread/" + "1" * 21,
        "discord-voice/1",
        "cli/operator",
        "Discord-Thread/1",
        "910000000000000077",
    ]:
        with subtests.test(value=value):
            assert reason(f"{LINE} in={value}").startswith(
                f"in {value!r}" if value.isascii() and len(value) < 40 else "in '"
            )


def test_where_it_is_said_stands_there_once_and_is_never_an_operators_window() -> None:
    assert "twice" in reason(f"{LINE} in=discord-thread/1 in=discord-thread/2")
    operator = Reminder(
        day=RENT.day,
        at=RENT.at,
        recurrence=RENT.recurrence,
        message="x",
        id="x",
        window=Window(surface=Surface.CLI, id="1"),
    )
    with pytest.raises(InvalidReminderError, match="cli/1"):
        form(operator)


@given(reminders, st.text())
def test_whatever_is_done_to_a_line_it_still_names_its_window_or_shows_that_it_named_one(
    reminder: Reminder, rest: str
) -> None:
    if reminder.window is not None:
        assert reminder.window.address.key in windows_named(form(reminder) + " " + rest)
        assert windows_named(form(reminder).replace(" in=", "in="))
        assert windows_named(form(reminder).replace(" in=", " "))
