"""A file of reminders that has code and comments, or is in an encoding that the agent does not write."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from domain.edit.lines import BOM
from lab.chaos.reminders.world import CHANNEL, Channel, Process
from messages.base import Message, RequestId
from messages.scheduler import (
    CreateReminder,
    DeleteReminder,
    ListReminders,
    ModifyReminder,
    ReminderCreated,
    RemindersListed,
)
from messages.socket import Refused
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import line

DUE = line("tea", "2026-03-28 12:02", "none", "rid_TEA")
LATER = line("run", "2027-03-28 12:02", "none", "rid_RUN")
ENCODINGS = ["utf-16", "utf-16-le", "utf-16-be"]


def ask(process: Process, message: type[Message], number: int = 1, **fields: Any) -> Message:
    request_id = RequestId(f"r{number}")
    process.tell(message(request_id=request_id, reply_to=process.asker.address, window=CHANNEL, **fields))
    process.settle()
    (answer,) = process.asker.drain()
    return answer


def refusal(process: Process, message: type[Message], **fields: Any) -> str:
    answer = ask(process, message, **fields)
    assert isinstance(answer, Refused)
    return answer.reason


@pytest.mark.req("X-206")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_examples_are_not_said_and_only_the_line_that_was_said_goes(
    start: StartProcess, file: Path, channel: Channel, end: str, mark: str
) -> None:
    example = line("example", "2026-03-28 12:02", "none", "rid_EXAMPLE")
    before = ["---", example, "---", "```md", DUE, example, "```", "<!--", example, "", "-->", "%%", example, "%%"]
    after = [f"    {example}", "", "~~~", DUE, example, LATER]
    file.write_bytes((mark + end.join([*before, DUE, *after])).encode())

    start().pass_minutes(3)

    assert [text.splitlines()[0] for text in channel.texts()] == ["⏰ <@810000000000000007> tea"]
    assert file.read_bytes() == (mark + end.join([*before, *after])).encode()


def test_a_line_without_an_id_gets_none_in_code(start: StartProcess, file: Path, channel: Channel) -> None:
    bare = line("tea", "2026-03-28 12:02", "none", "")
    file.write_text(f"```\n{bare}\n```\n")

    start().pass_minutes(3)

    assert channel.texts() == []
    assert file.read_text() == f"```\n{bare}\n```\n"


def test_a_reminder_that_is_asked_for_goes_above_a_block_that_nothing_closes(start: StartProcess, file: Path) -> None:
    file.write_text("# Mine\n\n```\nexample\n")
    process = start()

    answer = ask(process, CreateReminder, msg="stretch", in_minutes=300)

    assert isinstance(answer, ReminderCreated)
    assert file.read_text() == f"# Mine\n\n{answer.line}\n```\nexample\n"
    listed = ask(process, ListReminders, number=2)
    assert isinstance(listed, RemindersListed)
    assert [one.id for one in listed.reminders] == [answer.id]


def test_an_id_that_stands_in_code_only_names_no_reminder(start: StartProcess, file: Path) -> None:
    file.write_text(f"```\n{LATER}\n```\n")
    process = start()

    assert refusal(process, DeleteReminder, id="rid_RUN") == "no reminder has the id 'rid_RUN'"
    assert refusal(process, ModifyReminder, id="rid_RUN", msg="x") == "no reminder has the id 'rid_RUN'"
    assert file.read_text() == f"```\n{LATER}\n```\n"


@pytest.mark.req("X-206")
@pytest.mark.parametrize(
    "data",
    [
        *(f"# Mine\r\n{LATER}\r\n".encode(name) for name in ENCODINGS),
        f"# Café\n{LATER}\n".encode("latin-1"),
        f"{LATER}\n# 日本\n".encode("shift-jis"),
        f"{LATER}\n".encode() + "more\r\n".encode("utf-16-le"),  # PowerShell/PowerShell#9194: `>>` adds UTF-16
        f"{LATER}\n€".encode()[:-1],
        b"\0" * 64,
    ],
)
def test_a_file_that_is_not_in_utf_8_is_never_written_and_that_is_said_once(
    start: StartProcess, file: Path, channel: Channel, caplog: pytest.LogCaptureFixture, data: bytes
) -> None:
    # letta-ai/letta-code#2669, sftwrdotdev/Markpad#372: notes in other encodings were mixed or destroyed on saving.
    file.write_bytes(data)
    process = start()
    with caplog.at_level(logging.ERROR):
        requests: tuple[tuple[type[Message], dict[str, Any]], ...] = (
            (CreateReminder, {"msg": "stretch", "in_minutes": 300}),
            (ModifyReminder, {"id": "rid_RUN", "msg": "x"}),
            (DeleteReminder, {"id": "rid_RUN"}),
        )
        for message, fields in requests:
            reason = refusal(process, message, **fields)
            assert reason.startswith("the reminders' file ")
            assert reason.endswith("save it in UTF-8: until then the agent does not write to it")
        process.pass_minutes(5)

    assert file.read_bytes() == data
    assert sorted(path.name for path in file.parent.iterdir() if path.name != "spare") == ["reminders.md"]
    assert len([record for record in caplog.records if "UTF-8" in record.getMessage()]) == 1
    assert [text.startswith(f"⚠️ Reminders: {file}: ") for text in channel.texts()] == [True]


def test_the_log_names_the_file_and_the_rule(start: StartProcess, file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.write_bytes(DUE.encode("utf-16"))

    start().pass_minutes(2)

    assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [
        f"{file}: is in UTF-16 or UTF-32, and only UTF-8 is read; save it in UTF-8: until then the agent does not write to it"
    ]


@pytest.mark.parametrize("name", ENCODINGS)
def test_what_was_known_before_the_file_was_saved_in_utf_16_is_said_and_goes_when_it_is_well_again(
    start: StartProcess, file: Path, channel: Channel, name: str
) -> None:
    text = f"{DUE}\n{LATER}\n"
    file.write_text(text)
    process = start()
    process.settle()
    file.write_bytes(text.encode(name))
    process.pass_minutes(4)
    assert ["> tea\n" in shown for shown in channel.texts()] == [False, True]
    assert file.read_bytes() == text.encode(name)

    file.write_text(text)
    process.pass_minutes(2)

    assert file.read_text() == f"{LATER}\n"
    assert ["> tea\n" in shown for shown in channel.texts()] == [False, True, *([False] * (len(channel.texts()) - 2))]


def test_what_fell_due_in_a_file_that_was_never_readable_is_said_when_it_is_well(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    daily = line("walk", "2026-03-20 12:02", "daily", "rid_WALK")
    file.write_bytes(f"{DUE}\n{daily}\n".encode("utf-16"))
    process = start()
    process.pass_minutes(4)
    assert ["UTF-16" in shown for shown in channel.texts()] == [True]

    file.write_text(f"{DUE}\n{daily}\n")
    process.pass_minutes(1)

    assert sorted(text.splitlines()[0].split()[-1] for text in channel.texts()[1:]) == ["tea", "walk"]
    assert file.read_text() == f"{daily}\n"


def test_the_lines_that_can_be_read_of_a_file_with_other_bytes_are_said_and_listed(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    data = f"# Café\n{DUE}\n{LATER}\n".encode("latin-1")
    file.write_bytes(data)
    process = start()
    process.pass_minutes(4)

    assert ["> tea\n" in text for text in channel.texts()].count(True) == 1
    assert file.read_bytes() == data
    listed = ask(process, ListReminders)
    assert isinstance(listed, RemindersListed)
    assert [one.id for one in listed.reminders] == ["rid_TEA", "rid_RUN"]


def test_a_list_of_a_file_of_which_no_line_can_be_read_is_refused_and_not_empty(
    start: StartProcess, file: Path
) -> None:
    file.write_bytes(LATER.encode("utf-16"))

    assert refusal(start(), ListReminders).startswith("the reminders' file is in UTF-16 or UTF-32")


def test_a_mark_at_the_head_stays_and_is_no_part_of_the_first_line(start: StartProcess, file: Path) -> None:
    file.write_bytes(BOM + f"{LATER}\r\n".encode())
    process = start()

    answer = ask(process, CreateReminder, msg="x", in_minutes=5)

    assert isinstance(answer, ReminderCreated)
    assert file.read_bytes() == BOM + f"{LATER}\r\n{answer.line}\r\n".encode()
