"""Switching of memory: who may, what outlives the agent, and what is said where the disk refuses."""

from __future__ import annotations

import asyncio
import errno
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from discord.utils import time_snowflake

from actors.discord.calls.discord_clock import DiscordClock
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.incoming.places.memory_switching import IS_OFF, IS_ON, MAY_NOT, MemorySwitching, load_switches
from actors.discord.incoming.places.window_map import WindowMap
from actors.linux.disk import Disk, RealDisk
from domain.policy.channel_rules import ChannelRules
from domain.policy.memory_switch import NOW
from messages.base import Address, Message, RequestId, Surface, UserId, Window
from messages.discord import MemorySwitched, PostMessage, SwitchMemory
from messages.socket import Refused
from tests.patience import PATIENCE_S
from tests.recording_disk import RecordingDisk

CHANNEL = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
DIRECT = Window(surface=Surface.DISCORD_DM, id="910000000000000012")
ANNE, OPERATOR = UserId("21"), UserId("7")
TODAY = datetime(2026, 11, 29, tzinfo=UTC)
NUMBER = "1300000000000000001"


class Bridge:
    """The switch's actor as far as the switch needs it: an address, a clock, and replies."""

    def __init__(self) -> None:
        self.address = Address("bridge")
        self.told: list[Message] = []
        self.ahead = timedelta(0)
        self._is_told = asyncio.Event()

    def tell(self, _to: Address, message: Message) -> None:
        self.told.append(message)
        self._is_told.set()

    def now(self) -> datetime:
        return TODAY + self.ahead

    def monotonic(self) -> float:
        return 0.0

    async def reply(self, request_id: str = "") -> Message:
        """The first message, or the reply to a request, once there is one."""
        while True:
            for each in self.told:
                if request_id in ("", getattr(each, "request_id", "")):
                    return each
            self._is_told.clear()
            await self._is_told.wait()


