"""Confirmations: one for each edit, whatever dies between edit and posting; none without an edit."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from actors.scheduler.owed import OwedConfirmations
from domain.edit.lines import BOM
from domain.reminder.share import EDITS
from lab.chaos.reminders.world import Channel
from messages.scheduler import ConfirmationRelayed, ReminderCreated, ReminderModified
from messages.socket import Refused
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.owing import (
    OLD,
    REQUESTS,
    THREAD,
    after,
    ask,
    killed_before_people_were_told,
    mend,
    note,
    notes,
    relayed,
    spoil,
    wish,
)
from tests.actors.scheduler.readers import OPEN
from tests.recording_disk import RecordingDisk

EVERY_KIND = pytest.mark.parametrize("what", REQUESTS)


@pytest.fixture(autouse=True)
def readable(channel: Channel, file: Path) -> None:
    channel.readers[THREAD] = OPEN
    file.write_text(OLD + "\n")


@pytest.mark.req("S0-146", "S0-147")
@EVERY_KIND
@pytest.mark.parametrize("minutes", [1, 600])
def test_what_was_done_before_a_kill_is_confirmed_by_the_next_start(
    start: StartProcess, channel: Channel, file: Path, what: str, minutes: int
) -> None:
    process = killed_before_people_were_told(start, channel, what)
    assert len(notes(file)) == 1
    after(process, start, minutes).pass_minutes(2)
    (text,) = channel.texts(THREAD)
    assert text.startswith(f"{what}:\n```\n- [ ] ")
    assert [posting.look_first for posting in channel.requests] == [True]
    assert notes(file) == []


@EVERY_KIND
def test_what_people_were_shown_is_not_shown_again_though_nobody_heard_of_it(
    start: StartProcess, channel: Channel, file: Path, what: str
) -> None:
    process = start()
    wish(process, what)
    (posting,) = channel.requests
    OwedConfirmations(file.parent / "spare", RecordingDisk()).keep(note(posting.text))
    after(process, start, 600).pass_minutes(2)
    assert len(channel.texts(THREAD)) == 1
    assert len(channel.requests) == 2
    assert notes(file) == []


@EVERY_KIND
def test_what_was_not_done_is_not_confirmed(
    start: StartProcess,
    channel: Channel,
    file: Path,
    what: str,
    disk: RecordingDisk,
) -> None:
    process = start()
    kept: list[list[Path]] = []

    def die(call: str, _data: bytes) -> None:
        if call == "exchange":
            kept.append(notes(file))
            process.kill()
            spoil(disk, "unlink")  # whoever is dead takes nothing away
            raise OSError(errno.EIO, "killed")

    disk.before = die
    wish(process, what)
    assert [len(found) for found in kept] == [1], "the note is there before the edit"
    mend(disk)
    assert file.read_text() == OLD + "\n"
    after(process, start).pass_minutes(2)
    assert channel.texts(THREAD) == []
    assert notes(file) == []


@EVERY_KIND
def test_a_note_that_cannot_be_kept_is_why_there_is_no_edit(
    start: StartProcess, channel: Channel, file: Path, what: str, disk: RecordingDisk
) -> None:
    process = start()
    spoil(disk, "write", errno.ENOSPC, lambda data: b"request_id" in data)
    answer = wish(process, what)
    assert isinstance(answer, Refused)
    assert "No space left" in answer.reason
    assert (file.read_text(), channel.requests, notes(file)) == (OLD + "\n", [], [])


@EVERY_KIND
def test_what_discord_could_not_take_is_posted_a_minute_later(
    start: StartProcess, channel: Channel, file: Path, what: str
) -> None:
    process = start()
    channel.fails = 2
    wish(process, what)
    assert channel.texts(THREAD) == []
    process.pass_minutes(4)
    assert len(channel.texts(THREAD)) == 1
    assert notes(file) == []


def test_what_discord_could_not_take_by_the_end_is_posted_by_the_next_start(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = start()
    channel.fails = 1
    wish(process, "Reminder set")
    after(process, start).pass_minutes(2)
    assert len(channel.texts(THREAD)) == 1
    assert notes(file) == []


def test_what_is_owed_from_an_earlier_life_is_tried_until_people_see_it(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = killed_before_people_were_told(start, channel)
    channel.fails = 2
    after(process, start).pass_minutes(4)
    assert (len(channel.texts(THREAD)), notes(file)) == (1, [])


@EVERY_KIND
def test_what_the_disk_refused_is_owed_no_more(
    start: StartProcess, channel: Channel, file: Path, what: str, disk: RecordingDisk
) -> None:
    process = start()
    spoil(disk, "exchange")
    assert isinstance(wish(process, what), Refused)
    assert (notes(file), channel.requests, file.read_text()) == ([], [], OLD + "\n")


def test_no_more_edits_are_made_than_people_can_be_told_of(start: StartProcess, channel: Channel) -> None:
    process = start()
    for number in range(EDITS):
        channel.fails = 1
        assert isinstance(wish(process, "Reminder set", f"r{number}"), ReminderCreated)
    process.clock.advance(50)
    channel.fails = 100
    process.pass_minutes(2)
    answer = wish(process, "Reminder set", "one-more")
    assert isinstance(answer, Refused)
    assert f"{EDITS} confirmations have not been shown here yet" in answer.reason
    channel.fails = 0
    process.pass_minutes(2)
    assert len(channel.texts(THREAD)) == EDITS
    assert isinstance(wish(process, "Reminder set", "two-more"), ReminderCreated)


@EVERY_KIND
def test_what_stands_in_the_file_though_it_was_refused_is_confirmed(
    start: StartProcess, channel: Channel, file: Path, what: str, disk: RecordingDisk
) -> None:
    process, exchanges = start(), 0

    def fail(call: str, _data: bytes) -> None:
        nonlocal exchanges
        exchanges += call == "exchange"
        if call == "sync" and exchanges:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    disk.before = fail
    wish(process, what)
    process.pass_minutes(1)
    assert file.read_text() != OLD + "\n"
    assert channel.texts(THREAD) == []
    mend(disk)
    process.pass_minutes(3)
    (text,) = channel.texts(THREAD)
    assert text.startswith(f"{what}:")
    assert notes(file) == []


@pytest.mark.parametrize("is_killed", [False, True])
def test_each_of_two_changes_of_one_line_is_confirmed_though_the_second_takes_the_firsts_line_away(
    start: StartProcess, channel: Channel, file: Path, is_killed: bool
) -> None:
    process = start()
    channel.is_mute, channel.fails = is_killed, 2
    for number, time in enumerate(("11:00", "12:00")):
        assert isinstance(wish(process, "Reminder changed", f"r{number}", time=time), ReminderModified)
    channel.is_mute, channel.fails = False, 0
    (after(process, start) if is_killed else process).pass_minutes(3)
    first, second = channel.texts(THREAD)
    assert "time=11:00" in first
    assert "time=12:00" in second
    assert notes(file) == []


def test_a_change_before_the_first_look_takes_no_confirmation_away_that_an_earlier_life_owes(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = after(killed_before_people_were_told(start, channel, "Reminder changed"), start)
    ask(process, "Reminder changed", "r2", time="12:00")
    while "time=12:00" not in file.read_text():  # somebody keeps the looks from coming to an end
        file.write_text(file.read_text() + "prose\n")
        process.steps(1)
    process.pass_minutes(2)
    assert ["time=11:00" in text for text in channel.texts(THREAD)].count(True) == 1
    assert len(channel.texts(THREAD)) == 2
    assert notes(file) == []


@pytest.mark.parametrize("is_noted", [False, True])
def test_what_discord_could_not_take_is_posted_though_the_line_is_gone_by_then(
    start: StartProcess, channel: Channel, file: Path, disk: RecordingDisk, is_noted: bool
) -> None:
    process = start()
    channel.fails = 1
    if not is_noted:
        spoil(disk, "write", when=lambda data: b'"line":""' in data)
    wish(process, "Reminder set")
    mend(disk)
    file.write_text(OLD + "\n")
    (after(process, start) if is_noted else process).pass_minutes(2)
    assert len(channel.texts(THREAD)) == 1
    assert notes(file) == []


@pytest.mark.req("S0-31")
def test_what_people_were_shown_just_before_a_kill_is_looked_for_so_that_its_log_comes_to_say_so(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = start()
    wish(process, "Reminder set")
    assert len(channel.texts(THREAD)) == 1
    after(process, start).pass_minutes(2)
    assert [posting.look_first for posting in channel.requests] == [False, True]
    assert len(channel.texts(THREAD)) == 1
    assert notes(file) == []


def test_what_is_known_to_have_happened_is_posted_though_there_is_no_file(
    start: StartProcess, channel: Channel, file: Path, disk: RecordingDisk
) -> None:
    process = start()
    channel.is_mute = True
    relayed(process)
    channel.is_mute = False
    disk.unlink(file)
    after(process, start).pass_minutes(2)
    assert len(channel.texts(THREAD)) == 1
    assert notes(file) == []


def test_a_note_of_what_was_shown_goes_within_two_minutes_or_with_the_agent_though_there_is_no_file(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = start()
    wish(process, "Reminder set", "r1")
    file.unlink()
    process.pass_minutes(2)
    assert notes(file) == []
    wish(process, "Reminder set", "r2")
    assert len(notes(file)) == 1
    process.system.stop()
    assert notes(file) == []
    assert len(channel.texts(THREAD)) == 2


def test_what_nobody_answered_for_is_posted_again_after_a_while(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = start()
    channel.is_mute = True
    wish(process, "Reminder set")
    channel.is_mute = False
    process.pass_minutes(12)
    assert len(channel.texts(THREAD)) == 1
    assert notes(file) == []


@EVERY_KIND
@pytest.mark.parametrize("begin", [b"", BOM])
def test_what_is_confirmed_is_what_the_file_says_wherever_a_kill_came(
    start: StartProcess, channel: Channel, file: Path, what: str, begin: bytes
) -> None:
    steps, is_over = 0, False
    before = begin if what == "Reminder set" else begin + OLD.encode() + b"\n"
    while not is_over:
        channel.postings.clear()
        file.write_bytes(before)
        process = start()
        channel.is_mute = True
        ask(process, what)
        process.steps(steps)
        is_over = bool(process.asker.drain())
        process.kill()
        channel.is_mute = False
        after(process, start, 600).pass_minutes(3)
        assert [text.split(":")[0] for text in channel.texts(THREAD)] == [what] * (file.read_bytes() != before)
        assert notes(file) == []
        steps += 1
    assert file.read_bytes() != before


def test_what_a_closed_window_refuses_is_owed_no_more(start: StartProcess, channel: Channel, file: Path) -> None:
    process = start()
    channel.closed.add(THREAD)
    wish(process, "Reminder set")
    assert notes(file) == []
    channel.closed.clear()
    process.pass_minutes(2)
    assert len(channel.requests) == 1


def test_a_line_that_a_person_changed_meanwhile_is_confirmed_by_nobody(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = killed_before_people_were_told(start, channel)
    file.write_text(file.read_text().replace("tea", "coffee"))
    after(process, start).pass_minutes(2)
    assert channel.texts(THREAD) == []
    assert notes(file) == []


def test_a_file_that_is_empty_for_the_moment_makes_nobody_forget(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = killed_before_people_were_told(start, channel)
    held = file.read_bytes()
    file.write_bytes(b"")
    later = after(process, start)
    later.pass_minutes(1)
    assert (channel.texts(THREAD), len(notes(file))) == ([], 1)
    file.write_bytes(held)
    later.pass_minutes(2)
    assert (len(channel.texts(THREAD)), notes(file)) == (1, [])


@pytest.mark.req("X-27")
def test_what_a_command_line_has_said_is_owed_from_when_it_was_told_so(
    start: StartProcess, channel: Channel, file: Path
) -> None:
    process = start()
    channel.is_mute = True
    assert isinstance(relayed(process), ConfirmationRelayed)
    channel.is_mute = False
    after(process, start).pass_minutes(2)
    assert channel.texts(THREAD) == [f"Reminder set:\n```\n{OLD}\n```"]
    assert notes(file) == []


def test_what_cannot_be_noted_is_not_relayed(start: StartProcess, channel: Channel, disk: RecordingDisk) -> None:
    process = start()
    spoil(disk, "write")
    answer = relayed(process)
    assert isinstance(answer, Refused)
    assert "Input/output error" in answer.reason
    assert channel.requests == []


def test_a_command_lines_own_scheduler_owes_nothing(start: StartProcess, channel: Channel, file: Path) -> None:
    channel.is_mute = True
    wish(start(fires=False), "Reminder set")
    assert notes(file) == []


@pytest.mark.req("X-37")
def test_the_file_is_safe_before_what_it_holds_is_confirmed(
    start: StartProcess, channel: Channel, file: Path, disk: RecordingDisk
) -> None:
    process = killed_before_people_were_told(start, channel)
    spoil(disk, "sync")
    later = after(process, start)
    later.pass_minutes(1)
    assert channel.texts(THREAD) == []
    mend(disk)
    later.pass_minutes(1)
    assert len(channel.texts(THREAD)) == 1
