"""Clocks that are set while the agent is off: the next process goes on as the same one would have."""

from __future__ import annotations

import errno
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lab.chaos.reminders.world import Channel
from messages.scheduler import CreateReminder, ModifyReminder, ReminderCreated, ReminderModified
from messages.socket import Refused
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.lines import line
from tests.actors.scheduler.story import THREAD, Story
from tests.recording_disk import RecordingDisk

AHEAD = timedelta(hours=5)
BATTERY_LESS = datetime(1970, 1, 1, tzinfo=UTC)
"""Time that a machine without a battery for its clock shows at a start."""
SOON = ("just", "2026-03-01 12:54", "daily", "rid_J"), ("soon", "2026-03-01 13:05", "daily", "rid_S")


@pytest.mark.parametrize("hours", [0.0, 12.0])
@pytest.mark.parametrize("back", [timedelta(minutes=30), timedelta(hours=3), timedelta(hours=4), timedelta(days=3653)])
def test_a_clock_set_back_while_the_agent_was_off_has_nothing_said_again(
    start: StartProcess, file: Path, channel: Channel, back: timedelta, hours: float
) -> None:
    file.write_text(f"{line('once', '2026-03-28 12:01')}\n{line('daily', '2026-03-01 12:01', 'daily', 'rid_D')}\n")
    first = start(catchup_hours=hours)
    first.pass_minutes(3)
    first.kill()
    second = start(first.clock.now() - back, catchup_hours=hours)
    second.pass_minutes(5)
    second.kill()
    third = start(second.clock.now(), catchup_hours=hours)
    third.pass_minutes(5)
    third.pass_minutes(35)
    assert len(channel.postings) == 2
    if back <= timedelta(hours=3):
        assert len(channel.requests) == 2
        third.clock.jump(back)
        third.pass_minutes(3)
        assert len(channel.requests) == 2


def test_what_was_said_before_a_clock_was_put_right_is_not_said_again_when_it_is_set_ahead_anew(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("daily", "2026-03-01 12:01", "daily") + "\n")
    first = start()
    first.pass_minutes(3)
    first.kill()
    second = start(first.clock.now() - timedelta(hours=4))
    second.pass_minutes(5)
    second.clock.jump(timedelta(hours=4))
    second.pass_minutes(5)
    assert len(channel.requests) == 1


def test_a_clock_that_was_hours_ahead_and_put_right_while_the_agent_was_off_is_followed(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("daily", "2026-03-01 12:05", "daily") + "\n")
    first = start(START + timedelta(hours=5))
    first.pass_minutes(1)
    first.kill()
    start().pass_minutes(10)
    assert [posting.at.strftime("%d %H:%M") for posting in channel.postings] == ["28 12:05"]


def test_a_clock_that_was_a_little_ahead_is_waited_for_by_the_next_process_as_by_the_same(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("daily", "2026-03-01 12:20", "daily") + "\n")
    first = start(START + timedelta(minutes=30))
    first.pass_minutes(1)
    first.kill()
    start().pass_minutes(60)
    assert channel.postings == []


