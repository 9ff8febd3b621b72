"""The scheduler before a model of Discord, on a clock that stands still until it is moved."""

from __future__ import annotations

import logging
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from actors.bench.reminder_world import OWNER_ID, Channel
from actors.scheduler.reminder_file import LIMIT_BYTES
from actors.scheduler.rewriting import Waits
from domain.reminder_document import scan
from messages.base import RequestId, Surface, Window
from messages.scheduler import (
    CreateReminder,
    DeleteReminder,
    ListReminders,
    ModifyReminder,
    ReminderCreated,
    ReminderDeleted,
    ReminderModified,
    RemindersListed,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.scheduler.conftest import START, StartProcess

THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")


def line(message: str, local: str, recur: str = "none", reminder_id: str = "rid_AAAAAAAAAAAA") -> str:
    day, clock = local.split(" ")
    return f'- [ ] date={day} time={clock} recur={recur} msg="{message}"' + (
        f" id={reminder_id}" if reminder_id else ""
    )


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


# ---- looking and firing


def test_a_one_off_is_said_on_its_minute_and_its_line_goes(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"# Mine\n\n{line('tea', '2026-03-28 12:02')}\nend")
    process = start()
    process.pass_minutes(1)
    assert channel.shown == []
    process.pass_minutes(1)
    (shown,) = channel.shown
    assert shown.text == f"⏰ <@{OWNER_ID}> tea\n-# rid_AAAAAAAAAAAA · Sat 2026-03-28 12:02 GMT"
    assert shown.at - at("2026-03-28T12:02Z") < timedelta(seconds=0.1)
    assert file.read_text() == "# Mine\n\nend"
    process.pass_minutes(3)
    assert len(channel.shown) == 1


def test_a_recurring_line_stays_as_it_is_and_is_said_every_time(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(daily := line("bread", "2026-03-20 01:30", "daily") + "\r\n")
    process = start(at("2026-03-28T01:00Z"))
    process.pass_minutes(2 * 1440)
    times = [shown.at.strftime("%d %H:%M") for shown in channel.shown]
    assert times == ["28 01:30", "29 01:00", "30 00:30"]
    assert file.read_bytes().decode() == daily


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
    assert (file.read_text(), channel.shown) == (typed, [])
    process.pass_minutes(1)
    assert len(channel.shown) == 1


def test_without_a_file_nothing_is_due_and_one_that_comes_is_used(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    process = start()
    process.pass_minutes(2)
    assert channel.shown == []
    file.write_text(line("tea", "2026-03-28 12:03") + "\n")
    process.pass_minutes(1)
    assert len(channel.shown) == 1
    file.unlink()
    process.pass_minutes(1)
    assert len(channel.shown) == 1


def test_a_file_that_is_being_saved_is_looked_at_when_it_is_at_rest(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("tea", "2026-03-28 12:00") + "\n")
    process = start()
    for number in range(20):
        file.write_text(f"{line('tea', '2026-03-28 12:00')}\n{number}\n")
        process.steps(1)
    assert channel.shown == []
    process.settle()
    assert len(channel.shown) == 1


@pytest.mark.parametrize("empty", [b"", b"\xef\xbb\xbf", b"\n"])
def test_an_emptied_file_is_left_alone(start: StartProcess, file: Path, channel: Channel, empty: bytes) -> None:
    file.write_bytes(empty)
    start().pass_minutes(2)
    assert (file.read_bytes(), channel.shown) == (empty, [])


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


def test_a_huge_file_is_refused_and_people_are_told_once(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_bytes(line("tea", "2026-03-28 12:00").encode() + b"\n" * LIMIT_BYTES)
    process = start()
    process.pass_minutes(3)
    (alert,) = channel.texts()
    assert "more than 8 MiB" in alert
    file.write_text(line("tea", "2026-03-28 12:00") + "\n")
    process.pass_minutes(1)
    assert "tea" in channel.texts()[-1]


def test_a_folder_in_the_files_place_is_no_crash(start: StartProcess, file: Path, channel: Channel) -> None:
    file.mkdir()
    start().pass_minutes(2)
    assert ["no regular file" in text for text in channel.texts()] == [True]


def test_copies_of_a_synchronising_program_are_named_once(
    start: StartProcess, file: Path, caplog: pytest.LogCaptureFixture, channel: Channel
) -> None:
    file.write_text("x\n")
    copy = file.with_name("reminders.sync-conflict-20260328-120000-ABCDEFG.md")
    copy.write_text(line("tea", "2026-03-28 12:00"))
    with caplog.at_level(logging.WARNING):
        start().pass_minutes(3)
    assert caplog.text.count(copy.name) == 1
    assert channel.shown == []


def test_an_id_on_two_lines_is_said_twice(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"{line('one', '2026-03-28 12:00')}\n{line('two', '2026-03-28 12:00')}\n")
    start().settle()
    assert ["one" in text or "two" in text for text in channel.texts()] == [True, True]
    assert file.read_text() == ""


def test_the_same_line_twice_is_said_once(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"{line('one', '2026-03-28 12:00')}\n" * 2)
    start().pass_minutes(3)
    assert (len(channel.shown), file.read_text()) == (1, "")


def test_a_line_that_a_person_changes_while_it_is_said_stays(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("tea", "2026-03-28 12:00") + "\n")
    process = start()
    process.steps(3)
    file.write_text(moved := line("tea", "2026-03-28 15:00") + "\n")
    process.settle()
    assert (len(channel.shown), file.read_text()) == (1, moved)


def test_a_hundred_at_once_are_each_said_once_and_all_lines_go(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text("".join(f"{line(f'n{i}', '2026-03-28 12:01', reminder_id=f'rid_{i}')}\n" for i in range(100)))
    start().pass_minutes(2)
    assert len({text.split(" · ")[0] for text in channel.texts()}) == len(channel.shown) == 100
    assert file.read_text() == ""


# ---- trouble on the way to people


def test_what_could_not_be_shown_is_tried_again_until_it_is(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"{line('once', '2026-03-28 12:01')}\n{line('daily', '2026-01-01 12:01', 'daily', 'rid_D')}\n")
    channel.fails = 6
    process = start()
    process.pass_minutes(3)
    assert channel.shown == []
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
    assert channel.shown == []


def test_a_closed_channel_is_tried_again_after_an_hour_and_the_line_stays(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("tea", "2026-03-28 12:01") + "\n")
    channel.refuses = True
    process = start()
    process.pass_minutes(30)
    channel.refuses = False
    process.pass_minutes(29)
    assert (channel.shown, "tea" in file.read_text()) == ([], True)
    process.pass_minutes(4)
    assert (len(channel.shown), file.read_text()) == (1, "")


def test_without_a_channel_nothing_is_said_and_nothing_goes(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(tea := line("tea", "2026-03-28 12:01") + "\n")
    start(window=None).pass_minutes(3)
    assert (channel.shown, file.read_text()) == ([], tea)


def test_a_write_protected_file_is_obeyed_and_nothing_is_said_twice(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(tea := line("tea", "2026-03-28 12:01") + "\n")
    file.chmod(0o444)
    process = start()
    process.pass_minutes(4)
    assert (len(channel.shown), file.read_text()) == (1, tea)
    process.kill()
    start(process.clock.now() + timedelta(hours=2)).pass_minutes(2)
    assert (len(channel.shown), file.read_text()) == (1, tea)


# ---- clocks


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
    assert len(channel.shown) == 2


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
    assert len(channel.shown) == 2


def test_a_clock_that_was_a_day_ahead_is_followed_when_it_is_put_right(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("daily", "2026-03-01 12:05", "daily") + "\n")
    process = start(START + timedelta(days=1))
    process.pass_minutes(1)
    process.clock.jump(timedelta(days=-1))
    process.pass_minutes(10)
    assert [shown.at.strftime("%d %H:%M") for shown in channel.shown] == ["28 12:05"]


# ---- starts


def test_a_one_off_that_fell_into_downtime_is_said_late(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("tea", "2026-03-27 09:00") + "\n")
    start().settle()
    assert "1 d 3 h late" in channel.texts()[0]


@pytest.mark.parametrize(("hours", "said"), [(0.0, 0), (1.0, 0), (4.0, 1)])
def test_a_recurring_one_that_fell_into_downtime_is_said_as_far_back_as_configured(
    start: StartProcess, file: Path, channel: Channel, hours: float, said: int
) -> None:
    file.write_text(line("daily", "2026-01-01 13:00", "daily") + "\n")
    first = start(catchup_hours=hours)
    first.pass_minutes(1)
    first.kill()
    start(START + timedelta(hours=3), catchup_hours=hours).pass_minutes(2)
    assert len(channel.shown) == said


def test_what_fell_due_in_the_minute_before_the_start_is_said(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(line("daily", "2026-01-01 12:00", "daily") + "\n")
    start().settle()
    assert len(channel.shown) == 1


@pytest.mark.crashes
def test_a_restarted_actor_goes_on_where_it_was(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(line("daily", "2026-01-01 12:01", "daily") + "\n")
    process = start()
    process.pass_minutes(1)
    process.tell(DescribeYourself(request_id="not a string", reply_to=None))  # type: ignore[arg-type]
    process.pass_minutes(5)
    assert len(channel.shown) == 1


# ---- requests


def ask(process: object, message: object) -> object:
    from actors.bench.reminder_world import Process

    assert isinstance(process, Process)
    process.tell(message)  # type: ignore[arg-type]
    process.settle()
    (answer,) = process.asker.drain()
    return answer


def test_a_reminder_that_is_asked_for_stands_in_the_file_and_is_confirmed_in_its_window(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    process = start()
    wish = CreateReminder(
        request_id=RequestId("r1"),
        reply_to=process.asker.address,
        window=THREAD,
        msg='say "hi" @everyone',
        date="2026-03-29",
        time="01:30",
    )
    answer = ask(process, wish)
    assert isinstance(answer, ReminderCreated)
    assert file.read_text() == answer.line + "\n"
    assert scan(file.read_bytes()).entries[0].reminder.id == answer.id
    (confirmation,) = channel.texts()
    assert confirmation.startswith(f"Reminder set:\n```\n{answer.line}\n```")
    assert answer.next_due == "Sun 2026-03-29 02:00 BST"
    assert "skip 01:30" in answer.note


def test_a_change_is_confirmed_with_the_new_line_and_other_lines_stay(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_bytes(
        f"# Mine\r\n{line('a', '2026-04-01 09:00')}\r\n{line('b', '2026-04-01 09:00', reminder_id='rid_B')}\r\n".encode()
    )
    process = start()
    answer = ask(
        process,
        ModifyReminder(
            request_id=RequestId("r1"), reply_to=process.asker.address, window=THREAD, id="rid_B", time="10:00"
        ),
    )
    assert isinstance(answer, ReminderModified)
    changed = line("b", "2026-04-01 10:00", reminder_id="rid_B")
    assert answer.line == changed
    assert file.read_bytes().decode() == f"# Mine\r\n{line('a', '2026-04-01 09:00')}\r\n{changed}\r\n"
    assert [f"\n{changed}\n" in text for text in channel.texts()] == [True]


def test_a_change_to_what_it_says_already_is_not_confirmed(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(same := line("a", "2026-04-01 09:00") + "\n")
    process = start()
    answer = ask(
        process,
        ModifyReminder(
            request_id=RequestId("r1"), reply_to=process.asker.address, window=THREAD, id="rid_AAAAAAAAAAAA", msg="a"
        ),
    )
    assert isinstance(answer, ReminderModified)
    assert (file.read_text(), channel.shown) == (same, [])


def test_a_deletion_is_confirmed_as_such(start: StartProcess, file: Path, channel: Channel) -> None:
    file.write_text(f"x\n{line('a', '2026-04-01 09:00')}\ny\n")
    process = start()
    answer = ask(
        process,
        DeleteReminder(
            request_id=RequestId("r1"), reply_to=process.asker.address, window=THREAD, id="rid_AAAAAAAAAAAA"
        ),
    )
    assert isinstance(answer, ReminderDeleted)
    assert file.read_text() == "x\ny\n"
    assert channel.texts()[0].startswith("Reminder deleted:\n```\n" + line("a", "2026-04-01 09:00"))


@pytest.mark.parametrize(
    ("text", "reminder_id", "why"),
    [
        ("", "rid_X", "no reminder has the id 'rid_X'"),
        (f"{line('a', '2026-04-01 09:00')}\n" * 2, "rid_AAAAAAAAAAAA", "ambiguous"),
    ],
)
def test_what_cannot_be_addressed_is_refused_and_the_file_stays(
    start: StartProcess, file: Path, channel: Channel, text: str, reminder_id: str, why: str
) -> None:
    file.write_text(text)
    process = start()
    for number, kind in enumerate((ModifyReminder, DeleteReminder)):
        fields = {"msg": "new"} if kind is ModifyReminder else {}
        answer = ask(
            process,
            kind(
                request_id=RequestId(f"r{number}"),
                reply_to=process.asker.address,
                window=THREAD,
                id=reminder_id,
                **fields,
            ),
        )
        assert isinstance(answer, Refused)
        assert why in answer.reason
    assert (file.read_text(), channel.shown) == (text, [])


def test_a_time_that_no_line_can_state_is_refused_with_the_reason(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    process = start(at("2026-10-25T00:30Z"))
    answer = ask(
        process,
        CreateReminder(
            request_id=RequestId("r1"), reply_to=process.asker.address, window=THREAD, msg="x", in_minutes=60
        ),
    )
    assert isinstance(answer, Refused)
    assert "01:30 GMT cannot be written down" in answer.reason
    assert not file.exists()
    assert channel.shown == []


def test_a_request_that_is_handled_twice_adds_one_line(start: StartProcess, file: Path, channel: Channel) -> None:
    process = start()
    wish = CreateReminder(
        request_id=RequestId("r1"), reply_to=process.asker.address, window=THREAD, msg="x", in_minutes=60
    )
    first, second = ask(process, wish), ask(process, wish)
    assert first == second
    assert len(scan(file.read_bytes()).entries) == len(channel.shown) == 1


def test_a_refused_edit_of_a_protected_file_says_why(start: StartProcess, file: Path) -> None:
    file.write_text("x\n")
    file.chmod(0o444)
    process = start()
    answer = ask(
        process,
        CreateReminder(
            request_id=RequestId("r1"), reply_to=process.asker.address, window=THREAD, msg="x", in_minutes=60
        ),
    )
    assert isinstance(answer, Refused)
    assert "write-protected" in answer.reason


def test_the_list_is_soonest_first_with_what_is_invalid(start: StartProcess, file: Path) -> None:
    file.write_text(
        f"{line('later', '2026-04-01 09:00', reminder_id='rid_L')}\n"
        f"{line('sooner', '2026-01-01 13:00', 'daily', 'rid_S')}\n- [x] done\n"
    )
    process = start()
    answer = ask(
        process, ListReminders(request_id=RequestId("r1"), reply_to=process.asker.address, window=THREAD, limit=1)
    )
    assert isinstance(answer, RemindersListed)
    (only,) = answer.reminders
    assert (only.msg, only.next_due, only.is_addressable) == ("sooner", at("2026-03-28T13:00Z"), True)
    assert answer.left_out == 1
    assert [invalid.number for invalid in answer.invalid] == [3]


def test_a_command_lines_scheduler_serves_requests_and_says_nothing_by_itself(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(tea := line("tea", "2026-03-28 12:00") + "\n")
    process = start(fires=False)
    process.pass_minutes(2)
    assert (channel.shown, file.read_text()) == ([], tea)
    window = Window(surface=Surface.CLI, id="turn")
    wish = CreateReminder(
        request_id=RequestId("r1"), reply_to=process.asker.address, window=window, msg="x", in_minutes=60
    )
    assert isinstance(ask(process, wish), ReminderCreated)
    assert len(channel.shown) == 1


def test_it_describes_itself_without_saying_what_the_reminders_say(start: StartProcess, file: Path) -> None:
    file.write_text(line("secret words", "2026-04-01 09:00") + "\n- [x] done\n")
    process = start()
    process.pass_minutes(1)
    answer = ask(process, DescribeYourself(request_id=RequestId("r1"), reply_to=process.asker.address))
    assert isinstance(answer, SelfDescription)
    figures = dict(answer.figures)
    assert (figures["reminders"], figures["invalid_lines"]) == (1, 1)
    assert figures["next_1"] == "Wed 2026-04-01 09:00 BST rid_AAAAAAAAAAAA"
    assert str(figures["last_look"]).startswith("2026-03-28T12:01:00")
    assert "secret" not in str(answer)
