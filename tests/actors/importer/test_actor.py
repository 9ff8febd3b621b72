"""The past is taken in newest first, once, whatever ends in between; it waits for what is said now."""

from __future__ import annotations

import errno
from collections import Counter
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from actors.importer.actor import PAGES_APART_S
from messages.base import RequestId, Surface, Window
from messages.past import ImportDescribed, StartImport, StopImport
from messages.socket import Refused
from tests.actors.importer.world import OPERATOR, Killed, PastDiscord, World


def all_once(discord: PastDiscord) -> Counter[int]:
    return Counter(each for ids in discord.ids.values() for each in ids)


@pytest.mark.req("X-254")
def test_all_places_are_read_newest_first_and_once(tmp_path: Path) -> None:
    discord = PastDiscord(one=1_230, two=40, three=1)
    world = World(tmp_path, discord)
    world.start()
    world.pass_time(10)
    told = world.describe()
    assert (told.state, told.kept, told.places, told.places_done) == ("done", 1_271, 3, 3)
    assert told.note == "channel 7: closed"
    assert world.count_kept() == all_once(discord)
    assert world.logs() == set(world.indexed)
    assert len(world.logs()) == 5
    assert sorted(discord.settled) == sorted(map(str, all_once(discord)))
    assert discord.noted == set(discord.ids)
    assert discord.read[:3] == sorted(discord.read[:3], reverse=True)
    reads = len(discord.read)
    world.start()
    world.pass_time(10)
    assert (world.describe().kept, len(discord.read)) == (1_271, reads)


@pytest.mark.req("X-254")
def test_a_second_import_reads_what_came_since(tmp_path: Path) -> None:
    discord = PastDiscord(one=150)
    world = World(tmp_path, discord)
    world.start()
    world.pass_time(2)
    (ids,) = discord.ids.values()
    ids += [ids[-1] + 10_000 * number for number in range(1, 121)]
    discord.read.clear()
    world.start()
    world.pass_time(3)
    assert world.count_kept() == all_once(discord)
    assert len(discord.read) == 2


@pytest.mark.req("X-254")
@pytest.mark.parametrize("loses_power", [False, True])
def test_a_kill_before_any_step_loses_and_doubles_nothing(tmp_path: Path, loses_power: bool) -> None:
    discord = PastDiscord(one=620, two=30)
    whole = World(tmp_path / "whole", discord)
    whole.start()
    whole.pass_time(5)
    assert whole.describe().state == "done"
    assert whole.steps > 30
    for step in range(1, whole.steps + 1):
        world = World(tmp_path / str(step), discord)
        world.dies_at = world.steps + step
        with suppress(Killed):
            world.start()
            world.pass_time(5)
        if loses_power:
            world.disk.lose_power()
        world.dies_at = 0
        world.begin()
        if world.describe().state == "none":  # it died before it was noted that there is an import
            world.start()
        world.pass_time(6)
        assert world.describe().state == "done"
        assert world.count_kept() == all_once(discord), f"step {step}"


@pytest.mark.req("X-254")
def test_windows_whose_log_was_written_right_before_a_kill_are_followed_in_later_lives(tmp_path: Path) -> None:
    discord = PastDiscord(one=30)
    whole = World(tmp_path / "whole", discord)
    whole.start()
    whole.pass_time(2)
    for step in range(1, whole.steps + 1):
        world = World(tmp_path / str(step), discord)
        world.dies_at = world.steps + step
        with suppress(Killed):
            world.start()
            world.pass_time(2)
        world.dies_at = 0
        world.begin()
        world.start()
        world.pass_time(2)
        assert world.describe().state == "done"
        discord.noted.clear()
        world.begin()
        world.pass_time(0)
        assert discord.noted == set(discord.ids), f"step {step}"


def test_an_import_rests_and_goes_on(tmp_path: Path) -> None:
    discord = PastDiscord(one=2_000)
    world = World(tmp_path, discord)
    world.start()
    world.pass_time(0.5)
    world.tell(StopImport(request_id=RequestId("x"), reply_to=world.asker.address, window=OPERATOR))
    world.pass_time(1)
    rested = world.describe()
    assert (rested.state, 0 < rested.kept < 2_000) == ("stopped", True)
    world.pass_time(5)
    assert world.describe().kept == rested.kept
    world.begin()
    assert world.describe().state == "stopped"
    world.start()
    reading = world.describe()
    assert (reading.state, reading.estimate > 0) == ("reading", True)
    world.pass_time(5)
    assert world.describe().state == "done"
    assert world.count_kept() == all_once(discord)


def test_what_is_missed_live_goes_first_and_a_closed_place_ends_no_import(tmp_path: Path) -> None:
    discord = PastDiscord(one=30, two=30)
    discord.moods = ["delayed", "refused"]
    world = World(tmp_path, discord)
    world.start()
    world.pass_time(1)
    told = world.describe()
    assert (told.state, "later" in told.note, "may not read its history" in told.note) == ("reading", True, True)
    world.pass_time(10)
    assert (world.describe().state, world.describe().kept) == ("done", 30)
    world.start()
    world.pass_time(2)
    assert world.count_kept() == all_once(discord)


def test_pages_are_read_no_faster_than_their_pace(tmp_path: Path) -> None:
    discord = PastDiscord(one=3_000, two=3_000)
    world = World(tmp_path, discord)
    world.start()
    world.pass_time(2)
    assert len(discord.read) <= 2 / PAGES_APART_S + 1


@pytest.mark.req("X-254")
def test_people_who_may_not_manage_the_server_import_nothing(tmp_path: Path) -> None:
    world = World(tmp_path, PastDiscord(one=3))
    window = Window(surface=Surface.DISCORD_CHANNEL, id="900000000000000001")
    request = StartImport(request_id=RequestId("s"), reply_to=world.asker.address, window=window)
    world.tell(request)
    (refused,) = world.asker.drain()
    assert isinstance(refused, Refused)
    assert "manage the server" in refused.reason
    assert world.describe().state == "none"
    world.tell(msgspec.structs.replace(request, manages_server=True))
    (begun,) = world.asker.drain()
    assert isinstance(begun, ImportDescribed)


@pytest.mark.req("X-254")
def test_a_full_disk_under_the_journal_holds_an_import_up_and_ends_none(tmp_path: Path) -> None:
    discord = PastDiscord(general=150)
    world = World(tmp_path, discord)
    lines: list[bytes] = []

    def refuse_first(call: str, data: bytes) -> None:
        """Refuse each line of the journal once."""
        if call == "write" and data.startswith((b'{"state"', b'{"window"')) and data not in lines:
            lines.append(data)
            raise OSError(errno.ENOSPC, "no space left")

    world.disk.before = refuse_first
    world.start()
    (refused,) = world.asker.drain()
    assert isinstance(refused, Refused)
    assert "no space left" in refused.reason
    world.start()
    world.pass_time(150)
    described = world.describe()
    assert (described.state, described.kept, described.note) == ("done", 150, "channel 7: closed")
    assert (discord.listings, len(discord.read)) == (1, 2)
    assert set(world.count_kept().values()) == {1}
    assert len(world.count_kept()) == 150
    assert len(lines) >= 4
    assert world.system.supervisor.crashes() == {}
    world.system.stop(1.0)
