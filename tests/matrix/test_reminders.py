"""Rows 24-31: the reminders' file is absent, half saved, odd, huge, elsewhere, or in two versions."""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from actors.edited_file.access import EDITED_BYTES
from actors.linux.disk import Disk, RealDisk
from domain.reminder.document import scan
from lab.chaos.editor import Saver
from lab.chaos.reminders.race import race
from lab.chaos.reminders.world import Channel, Process, ProcessConfig
from messages.base import Message, RequestId
from messages.scheduler import CreateReminder, ReminderCreated
from messages.socket import Refused
from tests.actors.context.rig import CHANNEL
from tests.actors.edited_file.test_file import LINE, WithoutExchange, rewrite
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.lines import line

TEA = line("tea", "2026-03-28 12:01")


def ask_for(process: Process, message: str = "buy bread") -> list[Message]:
    """Reply to a request for a reminder."""
    request = CreateReminder(
        request_id=RequestId("c"),
        reply_to=process.asker.address,
        window=CHANNEL,
        msg=message,
        date="2026-04-01",
        time="09:00",
        recur="none",
    )
    process.tell(request)
    process.settle()
    return list(process.asker.drain())


def create(process: Process) -> ReminderCreated:
    """A request for a reminder, granted."""
    (created,) = [reply for reply in ask_for(process) if isinstance(reply, ReminderCreated)]
    return created


def is_there_again(process: Process, file: Path, channel: Channel) -> bool:
    """True if a line that is added now is posted."""
    before = len(channel.postings)
    file.write_text(f"{line('here', f'{process.clock.now():%Y-%m-%d %H:%M}')}\n")
    process.pass_minutes(2)
    return len(channel.postings) == before + 1 and "here" in channel.texts()[-1]


