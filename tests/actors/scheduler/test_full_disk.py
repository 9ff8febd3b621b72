"""A full disk: what is due is said all the same, and once, though neither its id nor its end can be written."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from pathlib import Path

import pytest

from actors.edited_file.displaced import draft_path, leftover_path
from lab.chaos.reminders.world import Channel
from messages.base import Surface, Window
from tests.actors.scheduler.conftest import StartProcess
from tests.actors.scheduler.lines import line
from tests.recording_disk import RecordingDisk, TornWrite

BARE = line("tea", "2026-03-28 12:01", reminder_id="")
THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")
EVERY_DAY = line("medicine", "2026-01-01 12:01", "daily", reminder_id="")


def fill(disk: RecordingDisk) -> None:
    def full(call: str, _data: bytes) -> None:
        if call == "write":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    disk.before = full


def make_room(disk: RecordingDisk) -> None:
    disk.before = lambda _call, _data: None


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("bare", [BARE, EVERY_DAY])
def test_what_was_said_without_an_id_is_not_said_again_when_there_is_room_for_it(
    start: StartProcess, file: Path, channel: Channel, disk: RecordingDisk, bare: str, *, is_killed: bool
) -> None:
    file.write_text(bare + "\n")
    fill(disk)
    process = start(catchup_hours=12)
    process.pass_minutes(3)
    assert (len(channel.postings), file.read_text()) == (1, bare + "\n")
    if is_killed:
        process.kill()
        make_room(disk)
        process = start(process.clock.now() + timedelta(minutes=10), catchup_hours=12)
    make_room(disk)
    process.pass_minutes(3)

    assert len(channel.postings) == 1
    assert file.read_text() == "" if bare == BARE else " id=rid_" in file.read_text()


def test_a_posting_of_which_nothing_was_heard_is_tried_again_under_its_own_name(
    start: StartProcess, file: Path, channel: Channel, disk: RecordingDisk
) -> None:
    file.write_text(BARE + "\n")
    fill(disk)
    channel.is_mute = True
    process = start()
    process.pass_minutes(3)
    process.kill()
    make_room(disk)
    channel.is_mute = False
    start(process.clock.now() + timedelta(minutes=1)).pass_minutes(3)

    assert len({(posting.nonce, posting.mark) for posting in channel.requests}) == 1
    assert (len(channel.postings), file.read_text()) == (1, "")


@pytest.mark.parametrize(("recur", "left"), [("daily", 1), ("none", 0)])
def test_a_line_that_was_shown_after_a_refusal_does_not_stay_marked_once_there_is_room(
    start: StartProcess, file: Path, channel: Channel, disk: RecordingDisk, recur: str, left: int
) -> None:
    file.write_text(medicine := line("medicine", "2026-03-28 12:01", recur) + f" in={THREAD.address.key}\n")
    channel.closed.add(THREAD)
    process = start()
    process.pass_minutes(2)
    assert file.read_text().startswith("- [!] ")
    channel.closed.clear()
    fill(disk)
    process.pass_minutes(62)
    assert (len(channel.texts(THREAD)), file.read_text()[:6]) == (1, "- [!] ")
    make_room(disk)
    process.pass_minutes(3)
    assert (len(channel.texts(THREAD)), file.read_text()) == (1, medicine * left)


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_recurring_reminder_that_was_refused_while_the_disk_was_full_is_marked_or_shown_later(
    start: StartProcess, file: Path, channel: Channel, disk: RecordingDisk, *, is_killed: bool
) -> None:
    medicine = line("medicine", "2026-03-01 12:01", "daily") + f" in={THREAD.address.key}\n"
    file.write_text(medicine)
    channel.closed.add(THREAD)
    fill(disk)
    process = start(catchup_hours=12)
    process.pass_minutes(3)
    assert file.read_text() == medicine
    make_room(disk)
    if is_killed:
        process.kill()
        process = start(process.clock.now() + timedelta(minutes=1), catchup_hours=12)
    process.pass_minutes(3)
    assert file.read_text() == medicine.replace("- [ ]", "- [!]")
    channel.closed.clear()
    process.pass_minutes(62)
    assert (len(channel.texts(THREAD)), file.read_text()) == (1, medicine)


def test_who_writes_the_same_line_again_is_told_again(start: StartProcess, file: Path, channel: Channel) -> None:
    process = start()
    for count in (1, 2, 3):
        file.write_text(BARE + "\n")
        process.pass_minutes(3)
        assert (len(channel.postings), file.read_text()) == (count, "")


@pytest.mark.parametrize("number", range(1, 5))
def test_a_kill_inside_of_a_write_takes_no_line_of_anybody_and_leaves_nothing(
    start: StartProcess, file: Path, channel: Channel, disk: RecordingDisk, number: int
) -> None:
    words = f"{BARE}\n# Words of a person\n" + "- [ ] later, not a reminder\n" * 50
    file.write_text(words)
    writes = 0

    def tear(call: str, data: bytes) -> None:
        nonlocal writes
        writes += call == "write"
        if call == "write" and writes == number:
            disk.before = die
            raise TornWrite(data[: len(data) // 2], OSError(errno.EIO, "killed"))

    def die(_call: str, _data: bytes) -> None:
        raise OSError(errno.EIO, "killed")  # whoever is dead takes nothing away

    disk.before = tear
    process = start()
    process.pass_minutes(2)
    assert writes >= number
    process.kill()
    make_room(disk)
    start(process.clock.now() + timedelta(minutes=1)).pass_minutes(4)

    assert file.read_text() == words.removeprefix(f"{BARE}\n")
    assert len(channel.postings) == 1
    assert [path.name for path in file.parent.iterdir() if ".agent" in path.name] == []
    assert [path.name for path in (file.parent / "spare").iterdir() if ".base" in path.name] == []


@pytest.mark.parametrize("left", [b"", b"# Words", b"# Words\0\0\0\0"])
def test_what_a_power_loss_left_of_a_displaced_version_cuts_nothing_short(
    start: StartProcess, file: Path, left: bytes
) -> None:
    digest = "0123456789abcdef" * 2
    file.write_text("# Words of a person\nmore of them\n")
    leftover_path(file, digest).write_bytes(left)
    draft_path(leftover_path(file, digest)).write_bytes(b"half")
    (file.parent / "spare").mkdir()
    (file.parent / "spare" / f"{digest}.base").write_bytes(file.read_bytes())
    (file.parent / "spare" / f"{digest[::-1]}.base").write_bytes(b"")
    start().pass_minutes(3)

    assert file.read_text() == "# Words of a person\nmore of them\n"
    assert not [path for path in file.parent.iterdir() if ".agent" in path.name]
    assert not [path for path in (file.parent / "spare").iterdir() if ".base" in path.name]


def test_what_is_displaced_is_safe_before_another_version_takes_its_place(
    start: StartProcess, file: Path, disk: RecordingDisk
) -> None:
    fd = disk.open(file, os.O_WRONLY | os.O_CREAT)
    disk.sync_folder(file.parent)
    disk.write(fd, f"{EVERY_DAY}\n".encode())
    os.close(fd)
    assert disk.surviving(file) == b""
    surviving = []

    def look(call: str, _data: bytes) -> None:
        if call == "exchange":
            surviving.append(disk.surviving(file))

    disk.before = look
    start().pass_minutes(2)
    assert surviving == [f"{EVERY_DAY}\n".encode()]
