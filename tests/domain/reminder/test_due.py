from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.reminder.document import scan
from domain.reminder.due import BETWEEN_LOOKS, CORRECTION, Cursor, Firing, Stretch
from domain.reminder.line import Recurrence, Reminder, form
from domain.reminder.recurrence import firings

LONDON = ZoneInfo("Europe/London")
MINUTE = timedelta(minutes=1)
DAILY = '- [ ] date=2026-01-01 time=09:00 recur=daily msg="daily" id=rid_D'
ONCE = '- [ ] date=2026-02-01 time=09:00 recur=none msg="once" id=rid_O'


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def due(data: str, after: str, until: str) -> list[tuple[str, datetime, int]]:
    reminders = Stretch(at(after), at(until), LONDON).find(data.encode())
    return [(firing.reminder.message, firing.due, firing.missed) for firing in reminders.firings]


@pytest.mark.req("S0-132", "X-144")
def test_a_one_off_is_due_from_its_minute_on_however_late_the_look() -> None:
    assert due(ONCE, "2026-02-01T08:59Z", "2026-02-01T08:59:59Z") == []
    for until in ("2026-02-01T09:00Z", "2026-02-01T09:00:30Z", "2031-01-01T00:00Z"):
        assert due(ONCE, until, until) == [("once", at("2026-02-01T09:00Z"), 0)]


def test_a_recurring_one_is_due_once_in_a_stretch_with_the_latest_minute() -> None:
    assert due(DAILY, "2026-02-01T08:59Z", "2026-02-01T09:00Z") == [("daily", at("2026-02-01T09:00Z"), 0)]
    assert due(DAILY, "2026-02-01T09:00Z", "2026-02-01T09:01Z") == []
    assert due(DAILY, "2026-02-01T08:00Z", "2026-02-04T10:00Z") == [("daily", at("2026-02-04T09:00Z"), 3)]
    assert due(DAILY, "2026-02-04T10:00Z", "2026-02-04T10:00Z") == []


@pytest.mark.req("S0-148")
def test_firings_come_in_the_order_of_their_time() -> None:
    assert [row[0] for row in due(f"{ONCE}\n{DAILY}", "2026-01-31T09:30Z", "2026-02-01T09:00Z")] == ["once", "daily"]
    assert [row[0] for row in due(f"{DAILY}\n{ONCE}", "2026-02-01T09:30Z", "2026-02-02T09:00Z")] == ["once", "daily"]


def test_a_reminder_without_an_id_is_noticed_however_far_off() -> None:
    later = DAILY.replace("2026", "2030")
    stretch = Stretch(at("2026-02-01T09:30Z"), at("2026-02-01T09:31Z"), LONDON)
    assert not stretch.find(later.encode()).lacks_ids
    assert stretch.find(later.replace(" id=rid_D", "").encode()).lacks_ids


def test_a_failed_one_without_an_id_is_noticed_too() -> None:
    stretch = Stretch(at("2026-02-01T09:30Z"), at("2026-02-01T09:31Z"), LONDON)
    failed = DAILY.replace("[ ]", "[!]")
    assert not stretch.find(failed.encode()).lacks_ids
    assert stretch.find(failed.replace(" id=rid_D", "").encode()).lacks_ids


def test_a_reminder_whose_words_stand_in_another_order_is_due_all_the_same() -> None:
    line = '- [ ] recur=daily date=2026-01-01 time=09:00 msg="daily" id=rid_D'
    assert due(line, "2026-02-01T08:59Z", "2026-02-01T09:00Z") == [("daily", at("2026-02-01T09:00Z"), 0)]


def test_a_minute_that_the_clocks_leave_out_comes_when_they_have_changed() -> None:
    line = DAILY.replace("09:00", "01:30")
    due_at = at("2026-03-29T01:00Z")
    assert due(line, "2026-03-29T00:59Z", "2026-03-29T01:00Z") == [("daily", due_at, 0)]


reminders = st.builds(
    Reminder,
    day=st.dates(date(2026, 3, 1), date(2026, 11, 1)),
    at=st.builds(time, st.integers(0, 23), st.integers(0, 59)),
    recurrence=st.sampled_from(Recurrence),
    message=st.sampled_from(["a", 'say \\" id=3', "x=y"]),
    id=st.sampled_from(["rid_A", "B"]),
)
instants = st.integers(0, 214 * 86_400).map(lambda s: datetime(2026, 3, 27, tzinfo=UTC) + timedelta(seconds=s))


