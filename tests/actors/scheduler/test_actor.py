"""The scheduler before a model of Discord, on a clock that stands still until it is moved."""

from __future__ import annotations

import logging
import os
import re
from datetime import timedelta
from pathlib import Path

import pytest

from actors.edited_file.access import EDITED_BYTES
from actors.edited_file.file import LIMIT_BYTES
from actors.edited_file.rewriting import Waits
from actors.scheduler.announcer import AT_ONCE
from domain.reminder.document import scan
from lab.chaos.reminders.world import OWNER_ID, Channel
from messages.base import Surface, Window
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.lines import at, line
from tests.crash import CRASH

THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")


# looking and firing


@pytest.mark.req("S0-133", "S0-137")
def test_a_one_off_is_said_on_its_minute_and_its_line_goes(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"# Mine\n\n{line('tea', '2026-03-28 12:02')}\nend")
    process = start()
    process.pass_minutes(1)
    assert channel.postings == []
    process.pass_minutes(1)
    (shown,) = channel.postings
    assert shown.text == f"⏰ <@{OWNER_ID}> tea\n-# rid_AAAAAAAAAAAA · Sat 2026-03-28 12:02 GMT"
    assert shown.at - at("2026-03-28T12:02Z") < timedelta(seconds=0.1)
    assert file.read_text() == "# Mine\n\nend"
    process.pass_minutes(3)
    assert len(channel.postings) == 1