def test_row_24_without_a_file_there_are_no_reminders_and_one_that_comes_is_used(
    start: StartProcess, file: Path, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    process = start()
    process.pass_minutes(3)
    assert (channel.postings, len(caplog.records) <= 1) == ([], True)
    assert is_there_again(process, file, channel)


def test_row_24_without_its_folder_there_are_none_and_a_request_hears_what_to_do(
    tmp_path: Path, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    """The folder may be a vault whose disk is not mounted: it is not made."""
    process = Process(tmp_path / "vault" / "deeper", channel, START, ProcessConfig(spare=tmp_path / "spare"))
    try:
        process.pass_minutes(3)
        assert (channel.postings, len(caplog.records) <= 1) == ([], True)
        (refused,) = ask_for(process)
        assert isinstance(refused, Refused)
        assert "its folder does not exist" in refused.reason
        assert not process.file.parent.exists()
        process.file.parent.mkdir(parents=True)
        created = create(process)
        assert created.line in process.file.read_text()
    finally:
        process.system.stop()


def test_row_24_a_file_that_may_not_be_read_is_one_warning_and_no_crash(
    start: StartProcess, file: Path, channel: Channel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text(TEA + "\n")
    real, is_denied = os.open, [True]

    def deny_open(path: Any, *arguments: Any, **options: Any) -> int:
        if is_denied[0] and str(path) == str(file):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", deny_open)  # a test may run as root, to whom nothing is denied
    process = start()
    with caplog.at_level(logging.WARNING):
        process.pass_minutes(5)
    assert len([text for text in caplog.messages if "ermission denied" in text]) == 1
    assert [text for text in channel.texts() if "tea" in text] == []
    is_denied[0] = False
    process.pass_minutes(2)
    assert "tea" in channel.texts()[-1]


@pytest.mark.parametrize("half", [b"", TEA.encode()[:40], b"\0" * 200], ids=["empty", "half", "zeros"])
def test_row_25_a_file_that_is_being_saved_is_let_be(
    start: StartProcess, file: Path, channel: Channel, half: bytes
) -> None:
    """An editor that empties the file and writes it anew, caught in between at every look."""
    whole = f"# Mine\n{TEA}\n{line('bread', '2026-03-28 12:01', reminder_id='rid_B')}\n".encode()
    file.write_bytes(whole)
    process = start()
    process.settle()
    process.clock.advance(29.5)
    for number in range(40):
        file.write_bytes(half if number % 2 else whole)
        process.steps(1, 0.001)
        assert file.read_bytes() in (half, whole), "nothing is fired or deleted on half a file"
    assert channel.postings == []
    file.write_bytes(whole)
    process.pass_minutes(2)
    assert [sum(f"> {word}\n" in text for text in channel.texts()) for word in ("tea", "bread")] == [1, 1]
    assert file.read_text() == "# Mine\n"


@pytest.mark.req("S0-110", "S0-149")
@pytest.mark.parametrize("saver", Saver)
def test_row_26_no_edit_of_a_person_is_lost_to_ours(tmp_path: Path, saver: Saver) -> None:
    """`bin/agent chaos reminders` does a thousand rounds."""
    report = race(tmp_path, saver, rounds=30, seed="row 26")
    assert report.human_lost == 0, report
    assert report.is_sound, report
    assert report.human_edits >= 10


ODD: dict[str, bytes] = {
    "CRLF": b"# Mine\r\n- [x] done\r\n",
    "mixed": b"# Mine\r\n- [x] done\n- [ ] what\r\r\n",
    "BOM": b"\xef\xbb\xbf# Mine\n",
    "no final newline": b"# Mine\n- [x] done",
    "invalid UTF-8": b"\xff\xfe\x80 caf\xe9\n# Mine\n",
    "NUL": b"# Mi\0ne\n",
    "a line of 1 MB": b"x" * 1_000_000 + b"\n# Mine\n",
    "100,000 lines": b"- [ ] not a reminder, only a thought\n" * 100_000,
}


def check_odd(start: StartProcess, file: Path, channel: Channel, others: bytes) -> None:
    """Beside `others` a reminder is said and its line goes, another is made; all other bytes stay."""
    file.write_bytes(TEA.encode() + b"\n" + others if not others.startswith(b"\xef") else others + TEA.encode() + b"\n")
    process = start()
    process.pass_minutes(2)
    assert ["tea" in text for text in channel.texts()] == [True]
    assert file.read_bytes() == others
    created = create(process)
    data = file.read_bytes()
    assert data.startswith(others.rstrip(b"\n"))
    assert data.count(created.line.encode()) == 1
    assert len(data) <= len(others) + len(created.line.encode()) + 2


@pytest.mark.parametrize("name", ["CRLF", "mixed", "BOM", "no final newline"])
def test_row_27_line_ends_marks_and_a_missing_last_newline_stay_as_they_are(
    start: StartProcess, file: Path, channel: Channel, name: str
) -> None:
    check_odd(start, file, channel, ODD[name])


@pytest.mark.parametrize("name", ["invalid UTF-8", "NUL"])
def test_row_28_what_is_not_in_utf_8_is_never_written_and_its_other_lines_are_said(
    start: StartProcess, file: Path, channel: Channel, name: str
) -> None:
    data = TEA.encode() + b"\n" + ODD[name]
    file.write_bytes(data)
    process = start()
    process.pass_minutes(5)
    assert [("tea" in text, "UTF-8" in text) for text in channel.texts()] == [(False, True), (True, False)]
    process.tell(CreateReminder(request_id=RequestId("r"), reply_to=process.asker.address, window=CHANNEL, msg="x"))
    process.settle()
    assert [type(answer) for answer in process.asker.drain()] == [Refused]
    assert file.read_bytes() == data


@pytest.mark.parametrize("name", ["a line of 1 MB", "100,000 lines"])
def test_row_28_what_is_no_reminder_stays_byte_for_byte(
    start: StartProcess, file: Path, channel: Channel, name: str
) -> None:
    check_odd(start, file, channel, ODD[name])


def test_row_28_of_a_file_beyond_the_limit_people_are_told_once_and_nothing_is_written(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    data = TEA.encode() + b"\n" + (b"x" * 1023 + b"\n") * (EDITED_BYTES // 1024 + 1)
    file.write_bytes(data)
    start().pass_minutes(4)
    assert len([text for text in channel.texts() if "more than 8 MiB" in text]) == 1
    assert file.read_bytes() == data


@pytest.mark.parametrize("disk", [RealDisk(), WithoutExchange()], ids=["exchange", "no exchange"])
@pytest.mark.parametrize("is_link", [True, False], ids=["link", "file"])
def test_row_29_a_link_stays_one_and_a_file_system_without_exchange_will_do(
    tmp_path: Path, disk: Disk, is_link: bool
) -> None:
    """The data root lies on another file system than the vault in neither case: only the vault's own counts."""
    (tmp_path / "vault").mkdir()
    real = tmp_path / "vault" / "real.md"
    real.write_bytes(b"# Mine\n")
    path = tmp_path / "r.md" if is_link else real
    if is_link:
        path.symlink_to(real)
    rewrite(path, disk=disk)
    assert path.is_symlink() == is_link
    assert real.read_text() == f"# Mine\n{LINE}\n"
    assert [entry.name for entry in (tmp_path / "vault").iterdir() if entry.name.endswith(".agent")] == []


def test_row_29_a_vault_on_another_file_system_keeps_its_spare_files_beside_it(
    tmp_path: Path, channel: Channel
) -> None:
    shared = Path("/dev/shm")
    if not shared.is_dir() or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system at /dev/shm")
    vault = shared / f"vault-{os.getpid()}"
    vault.mkdir()
    try:
        (vault / "r.md").write_text("# Mine\n")
        (tmp_path / "reminders.md").symlink_to(vault / "r.md")
        process = Process(tmp_path, channel, START)
        created = create(process)
        process.system.stop()
        assert (vault / "r.md").read_text() == f"# Mine\n{created.line}\n"
        assert (tmp_path / "reminders.md").is_symlink()
    finally:
        for left in vault.iterdir():
            left.unlink()
        vault.rmdir()


def test_row_30_a_sync_conflict_copy_is_named_once_and_not_read(
    start: StartProcess, file: Path, channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text("# Mine\n")
    copy = file.with_name("reminders.sync-conflict-20260328-120000-ABCDEFG.md")
    copy.write_text(TEA + "\n")
    with caplog.at_level(logging.WARNING):
        start().pass_minutes(3)
    assert (caplog.text.count(copy.name), channel.postings) == (1, [])
    assert copy.read_text() == TEA + "\n"


def test_row_31_an_id_that_stands_twice_fires_both_and_one_taken_out_by_hand_is_given_anew(
    start: StartProcess, file: Path, channel: Channel
) -> None:
    file.write_text(
        f"{line('one', '2026-03-28 12:00')}\n{line('two', '2026-03-28 12:00')}\n"
        f"{line('three', '2027-01-01 12:00', reminder_id='')}\n"
    )
    start().pass_minutes(2)
    assert sorted("one" in text or "two" in text for text in channel.texts()) == [True, True]
    (left,) = scan(file.read_bytes()).entries
    assert (left.reminder.message, left.reminder.id.startswith("rid_")) == ("three", True)
