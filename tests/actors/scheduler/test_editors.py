"""Editors that save an old or converted copy of the file while a reminder is on the way to people."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from pathlib import Path

import pytest

from actors.scheduler.announcer import AT_ONCE
from domain.reminder.document import failed_line, scan
from lab.chaos.reminders.world import Channel, PostedMessage
from messages.scheduler import DeleteReminder, ModifyReminder, ReminderDeleted, ReminderModified
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import line
from tests.actors.scheduler.story import THREAD, Story
from tests.recording_disk import RecordingDisk


@pytest.mark.parametrize("by_rename", [True, False])
@pytest.mark.parametrize("steps", range(6))
def test_a_line_that_an_editor_saves_without_the_id_while_it_is_said_is_not_said_again(
    start: StartProcess, file: Path, channel: Channel, steps: int, *, by_rename: bool
) -> None:
    file.write_text(typed := line("tea", "2026-03-28 12:01", reminder_id="") + "\n")
    process = start()
    process.settle()
    assert " id=rid_" in file.read_text()
    process.clock.advance(29)
    while not channel.postings:
        process.steps(1)
    process.steps(steps)
    draft = file.with_name("draft") if by_rename else file
    draft.write_text("# Words\n" + typed)
    draft.replace(file)
    process.pass_minutes(4)
    assert (len(channel.postings), file.read_text()) == (1, "# Words\n")


@pytest.mark.parametrize("by_rename", [True, False])
@pytest.mark.parametrize("steps", range(5))
@pytest.mark.parametrize("moved", ["", "15:00"])
def test_a_line_that_an_editor_saves_without_the_id_while_a_request_is_served_is_the_line_of_the_request(
    start: StartProcess, file: Path, channel: Channel, moved: str, steps: int, *, by_rename: bool
) -> None:
    file.write_text(typed := line("tea", "2026-03-28 12:03", reminder_id="") + f" in={THREAD.address.key}\n")
    process, story = start(), Story(file.parent, channel)
    process.settle()
    (entry,) = scan(file.read_bytes()).entries
    descriptor = os.open(file, os.O_WRONLY)
    if moved:
        story.begin(process, "modify", ModifyReminder, id=entry.reminder.id, time=moved)
    else:
        story.begin(process, "delete", DeleteReminder, id=entry.reminder.id)
    process.steps(steps)
    assert process.asker.drain() == []
    if by_rename:
        (draft := file.with_name("draft")).write_text(f"# Words\n{typed}")
        draft.replace(file)
    else:
        os.truncate(descriptor, 0)
        os.write(descriptor, f"# Words\n{typed}".encode())
    os.close(descriptor)
    assert isinstance(story.hear(process, "request"), ReminderModified if moved else ReminderDeleted)
    process.pass_minutes(5)
    assert [text.split(":")[0] for text in channel.texts()] == [f"Reminder {'changed' if moved else 'deleted'}"]
    assert [each.reminder.id for each in scan(file.read_bytes()).entries] == [entry.reminder.id] * bool(moved)


@pytest.mark.parametrize("behind", [0, AT_ONCE])
@pytest.mark.parametrize("ending", ["\r\n", " \n"])
def test_a_recurring_reminder_that_could_not_be_shown_is_tried_again_after_an_editor_has_changed_the_line_end(
    start: StartProcess, file: Path, channel: Channel, ending: str, behind: int
) -> None:
    lines = [line(f"n{number}", "2026-01-01 12:01", "daily", f"rid_{number}") for number in range(behind + 1)]
    file.write_text("".join(f"{each}\n" for each in lines))
    channel.is_mute = behind > 0
    channel.fails = 1 - channel.is_mute
    process = start()
    process.pass_minutes(1)
    file.write_bytes("".join(f"{each}{ending}" for each in lines).encode())
    process.pass_minutes(1)
    channel.is_mute = False
    process.pass_minutes(12)
    assert sorted(posting.text.split()[2] for posting in channel.postings) == [f"n{n}" for n in range(behind + 1)]


def test_a_recurring_reminder_that_could_not_be_shown_is_tried_again_after_the_line_got_its_id(
    start: StartProcess, file: Path, channel: Channel, disk: RecordingDisk
) -> None:
    file.write_text(line("medicine", "2026-01-01 12:01", "daily", reminder_id="") + "\n")
    disk.before = refuse_writes
    channel.fails = 1
    process = start()
    process.pass_minutes(1)
    disk.before = lambda _call, _data: None
    process.pass_minutes(3)
    assert " id=rid_" in file.read_text()
    assert len(channel.postings) == 1


def test_a_recurring_reminder_of_a_closed_place_is_open_again_after_an_editor_has_changed_the_line_end(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    daily = line("daily", "2026-01-01 12:01", "daily") + f" in={THREAD.address.key}"
    file.write_text(daily + "\n")
    channel.closed.add(THREAD)
    process = start()
    process.pass_minutes(1)
    file.write_bytes(failed_line(daily.encode()) + b"\r\n")
    channel.closed.clear()
    process.pass_minutes(62)
    assert (len(channel.texts(THREAD)), file.read_bytes()) == (1, f"{daily}\r\n".encode())


HALF = "# Words\n"
WHOLE = HALF + line("medicine", "2026-01-01 12:01", "daily") + "\n"


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("fails", [0, 1])
def test_a_recurring_reminder_is_shown_though_a_slow_save_shows_half_of_the_file_at_a_look(
    start: StartProcess, file: Path, channel: Channel, fails: int, *, is_killed: bool
) -> None:
    file.write_text(WHOLE)
    process = start(catchup_hours=12)
    process.settle()
    channel.fails = fails
    process.pass_minutes(fails)
    assert (len(channel.requests), len(channel.postings)) == (fails, 0)
    file.write_text(HALF)
    process.pass_minutes(1)
    if is_killed:
        process.kill()
        process = start(process.clock.now(), catchup_hours=12)
    assert channel.postings == []
    file.write_text(WHOLE)
    process.pass_minutes(3)
    assert len(channel.postings) == 1


@pytest.mark.parametrize("fails", [0, 1])
def test_a_recurring_reminder_whose_line_is_missing_for_two_looks_is_not_due_when_the_line_comes_again(
    start: StartProcess, file: Path, channel: Channel, fails: int
) -> None:
    file.write_text(WHOLE)
    process = start(catchup_hours=12)
    process.settle()
    channel.fails = fails
    process.pass_minutes(fails)
    file.write_text(HALF)
    process.pass_minutes(2)
    file.write_text(WHOLE)
    process.pass_minutes(3)
    assert channel.postings == []


@pytest.mark.parametrize("is_shown", [False, True])
@pytest.mark.parametrize("recur", ["none", "daily"])
def test_a_reminder_whose_words_a_person_changes_before_it_was_known_to_be_shown_is_shown_once(
    start: StartProcess, file: Path, channel: Channel, recur: str, *, is_shown: bool
) -> None:
    file.write_text(line("medicine", "2026-03-28 12:01", recur) + "\n")
    process = start()
    process.settle()
    channel.fails = 1
    process.pass_minutes(1)
    (request,) = channel.requests
    if is_shown:
        channel.postings.append(PostedMessage(process.clock.now(), request.text, request.nonce))
    file.write_text(line("red medicine", "2026-03-28 12:01", recur) + "\n")
    process.pass_minutes(3)
    (text,) = channel.texts()
    assert ("red medicine" in text) == (not is_shown)
    assert file.read_text() == ("" if recur == "none" else line("red medicine", "2026-03-28 12:01", recur) + "\n")


@pytest.mark.parametrize("recur", ["none", "daily"])
def test_a_reminder_is_shown_though_another_of_its_id_was_shown_and_taken_out(
    start: StartProcess, file: Path, channel: Channel, recur: str
) -> None:
    medicine, water = (line(words, "2026-03-28 12:01", recur) + "\n" for words in ("medicine", "water"))
    file.write_text(medicine + water)
    process = start()
    process.settle()
    channel.fails = 2
    process.pass_minutes(1)
    first = next(request for request in channel.requests if "medicine" in request.text)
    channel.postings.append(PostedMessage(process.clock.now(), first.text, first.nonce))
    file.write_text(water)
    process.pass_minutes(3)
    assert [("medicine" in text, "water" in text) for text in channel.texts()] == [(True, False), (False, True)]


def test_recurring_reminders_of_one_id_whose_words_a_person_changes_before_they_could_be_shown_are_all_shown(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    medicine, water, tea = (line(words, "2026-03-28 12:01", "daily") + "\n" for words in ("medicine", "water", "tea"))
    file.write_text(medicine + water + tea)
    process = start()
    process.settle()
    channel.fails = 2
    process.pass_minutes(1)
    assert len(channel.postings) == 1
    file.write_text((medicine + water).replace('msg="', 'msg="two ') + tea)
    process.pass_minutes(3)
    words = sorted(text.partition("\n")[0].partition("> ")[2] for text in channel.texts())
    assert words == ["tea", "two medicine", "two water"]


@pytest.mark.parametrize("fails", [0, 1])
def test_a_recurring_reminder_whose_words_a_slow_save_changes_is_shown_though_a_look_finds_half_of_the_file(
    start: StartProcess, file: Path, channel: Channel, fails: int
) -> None:
    file.write_text(WHOLE)
    process = start()
    process.settle()
    channel.fails = fails
    process.pass_minutes(fails)
    file.write_text(HALF)
    process.pass_minutes(1)
    assert channel.postings == []
    file.write_text(WHOLE.replace("medicine", "red medicine"))
    process.pass_minutes(3)
    (text,) = channel.texts()
    assert "red medicine" in text


def test_the_present_words_of_a_recurring_reminder_wait_for_what_becomes_of_the_earlier_words_on_their_way(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("medicine", "2026-01-01 12:01", "daily") + "\n")
    process = start()
    process.settle()
    channel.fails = 1
    process.pass_minutes(1)
    channel.is_mute = True
    process.pass_minutes(1)
    channel.is_mute = False
    file.write_text(line("red medicine", "2026-01-01 12:01", "daily") + "\n")
    process.pass_minutes(5)
    assert channel.postings == []
    process.pass_minutes(10)
    (text,) = channel.texts()
    assert "red medicine" in text


@pytest.mark.parametrize("recur", ["none", "daily"])
def test_a_reminder_whose_time_a_person_changes_before_it_could_be_shown_is_due_at_the_new_time(
    start: StartProcess, file: Path, channel: Channel, recur: str
) -> None:
    file.write_text(line("medicine", "2026-03-28 12:01", recur) + "\n")
    process = start()
    process.settle()
    channel.fails = 1
    process.pass_minutes(1)
    file.write_text(line("medicine", "2026-03-28 12:10", recur) + "\n")
    process.pass_minutes(15)
    assert [posting.at.strftime("%H:%M") for posting in channel.postings] == ["12:10"]


@pytest.mark.parametrize("recur", ["none", "daily"])
@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(days=365)])
def test_a_last_line_without_an_end_is_taken_for_whole_at_the_next_look_whatever_clock_dated_the_file(
    start: StartProcess, file: Path, channel: Channel, ahead: timedelta, recur: str
) -> None:
    process = start()
    file.write_text(line("tea", "2026-03-28 12:01", recur, reminder_id=""))
    saved_at = (process.clock.now().replace(second=59) + ahead).timestamp()
    os.utime(file, (saved_at, saved_at))
    process.pass_minutes(1)
    assert channel.postings == []
    process.pass_minutes(2)
    assert len(channel.postings) == 1


def refuse_writes(call: str, _data: bytes) -> None:
    if call == "write":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