@pytest.mark.parametrize("recur", ["none", "daily"])
@pytest.mark.parametrize("ahead", [timedelta(minutes=10), timedelta(hours=2), timedelta(hours=5)])
def test_a_reminder_that_was_shown_just_before_a_kill_is_found_by_a_process_whose_clock_was_set_back(
    start: StartProcess, file: Path, channel: Channel, ahead: timedelta, recur: str
) -> None:
    file.write_text(tea := line("tea", "2026-03-28 12:01", recur) + "\n")
    first = start()
    first.clock.advance(29)
    while not channel.postings:
        first.steps(1)
    first.kill()
    date_back(channel, ahead)
    second = start(first.clock.now() - ahead)
    second.pass_minutes(int(ahead.total_seconds()) // 60 + 3)
    assert (len(channel.postings), file.read_text()) == (1, tea if recur == "daily" else "")


@pytest.mark.parametrize("first", ["", line("once", "2026-03-28 12:02", "none", "rid_ONCE") + "\n"])
def test_a_recurring_reminder_is_not_due_before_the_request_for_it_though_the_file_was_empty(
    start: StartProcess, file: Path, channel: Channel, first: str
) -> None:
    if first:
        file.write_text(first)
    process = start()
    process.pass_minutes(30)
    channel.postings.clear()
    story = Story(file.parent, channel)
    wish = {"msg": "walk", "date": "2026-03-28", "time": "12:15", "recur": "daily"}
    assert isinstance(story.ask(process, "create", CreateReminder, **wish), ReminderCreated)
    process.pass_minutes(30)
    assert [text for text in channel.texts() if "⏰" in text] == []
    process.pass_minutes(24 * 60)
    assert [posting.at.strftime("%d %H:%M") for posting in channel.postings if "⏰" in posting.text] == ["29 11:15"]


@pytest.mark.parametrize("minutes", [0, 2])
def test_a_recurring_reminder_requested_while_the_clock_was_hours_ahead_is_due_once_the_clock_was_put_right(
    start: StartProcess, file: Path, channel: Channel, minutes: int
) -> None:
    process = start(START + timedelta(hours=5))
    process.pass_minutes(1)
    wish = {"msg": "walk", "date": "2026-03-28", "time": "13:00", "recur": "daily"}
    assert isinstance(Story(file.parent, channel).ask(process, "create", CreateReminder, **wish), ReminderCreated)
    process.pass_minutes(minutes)
    process.clock.jump(-timedelta(hours=5))
    process.pass_minutes(90)
    assert [posting.at.strftime("%d %H:%M") for posting in channel.postings if "⏰" in posting.text] == ["28 13:00"]


@pytest.mark.parametrize(("wish", "count"), [({"time": "13:00"}, 0), ({"msg": "tea, please"}, 1)])
def test_a_recurring_reminder_whose_time_changes_right_after_a_sleep_is_not_due_before_the_request(
    start: StartProcess, file: Path, channel: Channel, wish: dict[str, str], count: int
) -> None:
    file.write_text(line("tea", "2026-03-01 14:00", "daily", "rid_TEA") + f" in={THREAD.address.key}\n")
    process = start()
    process.pass_minutes(1)
    process.clock.jump(timedelta(hours=3))
    answer = Story(file.parent, channel).ask(process, "modify", ModifyReminder, id="rid_TEA", **wish)
    assert isinstance(answer, ReminderModified)
    process.pass_minutes(3)
    assert sum("⏰" in text for text in channel.texts()) == count


def test_a_recurring_reminder_missed_in_a_sleep_is_shown_though_a_change_of_its_time_fails_right_after_the_sleep(
    start: StartProcess, file: Path, channel: Channel, disk: RecordingDisk
) -> None:
    def refuse(call: str, data: bytes) -> None:
        if call == "write" and data.startswith(b"- [ ]"):
            raise OSError(errno.ENOSPC, "no space left")

    file.write_text(line("tea", "2026-03-01 14:00", "daily", "rid_TEA") + f" in={THREAD.address.key}\n")
    process = start()
    process.pass_minutes(1)
    process.clock.jump(timedelta(hours=3))
    disk.before = refuse
    answer = Story(file.parent, channel).ask(process, "modify", ModifyReminder, id="rid_TEA", time="13:00")
    disk.before = lambda _call, _data: None
    assert isinstance(answer, Refused)
    process.pass_minutes(3)
    assert sum("⏰" in text for text in channel.texts()) == 1


@pytest.mark.parametrize("is_said_before", [False, True])
def test_a_recurring_reminder_due_between_the_correction_of_a_clock_and_the_next_look_is_shown_once(
    start: StartProcess, file: Path, channel: Channel, *, is_said_before: bool
) -> None:
    file.write_text(line("daily", "2026-03-01 12:01", "daily") + "\n")
    ahead = timedelta(hours=5)
    process = start(START + (timedelta(0) if is_said_before else ahead))
    process.pass_minutes(1)
    assert len(channel.postings) == is_said_before
    if is_said_before:
        process.clock.jump(ahead)
        process.pass_minutes(1)
    process.clock.jump(-ahead - timedelta(seconds=20 + 60 * is_said_before))
    for _ in range(3):
        process.clock.advance(60)
        process.system.run()
        process.settle()
    assert len(channel.postings) == 1


@pytest.mark.parametrize("recur", ["none", "daily"])
@pytest.mark.parametrize("off", [timedelta(minutes=30), timedelta(hours=6)])
def test_a_reminder_shown_by_a_clock_that_was_hours_ahead_is_found_whenever_the_next_processes_start(
    start: StartProcess, file: Path, channel: Channel, off: timedelta, recur: str
) -> None:
    file.write_text(line("tea", "2026-03-28 17:01", recur) + "\n")
    first = start(START + AHEAD, catchup_hours=12)
    first.clock.advance(29)
    while not channel.postings:
        first.steps(1)
    first.kill()
    date_back(channel, AHEAD)
    second = start(first.clock.now() - AHEAD + off, catchup_hours=12)
    second.pass_minutes(1)
    second.kill()
    start(second.clock.now(), catchup_hours=12).pass_minutes(5 * 60)
    assert len(channel.postings) == 1


def test_a_reminder_shown_by_a_clock_that_was_put_right_before_the_kill_is_found_when_its_time_comes(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("tea", "2026-03-28 17:01", "daily") + "\n")
    first = start(START + AHEAD)
    first.pass_minutes(1)
    first.clock.jump(-AHEAD)
    date_back(channel, AHEAD)
    first.pass_minutes(1)
    first.kill()
    start(first.clock.now()).pass_minutes(5 * 60)
    assert len(channel.postings) == 1


def test_a_reminder_shown_by_a_clock_that_was_ahead_is_found_though_an_earlier_one_is_still_owed(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    other, tea = line("other", "2026-03-28 12:00", "daily", "rid_O"), line("tea", "2026-03-28 14:02", "daily")
    file.write_text(f"{other}\n{tea}\n")
    channel.fails = 3
    first, ahead = start(), timedelta(hours=2)
    first.settle()
    first.clock.jump(ahead)
    first.pass_minutes(2)
    first.kill()
    date_back(channel, ahead)
    start(first.clock.now() - ahead, catchup_hours=12).pass_minutes(2 * 60)
    assert sorted(text.split("\n")[0].split()[-1] for text in channel.texts()) == ["other", "tea"]


@pytest.mark.parametrize("starts", [1, 2])
@pytest.mark.parametrize(("hours", "count"), [(0.0, 0), (12.0, 1)])
def test_a_clock_without_a_battery_that_is_put_right_makes_up_for_no_more_of_the_time_off_than_configured(
    start: StartProcess, file: Path, channel: Channel, hours: float, count: int, starts: int
) -> None:
    weekly = line("weekly", "2026-03-23 09:00", "weekly", "rid_W")  # on a Monday
    just, soon = (line(*each) for each in SOON)
    file.write_text(f"{line('daily', '2026-03-01 09:00', 'daily')}\n{weekly}\n{just}\n{soon}\n")
    first = start()
    first.pass_minutes(1)
    first.kill()
    if starts > 1:
        between = start(BATTERY_LESS, catchup_hours=hours)
        between.pass_minutes(20)
        between.kill()
    second = start(BATTERY_LESS, catchup_hours=hours)
    second.pass_minutes(10)
    second.clock.jump(START + timedelta(days=3) - second.clock.now())
    second.pass_minutes(6)
    assert [text.split("\n")[0].split()[-1] for text in channel.texts()] == [*["daily"] * count, "just", "soon"]


def date_back(channel: Channel, ahead: timedelta) -> None:
    """Date the postings as Discord does, whose clock is right."""
    channel.postings[:] = [replace(posting, at=posting.at - ahead) for posting in channel.postings]
