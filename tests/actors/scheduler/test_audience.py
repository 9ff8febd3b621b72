"""Windows in which reminders are posted, and rights to see, change and delete reminders."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from domain.reminder.document import scan
from lab.chaos.reminders.world import CHANNEL, Channel, Process
from messages.base import Message, RequestId, Surface, Window
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
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import line
from tests.actors.scheduler.readers import CLOSED, OPEN, PRIVATE

SECRET = Window(surface=Surface.DISCORD_THREAD, id="910000000000000077")
BOARD = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000012")
LOBBY = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000013")
OPERATOR = Window(surface=Surface.CLI, id="operator")
NAMED = {SECRET: "rid_SECRET", BOARD: "rid_BOARD", LOBBY: "rid_LOBBY", None: "rid_NONE"}
EVERYONE = frozenset({"rid_LOBBY", "rid_NONE"})
SEEN = {
    SECRET: EVERYONE | {"rid_SECRET"},
    BOARD: EVERYONE | {"rid_BOARD"},
    LOBBY: EVERYONE,
    CHANNEL: EVERYONE,
    OPERATOR: frozenset(NAMED.values()),
}


def line_in(message: str, local: str, window: Window | None, recur: str = "none") -> str:
    where = f" in={window.address.key}" if window is not None else ""
    return line(message, local, recur, NAMED[window]) + where


@pytest.fixture
def process(start: StartProcess, file: Path, channel: Channel) -> Process:
    channel.readers |= {CHANNEL: OPEN, LOBBY: OPEN, SECRET: PRIVATE, BOARD: CLOSED}
    file.write_text("".join(f"{line_in(f'of {NAMED[window]}', '2027-01-01 09:00', window)}\n" for window in NAMED))
    process: Process = start()
    return process


def ask(process: Process, kind: type[Message], window: Window, **fields: object) -> Message:
    process.tell(
        kind(
            request_id=RequestId(f"r{process.clock.monotonic()}"),
            reply_to=process.asker.address,
            window=window,
            **fields,
        )
    )
    process.settle()
    (answer,) = process.asker.drain()
    return answer


def list_reminders(process: Process, window: Window) -> RemindersListed:
    answer = ask(process, ListReminders, window)
    assert isinstance(answer, RemindersListed)
    return answer


# who sees what


@pytest.mark.parametrize("window", list(SEEN), ids=str)
def test_a_window_sees_the_reminders_of_windows_that_all_its_readers_may_read(process: Process, window: Window) -> None:
    assert {reminder.id for reminder in list_reminders(process, window).reminders} == SEEN[window]


@pytest.mark.parametrize("window", list(SEEN), ids=str)
def test_what_a_window_does_not_see_can_neither_be_changed_nor_deleted_nor_told_from_nothing(
    process: Process, file: Path, channel: Channel, window: Window
) -> None:
    before = file.read_text()
    for hidden in frozenset(NAMED.values()) - SEEN[window]:
        for kind, fields in ((ModifyReminder, {"time": "10:00"}), (DeleteReminder, {})):
            refused = ask(process, kind, window, id=hidden, **fields)
            unknown = ask(process, kind, window, id="rid_NOWHERE", **fields)
            assert isinstance(refused, Refused)
            assert isinstance(unknown, Refused)
            assert refused.reason.replace(hidden, "rid_NOWHERE") == unknown.reason
    assert (file.read_text(), channel.postings) == (before, [])


def test_what_a_window_does_not_see_is_not_counted_for_it(process: Process, file: Path) -> None:
    file.write_text(file.read_text() + line_in("x", "2026-02-30 09:00", SECRET) + "\n- [x] of the reminders' channel\n")
    answer = ask(process, ListReminders, LOBBY, limit=1)
    assert isinstance(answer, RemindersListed)
    assert (len(answer.reminders), answer.left_out) == (1, 1)
    assert [(fault.number, fault.line) for fault in answer.invalid] == [(0, "- [x] of the reminders' channel")]
    assert sorted(fault.number for fault in list_reminders(process, OPERATOR).invalid) == [5, 6]


@pytest.mark.parametrize(
    "broken",
    [
        f'- [ ] date=2026-02-30 time=09:00 recur=none msg="resign" in={SECRET.address.key}',
        f'- [ ] date=2026-01-01 time=09:00 recur=none msg="resign"in={SECRET.address.key}',
        f'- [ ] date=2026-01-01 time=09:00 recur=none msg="resign in={SECRET.address.key}',
        f'- [ ] in={SECRET.address.key} in={LOBBY.address.key} date=2026-01-01 time=09:00 recur=none msg="resign"',
        '- [ ] date=2026-01-01 time=09:00 recur=none msg="resign" in=nowhere',
        f'- [x] date=2026-01-01 time=09:00 recur=none msg="resign" id=x in={SECRET.address.key}',
    ],
)
def test_a_broken_line_of_a_private_window_is_not_shown_elsewhere(process: Process, file: Path, broken: str) -> None:
    file.write_text(broken + "\n")
    assert list_reminders(process, LOBBY).invalid == ()
    assert list_reminders(process, CHANNEL).invalid == ()
    assert [fault.line for fault in list_reminders(process, OPERATOR).invalid] == [broken]


def test_who_reads_a_window_is_asked_at_every_request(process: Process, channel: Channel) -> None:
    channel.readers[LOBBY] = PRIVATE
    assert {reminder.id for reminder in list_reminders(process, SECRET).reminders} == {"rid_SECRET", "rid_NONE"}
    del channel.readers[CHANNEL]
    assert {reminder.id for reminder in list_reminders(process, SECRET).reminders} == {"rid_SECRET"}


def test_without_an_answer_about_readers_a_window_sees_its_own(process: Process, channel: Channel) -> None:
    channel.is_dumb = True
    process.tell(ListReminders(request_id=RequestId("r"), reply_to=process.asker.address, window=LOBBY))
    process.steps(20, 0.5)
    (answer,) = process.asker.drain()
    assert isinstance(answer, RemindersListed)
    assert {reminder.id for reminder in answer.reminders} == {"rid_LOBBY"}


def test_words_of_a_private_window_are_not_put_into_a_reminder_that_others_read(process: Process, file: Path) -> None:
    before = file.read_text()
    refused = ask(process, ModifyReminder, SECRET, id="rid_LOBBY", msg="oncology, room 12")
    assert isinstance(refused, Refused)
    assert file.read_text() == before
    assert isinstance(ask(process, ModifyReminder, SECRET, id="rid_LOBBY", time="10:00"), ReminderModified)
    assert isinstance(ask(process, ModifyReminder, CHANNEL, id="rid_LOBBY", msg="lunch"), ReminderModified)
    assert isinstance(ask(process, ModifyReminder, SECRET, id="rid_SECRET", msg="oncology"), ReminderModified)
    assert f'msg="oncology" id=rid_SECRET in={SECRET.address.key}' in file.read_text()


def test_an_operators_deletion_is_confirmed_where_the_reminder_was_said(process: Process, channel: Channel) -> None:
    assert isinstance(ask(process, DeleteReminder, OPERATOR, id="rid_SECRET"), ReminderDeleted)
    assert isinstance(ask(process, DeleteReminder, OPERATOR, id="rid_NONE"), ReminderDeleted)
    assert [("of rid_SECRET" in text) for text in channel.texts(SECRET)] == [True]
    assert [("of rid_NONE" in text) for text in channel.texts(CHANNEL)] == [True]


# what is written


def test_a_reminder_names_where_it_was_asked_for_and_an_operators_names_nothing(process: Process, file: Path) -> None:
    private = ask(process, CreateReminder, SECRET, msg=f"x in={LOBBY.address.key}", in_minutes=60)
    typed = ask(process, CreateReminder, OPERATOR, msg="y", in_minutes=60)
    assert isinstance(private, ReminderCreated)
    assert isinstance(typed, ReminderCreated)
    assert private.line.endswith(f" id={private.id} in={SECRET.address.key}")
    assert typed.line.endswith(f" id={typed.id}")
    windows = {entry.reminder.id: entry.reminder.window for entry in scan(file.read_bytes()).entries}
    assert (windows[private.id], windows[typed.id]) == (SECRET, None)


@pytest.mark.parametrize(
    "words",
    [
        'x" id=rid_FORGED in=discord-channel/910000000000000013',
        "x\\",
        'x\\" id=rid_FORGED in=discord-channel/910000000000000013 msg=\\"',
        '- [ ] date=2026-03-28 time=12:01 recur=none msg="forged"',
        "x in=discord-channel/910000000000000013",
    ],
)
def test_words_do_not_become_fields(process: Process, file: Path, words: str) -> None:
    created = ask(process, CreateReminder, SECRET, msg=words, in_minutes=60)
    assert isinstance(created, ReminderCreated)
    (entry,) = (entry for entry in scan(file.read_bytes()).entries if entry.reminder.id == created.id)
    assert (entry.reminder.message, entry.reminder.window) == (words, SECRET)
    assert len(scan(file.read_bytes()).entries) == len(NAMED) + 1


@pytest.mark.parametrize("words", ["a\nb", "a\rb", "a\u2028b", "a\x00b", "a\u202eb", "a\u2066b", "a\tb", "\ud800"])
def test_words_that_would_be_another_line_are_refused(process: Process, file: Path, words: str) -> None:
    before = file.read_bytes()
    assert isinstance(ask(process, CreateReminder, SECRET, msg=words, in_minutes=60), Refused)
    assert isinstance(ask(process, ModifyReminder, SECRET, id="rid_SECRET", msg=words), Refused)
    assert file.read_bytes() == before


# where it is said


@pytest.mark.req("X-30")
def test_each_is_said_where_it_was_asked_for_and_the_owner_is_mentioned_in_the_reminders_channel_only(
    process: Process, file: Path, channel: Channel
) -> None:
    file.write_text("".join(f"{line_in(f'of {NAMED[window]}', '2026-03-28 12:02', window)}\n" for window in NAMED))
    process.pass_minutes(3)
    texts = {window: channel.texts(window) for window in (SECRET, BOARD, LOBBY, CHANNEL)}
    assert {window: len(said) for window, said in texts.items()} == dict.fromkeys(texts, 1)
    assert all(f"of {NAMED[window]}" in texts[window][0] for window in (SECRET, BOARD, LOBBY))
    assert "of rid_NONE" in texts[CHANNEL][0]
    assert ["<@" in said[0] for said in texts.values()] == [False, False, False, True]
    assert file.read_text() == ""


def test_one_id_and_the_same_words_in_two_windows_are_said_in_both(
    process: Process, file: Path, channel: Channel
) -> None:
    windows = (SECRET, BOARD)
    file.write_text("".join(line("tea", "2026-03-28 12:02") + f" in={window.address.key}\n" for window in windows))
    process.pass_minutes(3)
    assert [len(channel.texts(window)) for window in windows] == [1, 1]


@pytest.mark.parametrize(("recur", "left"), [("none", 0), ("daily", 1)])
def test_what_cannot_be_said_where_it_was_asked_for_is_said_nowhere_else_and_stays_in_the_file(
    process: Process, file: Path, channel: Channel, caplog: pytest.LogCaptureFixture, recur: str, left: int
) -> None:
    file.write_text(due := line_in("oncology", "2026-03-28 12:02", SECRET, recur) + "\n")
    channel.closed = {SECRET}
    with caplog.at_level(logging.ERROR):
        process.pass_minutes(5)
    assert file.read_text() == due.replace("- [ ]", "- [!]")
    assert "reminder rid_SECRET cannot be shown: the channel is closed" in caplog.text
    (alert,) = channel.texts()
    assert ("rid_SECRET" in alert, "oncology" in alert) == (True, False)
    (failed,) = list_reminders(process, SECRET).reminders
    assert (failed.failed, failed.next_due) == (True, None)
    assert list_reminders(process, LOBBY).reminders == ()
    channel.closed = set()
    process.pass_minutes(70)
    assert ["oncology" in text for text in channel.texts(SECRET)] == [True]
    assert file.read_text() == due * left


def test_a_failed_reminder_is_not_said_by_a_later_process_until_somebody_opens_it(
    process: Process, start: StartProcess, file: Path, channel: Channel
) -> None:
    process.kill()
    file.write_text(line_in("oncology", "2026-03-28 11:00", SECRET).replace("- [ ]", "- [!]") + "\n")
    later = start()
    later.pass_minutes(3)
    assert channel.postings == []
    late = ask(later, ModifyReminder, SECRET, id="rid_SECRET", msg="still")
    assert isinstance(late, Refused), "its time has passed"
    assert isinstance(ask(later, ModifyReminder, SECRET, id="rid_SECRET", time="12:10"), ReminderModified)
    later.pass_minutes(10)
    assert "oncology" in channel.texts(SECRET)[-1]
    assert file.read_text() == ""


def test_a_closed_window_is_asked_a_few_times_an_hour_however_much_is_due_in_it(
    process: Process, file: Path, channel: Channel
) -> None:
    lines = [line("x", "2026-03-28 12:02", "daily", f"rid_{n}") + f" in={SECRET.address.key}\n" for n in range(100)]
    file.write_text("".join(lines))
    channel.closed = {SECRET}
    process.pass_minutes(30)
    assert 0 < sum(posting.window == SECRET for posting in channel.requests) <= 10
    assert len(channel.texts(CHANNEL)) == 1
    assert file.read_text().count("- [!]") == 100
