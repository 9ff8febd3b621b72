"""Requests to the scheduler: list, add, change and delete reminders."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.reminder.document import scan
from lab.chaos.reminders.world import CHANNEL, Channel
from messages.base import RequestId, Surface, Window
from messages.forget import DerivedForgotten
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
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import at, line
from tests.actors.scheduler.readers import OPEN
from tests.forget_requests import forget_request

THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")


@pytest.fixture(autouse=True)
def _everybody_reads_both(channel: Channel) -> None:
    channel.readers |= {CHANNEL: OPEN, THREAD: OPEN}


def ask(process: object, message: object) -> object:
    from lab.chaos.reminders.world import Process

    assert isinstance(process, Process)
    process.tell(message)  # type: ignore[arg-type]
    process.settle()
    (answer,) = process.asker.drain()
    return answer


@pytest.mark.req("S0-144", "S0-146", "X-29")
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


@pytest.mark.req("S0-128", "S0-130")
def test_ids_cannot_be_guessed_and_one_that_stands_in_the_file_is_not_given(
    start: StartProcess, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start()
    tokens = iter(["aaaaaaaaaaaabbbb", "ccccccccccccdddd"])
    monkeypatch.setattr(process.system, "new_token", lambda: next(tokens))
    file.write_text(line("by hand", "2027-01-01 09:00"))
    wish = CreateReminder(
        request_id=RequestId("r1"),
        reply_to=process.asker.address,
        window=THREAD,
        msg="tea",
        date="2026-03-29",
        time="09:00",
    )
    answer = ask(process, wish)
    assert isinstance(answer, ReminderCreated)
    assert answer.id == "rid_CCCCCCCCCCCC"


def test_a_line_in_which_something_hides_is_posted_character_for_character_beside_what_is_shown(
    start: StartProcess, channel: Channel
) -> None:
    process = start()
    wish = CreateReminder(
        request_id=RequestId("r1"),
        reply_to=process.asker.address,
        window=THREAD,
        msg="pay\u200bme ```",
        date="2026-03-29",
        time="09:00",
    )
    answer = ask(process, wish)
    assert isinstance(answer, ReminderCreated)
    (posting,) = channel.requests
    assert posting.exact == answer.line
    assert "\u200b" not in posting.text


@pytest.mark.req("S0-127", "S0-141")
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
    assert (file.read_text(), channel.postings) == (same, [])


@pytest.mark.req("S0-142")
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
    assert (file.read_text(), channel.postings) == (text, [])


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
    assert channel.postings == []


def test_a_request_that_is_handled_twice_adds_one_line(start: StartProcess, file: Path, channel: Channel) -> None:
    process = start()
    wish = CreateReminder(
        request_id=RequestId("r1"), reply_to=process.asker.address, window=THREAD, msg="x", in_minutes=60
    )
    first, second = ask(process, wish), ask(process, wish)
    assert first == second
    assert len(scan(file.read_bytes()).entries) == len(channel.postings) == 1


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
    assert [(invalid.number, invalid.line) for invalid in answer.invalid] == [(0, "- [x] done")]


@pytest.mark.req("X-27")
def test_a_command_lines_scheduler_serves_requests_and_says_nothing_by_itself(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(tea := line("tea", "2026-03-28 12:00") + "\n")
    process = start(fires=False)
    process.pass_minutes(2)
    assert (channel.postings, file.read_text()) == ([], tea)
    window = Window(surface=Surface.CLI, id="turn")
    wish = CreateReminder(
        request_id=RequestId("r1"), reply_to=process.asker.address, window=window, msg="x", in_minutes=60
    )
    assert isinstance(ask(process, wish), ReminderCreated)
    assert len(channel.postings) == 1


def test_it_describes_itself_without_saying_what_the_reminders_say(start: StartProcess, file: Path) -> None:
    file.write_text(line("secret words", "2026-04-01 09:00") + "\n- [x] done\n")
    process = start()
    process.pass_minutes(1)
    answer = ask(process, DescribeYourself(request_id=RequestId("r1"), reply_to=process.asker.address))
    assert isinstance(answer, SelfDescription)
    figures = dict(answer.operator_figures)
    assert (figures["reminders"], figures["invalid_lines"]) == (1, 1)
    assert figures["next_1"] == "Wed 2026-04-01 09:00 BST rid_AAAAAAAAAAAA"
    assert "secret" not in str(answer)
    assert figures.keys().isdisjoint(dict(answer.figures))
    assert dict(answer.figures).keys() == {"state", "last_look", "last_look_ms"}
    assert dict(answer.figures)["state"] == "working"
    assert str(dict(answer.figures)["last_look"]).startswith("2026-03-28T12:01:00")
    assert [told for told in ("rid_", str(file), "09:00") if told in str(answer.figures)] == []


@pytest.mark.req("S0-147")
def test_a_confirmation_that_cannot_be_shown_is_an_error_in_the_log_and_changes_nothing(
    start: StartProcess, file: Path, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    process = start()
    channel.closed.add(THREAD)
    wish = CreateReminder(
        request_id=RequestId("r1"),
        reply_to=process.asker.address,
        window=THREAD,
        msg="tea",
        date="2026-03-29",
        time="09:00",
    )
    answer = ask(process, wish)
    process.settle()
    assert isinstance(answer, ReminderCreated)
    assert file.read_text() == answer.line + "\n"
    assert channel.texts() == []
    assert "confirm-r1 was not shown: the channel is closed" in caplog.text


@pytest.mark.req("X-250")
def test_reminders_of_a_forgotten_window_stay_and_are_told(start: StartProcess, file: Path) -> None:
    process = start()
    for window in (THREAD, CHANNEL):
        wish = CreateReminder(
            request_id=RequestId(f"r{window.id}"),
            reply_to=process.asker.address,
            window=window,
            msg="tea",
            date="2026-03-29",
            time="01:30",
        )
        ask(process, wish)
    before = file.read_bytes()

    answer = ask(process, forget_request(process.asker.address, THREAD, "t1", whole=True))

    assert isinstance(answer, DerivedForgotten)
    assert (answer.room, answer.count) == ("scheduler", 0)
    assert answer.note.startswith("1 reminders of this conversation stay")
    assert file.read_bytes() == before
