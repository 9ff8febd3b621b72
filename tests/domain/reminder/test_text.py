from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.reminder.due import Firing
from domain.reminder.line import parse
from domain.reminder.text import confirmation, duration, firing_mark, firing_text, parse_confirmation, shown_time
from domain.text.presentable import presentable
from domain.text.splitting import split

LONDON = ZoneInfo("Europe/London")
DUE = datetime.fromisoformat("2026-03-29T01:00Z")


def firing(message: str = "bread", missed: int = 0) -> Firing:
    line = f'- [ ] date=2026-03-29 time=01:30 recur=none msg="{message}" id=rid_A'
    return Firing(raw=line.encode(), reminder=parse(line), due=DUE, missed=missed)


def test_a_firing_says_its_words_its_id_and_its_minute() -> None:
    assert firing_text(firing(), DUE, LONDON) == "⏰ bread\n-# rid_A · Sun 2026-03-29 02:00 BST"
    assert firing_text(firing(), DUE, LONDON, "<@7>").startswith("⏰ <@7> bread\n")


def test_a_late_firing_says_how_late_and_what_was_missed() -> None:
    late = firing_text(firing(missed=2), DUE + timedelta(hours=8, minutes=5), LONDON)
    assert late.endswith("02:00 BST · 8 h 5 min late · 2 earlier ones missed")


def test_the_mark_is_the_same_however_late_and_stands_whole_in_one_message(subtests: pytest.Subtests) -> None:
    for message in ["bread", "x" * 1500, "word " * 800, "`` ` ```", "a\u202eb"]:
        with subtests.test(message=message):
            mark = firing_mark(firing(message), LONDON)
            for late in (timedelta(0), timedelta(days=40)):
                parts = split(presentable(firing_text(firing(message), DUE + late, LONDON, "<@7>")))
                assert any(mark in part for part in parts)


@pytest.mark.req("S0-145")
def test_a_confirmation_has_the_exact_line() -> None:
    line = '- [ ] date=2026-03-29 time=01:30 recur=none msg="say \\"hi\\" `now`` 👩\u200d👧" id=rid_A'
    text, exact = confirmation("Reminder set", line, "Next: soon.")
    assert f"\n{line}\n" in text
    assert exact == ""


@pytest.mark.req("S0-145")
def test_nothing_hides_in_a_confirmation_or_ends_its_block_and_the_exact_line_is_beside_it(
    subtests: pytest.Subtests,
) -> None:
    for hidden, spelled in [
        ("``` @everyone", r"\u0060\u0060\u0060 @everyone"),
        ("````", r"\u0060" * 4),
        ("pay \u202eecila", r"pay \u202eecila"),
        ("a\u200bb", r"a\u200bb"),
        ("tags \U000e0041", r"tags \U000e0041"),
        ("selectors \ufe01\U000e0100", r"selectors \ufe01\U000e0100"),
        ("returned\r\tto", r"returned\u000d" + "\tto"),
    ]:
        with subtests.test(hidden=hidden):
            line = f'- [ ] date=2026-03-29 time=01:30 recur=none msg="{hidden}" id=rid_A'
            text, exact = confirmation("Reminder set", line, "Next: soon.")
            assert exact == line
            assert text.split("\n")[:4] == ["Reminder set:", "```", line.replace(hidden, spelled), "```"]
            assert text.count("```") == 2
            assert presentable(text) == text


@pytest.mark.req("S0-145")
@pytest.mark.parametrize(("length", "has_file"), [(1900, False), (2000, True), (60_000, True)])
def test_a_line_that_one_message_cannot_hold_is_beside_it_as_a_file(length: int, has_file: bool) -> None:
    line = "word " * (length // 5)
    message = confirmation("Reminder deleted", line, "Next: soon.")
    assert message.exact == (line if has_file else "")
    assert (len(split(message.text)) > 1) == has_file
    assert parse_confirmation(message) == ("Reminder deleted", line, ("Next: soon.",))


@given(
    what=st.sampled_from(("Reminder set", "Reminder deleted")),
    line=st.text(st.characters(exclude_characters="\r\n"), min_size=1, max_size=60)
    | st.sampled_from(("```", "a\u202eb", "a\rb", "x" * 3000)),
    notes=st.lists(st.sampled_from(("Next: soon", "Beside it: x")), max_size=2),
)
def test_what_a_confirmation_was_made_of_can_be_read_back(what: str, line: str, notes: list[str]) -> None:
    assert parse_confirmation(confirmation(what, line, *notes)) == (what, line, tuple(notes))


def test_a_duration_is_told_in_its_two_largest_parts(subtests: pytest.Subtests) -> None:
    for span, text in [
        (timedelta(seconds=59), "0 min"),
        (timedelta(minutes=5), "5 min"),
        (timedelta(hours=2), "2 h"),
        (timedelta(days=3, hours=1, minutes=9), "3 d 1 h"),
    ]:
        with subtests.test(span=span):
            assert duration(span) == text


def test_a_time_is_shown_on_the_clocks_of_its_zone() -> None:
    assert shown_time(DUE - timedelta(minutes=1), LONDON) == "Sun 2026-03-29 00:59 GMT"