@pytest.mark.req("S0-138", "S0-139")
def test_a_recurring_line_stays_as_it_is_and_is_said_every_time(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(daily := line("bread", "2026-03-20 01:30", "daily") + "\r\n")
    process = start(at("2026-03-28T01:00Z"))
    process.pass_minutes(2 * 1440)
    times = [shown.at.strftime("%d %H:%M") for shown in channel.postings]
    assert times == ["28 01:30", "29 01:00", "30 00:30"]
    assert file.read_bytes().decode() == daily


@pytest.mark.req("S0-131", "S0-135", "C-30", "X-41")
def test_there_is_one_look_a_minute_on_the_minute(start: StartProcess, file: Path) -> None:
    file.write_text("")
    process = start()
    process.settle()
    for _ in range(10):
        due = process.clock.next_due_s
        assert due is not None
        process.clock.advance(due)
        assert (process.clock.now().second, process.clock.now().microsecond) == (0, 0)
        process.system.run()
        process.settle()


def test_lines_of_people_get_ids_and_nothing_else_changes(start: StartProcess, file: Path) -> None:
    text = f"\ufeff# Mine\r\n{line('a', '2027-01-01 09:00', reminder_id='')}\r\n- [x] done\r\n{line('b', '2027-01-01 09:00')} "
    file.write_bytes(text.encode())
    process = start()
    process.pass_minutes(1)
    data = file.read_bytes().decode()
    (first, second) = scan(data.encode()).entries
    assert data.replace(f" id={first.reminder.id}", "", 1) == text
    assert second.reminder.id == "rid_AAAAAAAAAAAA"


def test_a_line_that_is_due_gets_its_id_before_it_is_said(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("tea", "2026-03-28 11:00", reminder_id="") + "\n")
    start().settle()
    assert "rid_" in channel.texts()[0]
    assert "1 h late" in channel.texts()[0]
    assert file.read_text() == ""


def test_a_last_line_that_is_being_typed_is_left_alone_for_a_moment(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(typed := line("te", "2026-03-28 11:00", reminder_id=""))
    os.utime(file, (START.timestamp(), START.timestamp()))
    process = start()
    process.settle()
    assert (file.read_text(), channel.postings) == (typed, [])
    process.pass_minutes(1)
    assert len(channel.postings) == 1


@pytest.mark.req("S0-108")
def test_without_a_file_nothing_is_due_and_one_that_comes_is_used(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    process = start()
    process.pass_minutes(2)
    assert channel.postings == []
    file.write_text(line("tea", "2026-03-28 12:03") + "\n")
    process.pass_minutes(1)
    assert len(channel.postings) == 1
    file.unlink()
    process.pass_minutes(1)
    assert len(channel.postings) == 1


def test_a_file_that_is_being_saved_is_looked_at_when_it_is_at_rest(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("tea", "2026-03-28 12:00") + "\n")
    process = start()
    for number in range(20):
        file.write_text(f"{line('tea', '2026-03-28 12:00')}\n{number}\n")
        process.steps(1)
    assert channel.postings == []
    process.settle()
    assert len(channel.postings) == 1


@pytest.mark.parametrize("empty", [b"", b"\xef\xbb\xbf", b"\n"])
def test_an_emptied_file_is_left_alone(start: StartProcess, file: Path, channel: Channel, empty: bytes) -> None:
    file.write_bytes(empty)
    start().pass_minutes(2)
    assert (file.read_bytes(), channel.postings) == (empty, [])


@pytest.mark.req("S0-136")
def test_a_look_that_takes_too_long_is_reported_and_the_next_one_runs(
    start: StartProcess, file: Path, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text("0")
    process = start(waits=Waits(settle_s=0.1, verify_s=0.1))
    with caplog.at_level(logging.ERROR):
        for number in range(60):
            file.write_text(str(number))
            process.steps(1, 0.1)
    assert "more than 5 s" in caplog.text
    assert ["more than 5 s" in text for text in channel.texts()] == [True]
    file.write_text(line("tea", "2026-03-28 12:00") + "\n")
    process.pass_minutes(2)
    assert "tea" in channel.texts()[-1]


def test_of_a_huge_file_the_beginning_is_read_and_people_are_told_once(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    first, last = line("first", "2026-03-28 12:02"), line("last", "2026-03-28 12:02", reminder_id="rid_L")
    padding = b"x" * 1023 + b"\n"
    file.write_bytes(first.encode() + b"\n" + padding * (LIMIT_BYTES // 1024) + last.encode() + b"\n")
    process = start()
    process.pass_minutes(3)
    alert, said = channel.texts()
    assert "more than 8 MiB" in alert
    assert "first" in said
    data = file.read_bytes()
    assert (first.encode() in data, data.count(padding), last.encode() in data) == (False, LIMIT_BYTES // 1024, True)
    file.write_text(last + "\n")
    process.pass_minutes(1)
    assert "last" in channel.texts()[-1]


def test_a_file_beyond_what_is_edited_is_left_byte_for_byte_and_said_from(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    data = line("tea", "2026-03-28 12:01").encode() + b"\n" + (b"x" * 999 + b"\n") * (EDITED_BYTES // 1_000 + 1)
    file.write_bytes(data)
    process = start()
    process.pass_minutes(3)
    assert ["tea" in text for text in channel.texts()] == [False, True]
    assert file.read_bytes() == data


def test_a_folder_in_the_files_place_is_no_crash(start: StartProcess, file: Path, channel: Channel) -> None:
    file.mkdir()
    start().pass_minutes(2)
    assert ["not a regular file" in text for text in channel.texts()] == [True]


def test_copies_of_a_synchronising_program_are_named_once(
    start: StartProcess, file: Path, caplog: pytest.LogCaptureFixture, channel: Channel
) -> None:
    file.write_text("x\n")
    copy = file.with_name("reminders.sync-conflict-20260328-120000-ABCDEFG.md")
    copy.write_text(line("tea", "2026-03-28 12:00"))
    with caplog.at_level(logging.WARNING):
        start().pass_minutes(3)
    assert caplog.text.count(copy.name) == 1
    assert channel.postings == []


def test_an_id_on_two_lines_is_said_twice(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"{line('one', '2026-03-28 12:00')}\n{line('two', '2026-03-28 12:00')}\n")
    start().settle()
    assert ["one" in text or "two" in text for text in channel.texts()] == [True, True]
    assert file.read_text() == ""


def test_the_same_line_twice_is_said_once(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"{line('one', '2026-03-28 12:00')}\n" * 2)
    start().pass_minutes(3)
    assert (len(channel.postings), file.read_text()) == (1, "")


def test_a_line_that_a_person_changes_while_it_is_said_stays(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("tea", "2026-03-28 12:00") + "\n")
    process = start()
    process.steps(3)
    file.write_text(moved := line("tea", "2026-03-28 15:00") + "\n")
    process.settle()
    assert (len(channel.postings), file.read_text()) == (1, moved)


def test_a_hundred_at_once_are_each_said_once_and_all_lines_go(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text("".join(f"{line(f'n{i}', '2026-03-28 12:01', reminder_id=f'rid_{i}')}\n" for i in range(100)))
    start().pass_minutes(2)
    assert len({text.split(" · ")[0] for text in channel.texts()}) == len(channel.postings) == 100
    assert file.read_text() == ""


# trouble on the way to people


def test_what_could_not_be_shown_is_tried_again_until_it_is(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"{line('once', '2026-03-28 12:01')}\n{line('daily', '2026-01-01 12:01', 'daily', 'rid_D')}\n")
    channel.fails = 6
    process = start()
    process.pass_minutes(3)
    assert channel.postings == []
    assert "once" in file.read_text()
    process.pass_minutes(2)
    assert sorted(text.split(" ")[2].split("\n")[0] for text in channel.texts()) == ["daily", "once"]
    assert all("3 min late" in text for text in channel.texts())
    assert "once" not in file.read_text()


def test_what_is_owed_is_given_up_when_its_line_is_gone(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("daily", "2026-01-01 12:01", "daily") + "\n")
    channel.fails = 1
    process = start()
    process.pass_minutes(1)
    file.write_text("nothing\n")
    process.pass_minutes(3)
    assert channel.postings == []


def test_what_waits_behind_others_is_given_up_when_its_line_is_gone(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    lines = [line(f"n{i}", "2026-03-28 12:01", reminder_id=f"rid_{i}") + "\n" for i in range(AT_ONCE + 4)]
    file.write_text("".join(lines))
    channel.is_mute = True
    process = start()
    process.pass_minutes(1)
    file.write_text("".join(lines[: AT_ONCE + 1] + lines[AT_ONCE + 3 :]))
    process.pass_minutes(1)
    channel.is_mute = False
    process.pass_minutes(10)
    said = sorted(re.findall(r"\bn\d\b", " ".join(channel.texts())))
    assert said == [f"n{i}" for i in (*range(AT_ONCE + 1), AT_ONCE + 3)]


def test_a_first_posting_is_not_looked_for_and_one_that_was_tried_is(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("tea", "2026-03-28 12:01") + "\n")
    channel.fails = 1
    start().pass_minutes(5)
    assert [posting.look_first for posting in channel.requests] == [False, True]


def test_a_closed_channel_is_tried_again_after_an_hour_and_the_line_stays(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("tea", "2026-03-28 12:01") + "\n")
    channel.refuses = True
    process = start()
    process.pass_minutes(30)
    channel.refuses = False
    process.pass_minutes(29)
    assert (channel.postings, "tea" in file.read_text()) == ([], True)
    process.pass_minutes(4)
    assert (len(channel.postings), file.read_text()) == (1, "")


def test_without_a_channel_nothing_is_said_and_nothing_goes(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(tea := line("tea", "2026-03-28 12:01") + "\n")
    start(window=None).pass_minutes(3)
    assert (channel.postings, file.read_text()) == ([], tea)


def test_a_write_protected_file_is_obeyed_and_nothing_is_said_twice(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(tea := line("tea", "2026-03-28 12:01") + "\n")
    file.chmod(0o444)
    process = start()
    process.pass_minutes(4)
    assert (len(channel.postings), file.read_text()) == (1, tea)
    process.kill()
    start(process.clock.now() + timedelta(hours=2)).pass_minutes(2)
    assert (len(channel.postings), file.read_text()) == (1, tea)


# clocks


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(days=1), timedelta(hours=8)])
def test_after_a_jump_ahead_or_a_sleep_each_is_said_once_and_late(
    start: StartProcess, file: Path, channel: Channel, jump: timedelta
) -> None:
    file.write_text(f"{line('once', '2026-03-28 12:10')}\n{line('daily', '2026-01-01 12:20', 'daily', 'rid_D')}\n")
    process = start()
    process.pass_minutes(1)
    process.clock.jump(jump)
    process.pass_minutes(2)
    assert ["once" in channel.texts()[0], "daily" in channel.texts()[1]] == [True, True]
    assert all(" late" in text for text in channel.texts())
    process.pass_minutes(5)
    assert len(channel.postings) == 2


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(hours=4), timedelta(days=1), timedelta(days=3653)])
def test_a_clock_set_back_says_nothing_again(
    start: StartProcess, file: Path, channel: Channel, jump: timedelta
) -> None:
    file.write_text(f"{line('once', '2026-03-28 12:01')}\n{line('daily', '2026-03-01 12:01', 'daily', 'rid_D')}\n")
    process = start()
    process.pass_minutes(3)
    process.clock.jump(-jump)
    process.pass_minutes(10)
    process.clock.jump(jump)
    process.pass_minutes(10)
    assert len(channel.postings) == 2


def test_a_clock_that_was_a_day_ahead_is_followed_when_it_is_put_right(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("daily", "2026-03-01 12:05", "daily") + "\n")
    process = start(START + timedelta(days=1))
    process.pass_minutes(1)
    process.clock.jump(timedelta(days=-1))
    process.pass_minutes(10)
    assert [shown.at.strftime("%d %H:%M") for shown in channel.postings] == ["28 12:05"]


# starts


@pytest.mark.req("X-36")
def test_a_one_off_that_fell_into_downtime_is_said_late(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("tea", "2026-03-27 09:00") + "\n")
    start().settle()
    assert "1 d 3 h late" in channel.texts()[0]


@pytest.mark.req("X-36")
@pytest.mark.parametrize(("hours", "said"), [(0.0, 0), (1.0, 0), (4.0, 1)])
def test_a_recurring_one_that_fell_into_downtime_is_said_as_far_back_as_configured(
    start: StartProcess, file: Path, channel: Channel, hours: float, said: int
) -> None:
    file.write_text(line("daily", "2026-01-01 13:00", "daily") + "\n")
    first = start(catchup_hours=hours)
    first.pass_minutes(1)
    first.kill()
    start(START + timedelta(hours=3), catchup_hours=hours).pass_minutes(2)
    assert len(channel.postings) == said


def test_what_fell_due_in_the_minute_before_the_start_is_said(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("daily", "2026-01-01 12:00", "daily") + "\n")
    start().settle()
    assert len(channel.postings) == 1


@pytest.mark.crashes
def test_a_restarted_actor_goes_on_where_it_was(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("daily", "2026-01-01 12:01", "daily") + "\n")
    process = start()
    process.pass_minutes(1)
    process.tell(CRASH)
    process.pass_minutes(5)
    assert len(channel.postings) == 1