class FullDisk(RealDisk):
    def write(self, fd: int, data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


class SlowDisk(RealDisk):
    """Waits in the first write until released, and refuses later writes if so ordered."""

    def __init__(self, *, is_full: bool) -> None:
        self.is_writing, self.may_write = threading.Event(), threading.Event()
        self._is_full = is_full

    def write(self, fd: int, data: Any) -> int:
        if self._is_full and self.is_writing.is_set():
            raise OSError(errno.ENOSPC, "No space left on device")
        self.is_writing.set()
        self.may_write.wait(PATIENCE_S)
        return super().write(fd, data)


class World:
    """One life of the switch."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        self.shown: list[PostMessage] = []
        self.policy = ChannelPolicy(ChannelRules(), WindowMap([CHANNEL.id]), load_switches(root))
        self.ahead = timedelta(0)
        """By which the agent's clock is ahead of Discord's, which is known."""
        self._root, self._disk = root, disk

    def switch(self, window: Window = CHANNEL, by: str = ANNE, number: str = NUMBER, **how: bool) -> Message:
        """Reply to a request; memory goes off unless it says otherwise."""

        async def main() -> Message:
            bridge = Bridge()
            self.begin(bridge).serve(command(window, by, number, **how))
            reply: Message = await bridge.reply()
            self.shown += [each for each in bridge.told if isinstance(each, PostMessage)]
            return reply

        return asyncio.run(main())

    def begin(self, bridge: Any) -> MemorySwitching:
        bridge.ahead = self.ahead
        clock = DiscordClock(bridge)
        clock.set(format_datetime(TODAY, usegmt=True))

        def present() -> int:
            return time_snowflake(clock.earliest())

        return MemorySwitching(bridge, self.policy, self._root, self._disk, present=present, operators=(OPERATOR,))

    def is_off(self, window: Window = CHANNEL, number: int = NOW) -> bool:
        return self.policy.switches.is_off((window.id,), number, by_settings=False)


def command(window: Window = CHANNEL, by: str = ANNE, number: str = NUMBER, **how: bool) -> SwitchMemory:
    """Request to switch memory off, unless the request says otherwise."""
    fields = {"is_off": True, "manages_messages": False, **how}
    return SwitchMemory(
        request_id=RequestId(number), reply_to=Address("person"), window=window, asked_by=UserId(by), **fields
    )


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.req("X-251")
def test_only_people_who_manage_messages_operators_and_a_person_in_direct_messages_switch(world: World) -> None:
    assert world.switch() == Refused(request_id=RequestId(NUMBER), reason=MAY_NOT)
    assert not world.is_off()
    for window, by, how in (
        (CHANNEL, ANNE, True),
        (CHANNEL, OPERATOR, False),
        (CHANNEL, "", False),
        (DIRECT, ANNE, False),
    ):
        assert isinstance(world.switch(window, by, manages_messages=how), MemorySwitched)
        assert world.is_off(window)


@pytest.mark.req("X-251")
def test_a_switch_outlives_the_agent_and_holds_for_later_messages_alone(world: World, tmp_path: Path) -> None:
    number = int(NUMBER)
    world.switch(manages_messages=True)
    world.switch(number=str(number + 1000), manages_messages=True, is_off=False)
    later = World(tmp_path)
    assert [later.is_off(number=each) for each in (number, number + 1, number + 1001)] == [False, True, False]


@pytest.mark.req("X-251")
@pytest.mark.parametrize("hours", [-8, 0, 8])
def test_an_operators_switch_is_dated_by_discords_clock(world: World, hours: int) -> None:
    world.ahead = timedelta(hours=hours)
    world.switch(by="", number="terminal")
    minute = timedelta(minutes=1)
    assert [world.is_off(number=time_snowflake(TODAY + late)) for late in (-minute, minute)] == [False, True]


@pytest.mark.req("X-251")
@pytest.mark.parametrize("is_off", [True, False])
def test_the_newest_command_holds_even_if_an_earlier_one_bears_a_later_date(world: World, is_off: bool) -> None:
    later, now = (str(time_snowflake(TODAY + timedelta(hours=hours))) for hours in (8, 0))
    world.switch(number=later, manages_messages=True, is_off=not is_off)
    world.switch(number=now, manages_messages=True, is_off=is_off)
    assert world.is_off() is is_off
    soon = time_snowflake(TODAY + timedelta(minutes=1))
    assert world.is_off(number=soon) is is_off, "until that date, too"


@pytest.mark.req("X-251")
@pytest.mark.parametrize("is_full", [False, True], ids=["stored", "refused by the disk"])
def test_memory_switched_off_while_the_restart_before_is_being_written_stays_off(tmp_path: Path, is_full: bool) -> None:
    """The switch before the restart bears a later date, so the restart holds at that date, too."""
    first, second, later = (str(time_snowflake(TODAY + timedelta(hours=hours))) for hours in (0, 1, 8))
    World(tmp_path).switch(number=later, manages_messages=True)
    disk = SlowDisk(is_full=is_full)
    world = World(tmp_path, disk)

    async def main() -> list[bool]:
        bridge = Bridge()
        switching = world.begin(bridge)
        switching.serve(command(number=first, manages_messages=True, is_off=False))
        await asyncio.to_thread(disk.is_writing.wait, PATIENCE_S)
        switching.serve(command(number=second, manages_messages=True))
        disk.may_write.set()
        await bridge.reply(second)
        world.shown = [each for each in bridge.told if isinstance(each, PostMessage)]
        return [world.is_off(), world.is_off(number=int(second) + 1)]

    assert asyncio.run(main()) == [True, True]
    assert [each.text for each in world.shown] == [IS_ON] if is_full else [IS_ON, IS_OFF]
    if not is_full:
        assert World(tmp_path).is_off()


@pytest.mark.req("X-251")
def test_a_switch_survives_a_power_loss(tmp_path: Path) -> None:
    disk = RecordingDisk()
    World(tmp_path, disk).switch(manages_messages=True)
    disk.lose_power()
    assert World(tmp_path).is_off()


@pytest.mark.req("X-251")
def test_all_in_the_channel_read_a_line_at_each_change_and_at_no_repetition(world: World) -> None:
    first = world.switch(manages_messages=True)
    again = world.switch(manages_messages=True, number=f"{NUMBER}1")
    assert isinstance(first, MemorySwitched)
    assert isinstance(again, MemorySwitched)
    assert (first.is_new, again.is_new) == (True, False)
    world.switch(manages_messages=True, is_off=False, number=f"{NUMBER}2")
    assert [(each.window, each.text) for each in world.shown] == [(CHANNEL, IS_OFF), (CHANNEL, IS_ON)]


@pytest.mark.req("X-251")
def test_where_the_disk_refuses_memory_is_off_until_the_next_start_and_the_person_is_told(tmp_path: Path) -> None:
    world = World(tmp_path, FullDisk())
    reply = world.switch(manages_messages=True)
    assert isinstance(reply, Refused)
    assert "until the next start" in reply.reason
    assert world.is_off()