@given(st.lists(reminders, max_size=5), instants, st.integers(0, 100_000))
def test_the_quick_glance_leaves_out_nothing_that_is_due(
    all_reminders: list[Reminder], after: datetime, seconds: int
) -> None:
    until = after + timedelta(seconds=seconds)
    data = "\n".join(form(reminder) for reminder in all_reminders).encode()
    expected = []
    for entry in scan(data).entries:
        begin = at("0100-01-01T00:00Z") if entry.reminder.recurrence is Recurrence.NONE else after
        hits = list(firings(entry.reminder, begin, until, LONDON)) if begin < until else []
        expected += [(entry.raw, hits[-1], len(hits) - 1)] if hits else []
    given_firings = Stretch(after, until, LONDON).find(data).firings
    assert sorted((f.raw, f.due, f.missed) for f in given_firings) == sorted(expected)


def test_a_key_fits_a_nonce_and_differs_by_reminder_and_minute() -> None:
    def key(line: str, moment: str) -> str:
        (entry,) = scan(line.encode()).entries
        return Firing(raw=entry.raw, reminder=entry.reminder, due=at(moment)).key

    same = key(DAILY, "2026-02-01T09:00Z")
    assert same == key(DAILY, "2026-02-01T09:00Z")
    others = {
        key(DAILY, "2026-02-02T09:00Z"),
        key(DAILY.replace("rid_D", "rid_E"), "2026-02-01T09:00Z"),
        key(DAILY.replace('"daily"', '"other"'), "2026-02-01T09:00Z"),
    }
    assert same not in others
    assert len(others) == 3
    for one in (same, key(DAILY, "9999-12-01T00:00Z"), key(DAILY, "0001-12-01T00:00Z")):
        assert re.fullmatch(r"[a-z2-7]{12}:-?[0-9a-z]{1,7}", one)
        assert len(one) <= 20


# clocks that jump

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def live(cursor: Cursor, moments: list[datetime]) -> list[tuple[datetime, datetime]]:
    """The stretches that looks at those moments cover, empty ones left out."""
    covered = []
    for moment in moments:
        after, until = cursor.stretch(moment)
        cursor.advance(moment)
        if until > after:
            covered.append((after, until))
    return covered


def test_time_that_goes_on_is_covered_without_gap_and_without_overlap() -> None:
    moments = [START + timedelta(seconds=s) for s in (60, 119.7, 180, 4000, 4060, 90_000)]
    covered = live(Cursor(START), moments)
    assert [after for after, _ in covered] == [START, *moments[:-1]]
    assert [until for _, until in covered] == moments


def test_a_clock_set_back_a_little_covers_nothing_until_it_has_caught_up() -> None:
    back = [START + timedelta(minutes=n) for n in (1, -59, -30, 0, 1)]
    assert live(Cursor(START), [*back, START + 2 * MINUTE]) == [
        (START, START + MINUTE),
        (START + MINUTE, START + 2 * MINUTE),
    ]


@pytest.mark.parametrize("ago", [timedelta(hours=2), -timedelta(hours=2), -timedelta(hours=5)])
def test_a_clock_once_ahead_by_years_changes_nothing_for_later_processes(ago: timedelta) -> None:
    moments = [START + timedelta(minutes=n) for n in (0, 1, 2, 200, 201, 2 * 1440, 2 * 1440 + 1)]
    without, after = (
        Cursor.resume(START, START - MINUTE, START - ago, timedelta(hours=12), furthest)
        for furthest in (None, START + timedelta(days=3653))
    )
    assert live(after, moments) == live(without, moments)


@pytest.mark.parametrize("back", [CORRECTION + MINUTE, timedelta(days=1), timedelta(days=3652)])
def test_a_clock_set_back_far_goes_on_from_there(back: timedelta) -> None:
    now = START - back
    assert live(Cursor(START), [now, now + MINUTE, now + 2 * MINUTE]) == [
        (now - BETWEEN_LOOKS, now),
        (now, now + MINUTE),
        (now + MINUTE, now + 2 * MINUTE),
    ]


def test_a_clock_that_was_far_back_for_a_while_makes_up_for_nothing_when_it_is_right_again() -> None:
    wrong = START - timedelta(days=3652)
    covered = live(Cursor(START), [START + MINUTE, wrong, wrong + MINUTE, START + 5 * MINUTE])
    assert covered[-1] == (START + MINUTE, START + 5 * MINUTE)


def test_a_sleep_after_a_correction_is_made_up_for() -> None:
    now = START - timedelta(days=30)
    covered = live(Cursor(START), [now, now + MINUTE, now + timedelta(hours=8)])
    assert covered[-1] == (now + MINUTE, now + timedelta(hours=8))
