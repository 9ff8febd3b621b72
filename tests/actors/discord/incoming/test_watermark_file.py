"""The file of watermarks on its disk: what is written survives, what fails costs nothing that stood there."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

import pytest

from actors.discord.incoming.watermark_file import _SUPERFLUOUS_LINES, WatermarkFile, load_watermarks
from actors.discord.incoming.watermarks import Watermarks
from domain.log.watermark import FILE_NAME, Gap, Watermark, line_of
from messages.base import Surface
from tests.recording_disk import RecordingDisk, TornWrite

OLD = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=5)
NEW = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=9, gaps=(Gap(5, 7),))


def write(root: Path, disk: RecordingDisk, *watermarks: dict[int, Watermark]) -> None:
    async def act() -> None:
        file = WatermarkFile(root, disk)
        for each in watermarks:
            await file.write(each)

    asyncio.run(act())


def test_what_was_written_survives_a_power_loss(tmp_path: Path) -> None:
    disk = RecordingDisk()
    write(tmp_path, disk, {1: OLD}, {1: NEW, 2: OLD})
    disk.lose_power()
    assert load_watermarks(tmp_path) == {1: NEW, 2: OLD}


@pytest.mark.parametrize("call", ["open", "write", "sync", "sync_folder"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_what_fails_is_said_and_costs_nothing_that_stood_there(tmp_path: Path, call: str, code: int) -> None:
    disk = RecordingDisk()
    write(tmp_path, disk, {1: OLD})

    def fail(name: str, _data: bytes) -> None:
        if name == call:
            raise OSError(code, os.strerror(code))

    disk.before = fail
    with pytest.raises(OSError, match=os.strerror(code)):
        write(tmp_path, disk, {2: NEW})
    disk.before = lambda _name, _data: None
    write(tmp_path, disk, {3: NEW})
    disk.lose_power()
    kept = load_watermarks(tmp_path)
    assert (kept[1], kept[3]) == (OLD, NEW)


def test_the_name_of_a_new_file_is_synced_again_if_that_failed(tmp_path: Path) -> None:
    disk = RecordingDisk()
    file = WatermarkFile(tmp_path, disk)

    def fail(name: str, _data: bytes) -> None:
        if name == "sync_folder":
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    async def act() -> None:
        disk.before = fail
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            await file.write({1: OLD})
        disk.before = lambda _name, _data: None
        await file.write({1: NEW})

    asyncio.run(act())
    disk.lose_power()
    assert load_watermarks(tmp_path) == {1: NEW}


@pytest.mark.parametrize("length", [0, 1, 20, len(line_of(2, NEW)) - 1])
def test_a_line_that_came_up_short_is_said_and_swallows_nothing(tmp_path: Path, length: int) -> None:
    disk = RecordingDisk()
    write(tmp_path, disk, {1: OLD})

    def tear(name: str, data: bytes) -> None:
        if name == "write":
            raise TornWrite(data[: 1 + length])

    disk.before = tear
    with pytest.raises(OSError, match="could be written"):
        write(tmp_path, disk, {2: NEW})
    disk.before = lambda _name, _data: None
    write(tmp_path, disk, {3: NEW})
    assert {number: mark for number, mark in load_watermarks(tmp_path).items() if number != 2} == {1: OLD, 3: NEW}


@pytest.mark.parametrize("stops_at", [None, "open", "write", "sync", "replace", "sync_folder"])
def test_a_long_file_is_made_short_and_says_the_same(tmp_path: Path, stops_at: str | None) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(line_of(1, OLD) * (_SUPERFLUOUS_LINES + 10) + line_of(1, NEW) + line_of(2, OLD))
    long = path.stat().st_size
    disk = RecordingDisk()

    def fail(name: str, _data: bytes) -> None:
        if name == stops_at:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    disk.before = fail
    assert load_watermarks(tmp_path, disk) == {1: NEW, 2: OLD}
    survives = len(disk.surviving(path) or b"")
    assert survives < long // 100 if stops_at is None else survives == long
    disk.lose_power()
    assert load_watermarks(tmp_path, disk) == {1: NEW, 2: OLD}
    if stops_at is None:
        assert path.stat().st_size < long // 100


def test_a_file_stays_short_however_long_it_is_added_to(tmp_path: Path) -> None:
    disk = RecordingDisk()

    async def act() -> None:
        watermarks = Watermarks(kept={}, logged={}, file=WatermarkFile(tmp_path, disk), catchup_hours=24)
        channels = range(1, 1001)
        for number in channels:
            watermarks.meet(number, Surface.DISCORD_CHANNEL, 0, is_configured=True)
        for message in range(1, 61):
            for number in channels:
                watermarks.notice(number, message)
                watermarks.log(number, message)
                watermarks.fill_page(number, message - 1, message, joins=1, reached=message, is_last=True)
            await watermarks.secure()

    asyncio.run(act())
    assert (tmp_path / FILE_NAME).read_bytes().count(b"hash=") < 30_000
    disk.lose_power()
    kept = load_watermarks(tmp_path)
    assert len(kept) == 1000
    assert {watermark.upto for watermark in kept.values()} == {60}


def test_a_file_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    assert load_watermarks(tmp_path) == {}
