"""The file of watermarks on its disk survives a power loss, and stays short."""

from __future__ import annotations

import asyncio
from pathlib import Path

from actors.discord.incoming.watermark_file import WatermarkFile, load_watermarks
from actors.discord.incoming.watermarks import Watermarks
from domain.log.watermark import FILE_NAME, Gap, Watermark
from messages.base import Surface
from tests.recording_disk import RecordingDisk

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


def test_a_file_stays_short_however_long_it_is_added_to(tmp_path: Path) -> None:
    disk = RecordingDisk()

    async def act() -> None:
        watermarks = Watermarks(
            watermarks={}, logged={}, file=WatermarkFile(tmp_path, disk, long_bytes=200_000), catchup_hours=24
        )
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
    assert (tmp_path / FILE_NAME).read_bytes().count(b"hash=") < 5_000
    disk.lose_power()
    kept = load_watermarks(tmp_path)
    assert len(kept) == 1000
    assert {watermark.upto for watermark in kept.values()} == {60}


def test_a_file_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    assert load_watermarks(tmp_path) == {}
