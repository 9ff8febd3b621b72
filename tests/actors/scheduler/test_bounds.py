"""How much one window may have of the reminders' file, and of the scheduler's time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from actors.edited_file.file import LIMIT_BYTES
from actors.scheduler.config import REQUESTED_BYTES
from domain.reminder.document import scan
from domain.reminder.request import LONGEST_MESSAGE_CHARS
from domain.reminder.share import EDITS, LISTS, MOST_BYTES, MOST_REMINDERS
from lab.chaos.reminders.world import Channel, Process
from messages.base import Message, RequestId, Surface, Window
from messages.scheduler import (
    CreateReminder,
    DeleteReminder,
    ListReminders,
    ModifyReminder,
    ReminderCreated,
    ReminderDeleted,
    RemindersListed,
)
from messages.socket import Refused
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import line

GREEDY = Window(surface=Surface.DISCORD_THREAD, id="910000000000000077")
BYSTANDER = Window(surface=Surface.DISCORD_THREAD, id="910000000000000078")


def begin(process: Process, kind: type[Message], window: Window, number: int = 0, **fields: Any) -> None:
    request_id = RequestId(f"{window.id}.{number}.{process.clock.monotonic()}")
    process.tell(kind(request_id=request_id, reply_to=process.asker.address, window=window, **fields))


def ask(process: Process, kind: type[Message], window: Window, **fields: Any) -> Message:
    begin(process, kind, window, **fields)
    process.settle()
    (answer,) = process.asker.drain()
    return answer


def wish(process: Process, window: Window, msg: str = "x") -> Message:
    return ask(process, CreateReminder, window, msg=msg, in_minutes=600)


def own_lines(count: int, msg: str = "x", window: Window = GREEDY, box: str = "[ ]") -> str:
    lines = (line(msg, "2027-01-01 09:00", "none", f"rid_{n}") + f" in={window.address.key}\n" for n in range(count))
    return "".join(lines).replace("[ ]", box)


def reason(answer: Message) -> str:
    assert isinstance(answer, Refused)
    return answer.reason


# the file


@pytest.mark.parametrize("box", ["[ ]", "[!]"])
def test_a_window_may_have_so_many_reminders_and_others_theirs(start: StartProcess, file: Path, box: str) -> None:
    file.write_text(own_lines(MOST_REMINDERS, box=box))
    process = start()
    assert f"at most {MOST_REMINDERS} are kept" in reason(wish(process, GREEDY))
    assert isinstance(wish(process, BYSTANDER), ReminderCreated)
    assert isinstance(ask(process, DeleteReminder, GREEDY, id="rid_7"), ReminderDeleted)
    assert isinstance(wish(process, GREEDY), ReminderCreated)
    assert len(scan(file.read_bytes()).entries) == MOST_REMINDERS + 1


def test_a_window_may_have_so_many_bytes_however_few_reminders(start: StartProcess, file: Path) -> None:
    long = "😀" * LONGEST_MESSAGE_CHARS
    file.write_text(own_lines(MOST_BYTES // (len(long.encode()) + 120), long))
    process = start()
    assert f"at most {MOST_BYTES:,} are kept" in reason(wish(process, GREEDY, long))
    assert isinstance(wish(process, GREEDY), ReminderCreated)
    assert isinstance(wish(process, BYSTANDER, long), ReminderCreated)


def test_a_change_cannot_make_lines_longer_than_a_window_may_have(start: StartProcess, file: Path) -> None:
    long = "😀" * LONGEST_MESSAGE_CHARS
    file.write_text(own_lines(10, long) + own_lines(20).replace("rid_", "rid_short_"))
    process = start()
    for number in range(EDITS - 1):
        ask(process, ModifyReminder, GREEDY, id=f"rid_short_{number}", msg=long)
    assert "at most" in reason(ask(process, ModifyReminder, GREEDY, id="rid_short_9", msg=long))
    total = sum(len(entry.raw) for entry in scan(file.read_bytes()).entries)
    assert MOST_BYTES * 0.8 < total <= MOST_BYTES


def test_no_request_makes_the_file_larger_than_half_of_what_is_read(start: StartProcess, file: Path) -> None:
    text = own_lines(1, window=BYSTANDER)
    file.write_text(text + "x" * (REQUESTED_BYTES - len(text)))
    process = start()
    assert f"at most {REQUESTED_BYTES:,} are written" in reason(wish(process, GREEDY))
    assert file.stat().st_size == REQUESTED_BYTES
    assert isinstance(ask(process, DeleteReminder, BYSTANDER, id="rid_0"), ReminderDeleted)


def test_threads_without_end_keep_nobody_from_having_a_reminder(start: StartProcess, file: Path) -> None:
    long = "😀" * LONGEST_MESSAGE_CHARS
    threads = (Window(surface=Surface.DISCORD_THREAD, id=f"9200000000000{number:05}") for number in range(64))
    text = "".join(own_lines(10, long, thread) for thread in threads)
    file.write_text(text)
    process = start()
    assert len(text.encode()) > REQUESTED_BYTES * 0.85
    assert "while the file is this full" in reason(
        ask(
            process,
            CreateReminder,
            Window(surface=Surface.DISCORD_THREAD, id="920000000000000000"),
            msg="x",
            at="2027-01-01T09:00",
        )
    )
    assert isinstance(wish(process, BYSTANDER, "call the doctor " * 20), ReminderCreated)


def test_a_file_that_people_made_too_long_is_listed_and_made_shorter(start: StartProcess, file: Path) -> None:
    others = ("x" * 999 + "\n") * (LIMIT_BYTES // 1_000 + 1)
    file.write_text(own_lines(2) + others)
    process = start()
    listed = ask(process, ListReminders, GREEDY)
    assert isinstance(listed, RemindersListed)
    assert [reminder.id for reminder in listed.reminders] == ["rid_0", "rid_1"]
    assert "are written of the" in reason(wish(process, GREEDY))
    assert isinstance(ask(process, DeleteReminder, GREEDY, id="rid_0"), ReminderDeleted)
    assert file.read_text() == own_lines(2).splitlines(keepends=True)[1] + others


def test_ids_are_not_given_where_they_would_make_the_file_longer_than_what_is_read(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    text = line("tea", "2026-03-28 12:01", reminder_id="") + "\n"
    file.write_text(text + "x" * (LIMIT_BYTES - len(text) - 1) + "\n")
    start().pass_minutes(2)
    assert ["tea" in text for text in channel.texts()] == [True]
    assert "tea" not in file.read_text()
    assert file.stat().st_size == LIMIT_BYTES - len(text)


# the time


def test_a_window_may_have_the_file_changed_so_often_and_others_too(start: StartProcess, file: Path) -> None:
    process = start()
    answers = [wish(process, GREEDY) for _ in range(EDITS + 1)]
    assert [isinstance(answer, ReminderCreated) for answer in answers] == [True] * EDITS + [False]
    assert f"at most {EDITS} changes" in reason(answers[-1])
    assert f"at most {EDITS} changes" in reason(ask(process, ModifyReminder, GREEDY, id="rid_0", msg="y"))
    assert f"at most {EDITS} changes" in reason(ask(process, DeleteReminder, GREEDY, id="rid_0"))
    assert isinstance(wish(process, BYSTANDER), ReminderCreated)
    process.pass_minutes(2)
    assert isinstance(wish(process, GREEDY), ReminderCreated)
    assert len(scan(file.read_bytes()).entries) == EDITS + 2


def test_a_window_may_see_the_file_so_often_and_others_too(start: StartProcess) -> None:
    process = start()
    answers = [ask(process, ListReminders, GREEDY) for _ in range(LISTS + 1)]
    assert [isinstance(answer, RemindersListed) for answer in answers] == [True] * LISTS + [False]
    assert isinstance(ask(process, ListReminders, BYSTANDER), RemindersListed)


@pytest.mark.parametrize("kind", [CreateReminder, ListReminders])
def test_windows_are_served_in_turn(start: StartProcess, kind: type[Message]) -> None:
    process = start()
    fields: dict[str, Any] = {"msg": "x", "in_minutes": 600} if kind is CreateReminder else {}
    for number in range(EDITS):
        begin(process, kind, GREEDY, number, **fields)
    begin(process, kind, BYSTANDER, **fields)
    process.steps(1000)
    answered = [str(answer.request_id).split(".")[0] for answer in process.asker.drain()]  # type: ignore[attr-defined]
    assert answered.index(BYSTANDER.id) <= 1
    assert answered.count(GREEDY.id) == EDITS


def test_a_long_queue_of_windows_does_not_delay_what_is_due(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("tea", "2026-03-28 12:01", reminder_id="") + "\n")
    process = start()
    process.clock.advance(29)
    for number in range(EDITS):
        for window in range(30):
            begin(
                process,
                CreateReminder,
                Window(surface=Surface.DISCORD_THREAD, id=f"9{window}"),
                number,
                msg="x",
                in_minutes=9,
            )
    process.clock.advance(0.99)
    process.system.run()
    process.steps(50)
    assert ["tea" in text for text in channel.texts() if text.startswith("⏰")] == [True]


def test_confirmations_that_are_not_shown_hold_up_further_edits_of_their_window(
    start: StartProcess, channel: Channel
) -> None:
    channel.is_mute = True
    process = start()
    for _ in range(EDITS):
        assert isinstance(wish(process, GREEDY), ReminderCreated)
    process.pass_minutes(2)
    assert "have not been shown here yet" in reason(wish(process, GREEDY))
    assert isinstance(wish(process, BYSTANDER), ReminderCreated)
    process.pass_minutes(10)
    assert "have not been shown here yet" in reason(wish(process, GREEDY)), "nor are they forgotten"
    channel.is_mute = False
    process.pass_minutes(12)
    assert len(channel.texts(GREEDY)) == EDITS
    assert isinstance(wish(process, GREEDY), ReminderCreated)
