"""Notes of what is owed: each survives a power loss, and no other file is believed."""

from __future__ import annotations

import errno
import os
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from actors.scheduler.owed import FOLDER, OwedConfirmations
from lab.chaos.reminders.world import Channel
from tests.actors.scheduler.conftest import START, StartProcess
from tests.actors.scheduler.owing import (
    OLD,
    THREAD,
    after,
    killed_before_people_were_told,
    mend,
    note,
    notes,
    relayed,
    spoil,
)
from tests.recording_disk import RecordingDisk


@pytest.fixture(autouse=True)
def reminders_file(file: Path) -> None:
    """A reminders' file: without the file, the past is unknown."""
    file.write_text(OLD + "\n")


@pytest.mark.parametrize("fails_at", [None, 1, 2, 3])
def test_a_note_that_is_kept_survives_a_power_loss(tmp_path: Path, fails_at: int | None) -> None:
    disk, calls = RecordingDisk(), 0

    def fail(call: str, _data: bytes) -> None:
        nonlocal calls
        calls += call == "sync_folder"
        if call == "sync_folder" and calls == fails_at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    disk.before = fail
    owed = OwedConfirmations(tmp_path / "spare", disk)
    if fails_at is not None:
        with pytest.raises(OSError, match="Input/output error"):
            owed.keep(note())
        assert owed.note_of(note().request_id) is None
        assert notes(tmp_path / "file") == []
    owed.keep(note())
    (path,) = notes(tmp_path / "file")
    assert disk.surviving(path) == path.read_bytes()
    disk.lose_power()
    assert OwedConfirmations(tmp_path / "spare", disk).earlier_notes() == [note()]


def test_one_that_is_owed_again_after_it_was_dropped_is_kept_again(tmp_path: Path) -> None:
    disk = RecordingDisk()
    owed = OwedConfirmations(tmp_path / "spare", disk)
    owed.keep(note())
    owed.drop(note().request_id)
    assert notes(tmp_path / "file") == []
    owed.keep(note())
    spoil(disk, "unlink")
    owed.drop(note().request_id)
    mend(disk)
    owed.keep(note())
    owed.tidy()
    assert OwedConfirmations(tmp_path / "spare", disk).earlier_notes() == [note()]


def test_what_is_left_is_told_oldest_first(tmp_path: Path) -> None:
    owed = OwedConfirmations(tmp_path / "spare", RecordingDisk())
    expected = [
        msgspec.structs.replace(note(request_id=f"confirm-{number}"), at=START + timedelta(seconds=number))
        for number in range(20)
    ]
    for each in reversed(expected):
        owed.keep(each)
    assert OwedConfirmations(tmp_path / "spare", RecordingDisk()).earlier_notes() == expected


@pytest.mark.parametrize("data", [b"", b'{"request_id": "confirm-r1"}', b"\0" * 300])
def test_what_is_no_note_is_taken_away_with_a_word(
    start: StartProcess, channel: Channel, file: Path, caplog: pytest.LogCaptureFixture, data: bytes
) -> None:
    folder = file.parent / "spare" / FOLDER
    folder.mkdir(parents=True)
    (folder / "abc.json").write_bytes(data)
    start().pass_minutes(1)
    assert notes(file) == []
    assert f"{folder / 'abc.json'} is not a note of a confirmation" in caplog.text
    assert channel.requests == []


def test_a_note_that_cannot_be_read_stays_and_the_others_are_posted(
    start: StartProcess, channel: Channel, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    process = killed_before_people_were_told(start, channel)
    (file.parent / "spare" / FOLDER / "folder.json").mkdir()
    after(process, start).pass_minutes(2)
    assert len(channel.texts(THREAD)) == 1
    assert [note.name for note in notes(file)] == ["folder.json"]
    assert "its confirmation is not shown" in caplog.text


def test_a_note_that_cannot_be_taken_away_is_tried_again(
    start: StartProcess, channel: Channel, file: Path, disk: RecordingDisk
) -> None:
    process = start()
    spoil(disk, "unlink", when=lambda _data: bool(notes(file)))
    relayed(process)
    assert len(notes(file)) == 1
    mend(disk)
    process.pass_minutes(1)
    assert notes(file) == []
    assert len(channel.requests) == 1


def test_what_a_disk_that_refuses_everything_left_of_a_note_goes_when_it_is_well_again(
    start: StartProcess, channel: Channel, file: Path, disk: RecordingDisk
) -> None:
    process = start()
    is_full = False

    def fail(call: str, data: bytes) -> None:
        nonlocal is_full
        is_full |= call == "write" and b"request_id" in data
        if is_full and call in ("write", "unlink"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    disk.before = fail
    relayed(process)
    assert len(notes(file)) == 1
    mend(disk)
    process.pass_minutes(1)
    assert notes(file) == []
    assert channel.requests == []
