"""Which windows have logs, as the watermarks of all channels know, and when what they know is kept."""

from __future__ import annotations

import asyncio
import threading
import tracemalloc
from pathlib import Path

import pytest

from actors.discord.incoming.watermark_file import WatermarkFile, load_watermarks
from actors.discord.incoming.watermarks import Watermarks
from actors.linux.disk import RealDisk
from domain.log.watermark import FILE_NAME, Watermark
from messages.base import Surface, Window
from tests.patience import PATIENCE_S, eventually

LOGGED = Window(surface=Surface.DISCORD_THREAD, id="7")
ONLY_MET = Window(surface=Surface.DISCORD_THREAD, id="8")


def test_a_window_is_known_by_its_logs_and_not_by_having_been_met() -> None:
    met = Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=9)
    known = Watermarks(watermarks={8: met}, logged={LOGGED.address.key: "5"}, file=None, catchup_hours=1.0)
    assert known.knows(LOGGED)
    assert not known.knows(ONLY_MET)
    assert not known.knows(Window(surface=Surface.DISCORD_DM, id="7"))
    assert not known.knows(Window(surface=Surface.DISCORD_THREAD, id="9"))
    known.log(8, 10)
    assert known.knows(ONLY_MET)
    known.forget(8)
    assert not known.knows(ONLY_MET)


def test_what_the_file_says_already_is_not_written_again(tmp_path: Path) -> None:
    async def act() -> None:
        kept = {9: Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=9)}
        known = Watermarks(watermarks=kept, logged={}, file=WatermarkFile(tmp_path, watermarks=kept), catchup_hours=1.0)
        path = tmp_path / FILE_NAME
        known.settle(9, 9)
        await known.secure()
        assert not path.exists()

        known.meet(8, Surface.DISCORD_THREAD, 5)
        known.meet(7, Surface.DISCORD_CHANNEL, 5, is_configured=True)
        await known.secure()
        written = path.read_bytes()
        for channel_id in (7, 8):
            known.settle(channel_id, 5)
        await known.secure()
        assert path.read_bytes() == written
        assert load_watermarks(tmp_path).keys() == {7, 8, 9}

    asyncio.run(act())


def test_a_forgotten_channel_is_left_out_at_the_next_compaction(tmp_path: Path) -> None:
    async def act() -> None:
        kept = {each: Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=9) for each in (7, 8)}
        file = WatermarkFile(tmp_path, watermarks=kept, long_bytes=0)
        known = Watermarks(watermarks=kept, logged={}, file=file, catchup_hours=1.0)
        known.forget(8)
        known.meet(9, Surface.DISCORD_THREAD, 5)
        await known.secure()
        assert load_watermarks(tmp_path).keys() == {7, 9}

    asyncio.run(act())


def test_a_channel_at_rest_takes_few_bytes(tmp_path: Path) -> None:
    channels = range(10**18, 10**18 + 20_000)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = {each: Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=each + 9) for each in channels}
        logged = {f"{Surface.DISCORD_THREAD.value}/{each}": str(each + 9) for each in channels}
        file = WatermarkFile(tmp_path, watermarks=kept)
        known = Watermarks(watermarks=kept, logged=logged, file=file, catchup_hours=1.0)
        logged.clear()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(known.logged_threads()) == len(channels)
    assert (held - before) / len(channels) < 450


def test_windows_are_ordered_by_what_was_said_in_them_last_and_threads_told_apart() -> None:
    logged = {f"discord-thread/{number}": str(said) for number, said in ((1, 50), (2, 70), (3, 60))}
    known = Watermarks(watermarks={}, logged={**logged, "discord-channel/4": "65"}, file=None, catchup_hours=1.0)
    known.notice(3, 80)
    known.settle(3, 80)
    assert not known._dirty, "nobody would write it"
    assert known.newest_windows(3) == ["discord-thread/3", "discord-thread/2", "discord-channel/4"]
    assert sorted(known.logged_threads()) == [1, 2, 3]


class SlowDisk(RealDisk):
    """Disk that is at each sync until it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.is_at_work = threading.Event()
        self.go_on = threading.Event()

    def sync(self, fd: int, /) -> None:
        self.is_at_work.set()
        assert self.go_on.wait(PATIENCE_S)
        super().sync(fd)


@pytest.fixture
def disk() -> SlowDisk:
    return SlowDisk()


def quick(file: WatermarkFile) -> Watermarks:
    """Watermarks that are written without a pause."""
    return Watermarks(watermarks={}, logged={}, file=file, catchup_hours=1.0, write_every_s=0.01, write_again_s=0.01)


def test_what_is_marked_while_the_disk_is_at_work_is_kept_too(tmp_path: Path, disk: SlowDisk) -> None:
    async def act() -> None:
        known = quick(WatermarkFile(tmp_path, disk))
        known.meet(8, Surface.DISCORD_THREAD, 5)
        await asyncio.to_thread(disk.is_at_work.wait, PATIENCE_S)
        known.meet(7, Surface.DISCORD_THREAD, 5)
        disk.go_on.set()
        await asyncio.to_thread(eventually, lambda: load_watermarks(tmp_path).keys() == {7, 8})

    asyncio.run(act())


def test_what_was_given_up_waiting_for_is_written_again(tmp_path: Path, disk: SlowDisk) -> None:
    async def act() -> None:
        known = quick(WatermarkFile(tmp_path, disk))
        known.meet(8, Surface.DISCORD_THREAD, 5)
        asked = asyncio.create_task(known.secure())
        await asyncio.to_thread(disk.is_at_work.wait, PATIENCE_S)
        asked.cancel()
        await asyncio.wait([asked])
        (tmp_path / FILE_NAME).unlink()  # as if it had failed
        disk.go_on.set()
        await asyncio.to_thread(eventually, lambda: load_watermarks(tmp_path).keys() == {8})

    asyncio.run(act())


def test_of_a_thread_made_in_this_session_nothing_is_confirmed_before_the_message_by_which_it_was_met() -> None:
    known = Watermarks(watermarks={}, logged={}, file=None, catchup_hours=1.0)
    known.begin(5)
    assert not known.meet(8, Surface.DISCORD_THREAD, 20, 3)
    assert (known.newest_known(8), known.newest_confirmed(8)) == (20, 7)
    assert known.lacks(8, 15)
    assert known.to_look_at() == [8]
