"""Rounds of looks, with channels that only note that they were looked into."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from actors.discord.calls.rest_calls import CallFailedError
from actors.discord.calls.rounds import Rounds
from tests.actors.discord.life import timing


class Channels:
    """Channels that are looked into as often as the rounds want."""

    def __init__(self, *names: int) -> None:
        self.names = list(names)
        self.looks: list[int] = []
        self.news = asyncio.Event()
        self.more: list[int] = []
        self.fails: set[int] = set()
        self.surveyed: list[int] | None = []
        """Channels that the next survey finds; None for a call that fails."""

    async def look(self, channel_id: int) -> bool:
        self.looks.append(channel_id)
        self.news.set()
        if channel_id in self.fails:
            raise CallFailedError("not now")
        if channel_id in self.more:
            self.more.remove(channel_id)
            return True
        return False

    async def survey(self) -> list[int]:
        found, self.surveyed = self.surveyed, []
        if found is None:
            raise CallFailedError("not now")
        return found

    def rounds(self, is_free: asyncio.Event | None = None, *, every_s: float = 600.0, pause_s: float = 0.0) -> Rounds:
        if is_free is None:
            is_free = asyncio.Event()
            is_free.set()
        waits = timing(look_every_s=every_s, look_pause_s=pause_s)
        return Rounds(self.look, is_free, lambda: self.names, waits, self.survey)


def run(act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(10):
            await act()

    asyncio.run(bounded())


async def looked(channels: Channels, count: int) -> None:
    while len(channels.looks) < count:
        await channels.news.wait()
        channels.news.clear()


def test_channels_that_a_survey_finds_go_first() -> None:
    channels = Channels(1, 2)
    channels.surveyed = [7, 2]

    async def act() -> None:
        channels.rounds().begin()
        await looked(channels, 3)
        assert channels.looks == [7, 2, 1]

    run(act)


def test_a_survey_alone_is_a_round_and_one_that_fails_costs_no_look() -> None:
    alone, failing = Channels(), Channels(1)
    alone.surveyed, failing.surveyed = [7], None

    async def act() -> None:
        for channels in (alone, failing):
            channels.rounds().begin()
            await looked(channels, 1)
        assert (alone.looks, failing.looks) == ([7], [1])

    run(act)


def test_a_round_looks_into_each_channel_once_and_again_where_there_is_more_than_a_page() -> None:
    channels = Channels(1, 2, 3)
    channels.more = [1]

    async def act() -> None:
        channels.rounds().begin()
        await looked(channels, 4)
        await asyncio.sleep(0.02)
        assert channels.looks == [1, 2, 3, 1]

    run(act)


def test_a_plan_begins_no_round_before_its_time_and_rounds_follow_one_another() -> None:
    channels = Channels(1)

    async def act() -> None:
        channels.rounds(every_s=0.05).plan()
        await asyncio.sleep(0.01)
        assert channels.looks == []
        await looked(channels, 3)

    run(act)


def test_a_round_that_is_cut_short_leaves_none_out() -> None:
    channels = Channels(1, 2, 3)

    async def act() -> None:
        rounds = channels.rounds(pause_s=0.02)
        rounds.begin()
        await looked(channels, 1)
        rounds.begin()
        await looked(channels, 4)
        assert channels.looks == [1, 2, 3, 1]

    run(act)


def test_a_channel_that_cannot_be_looked_into_holds_up_no_other() -> None:
    channels = Channels(1, 2)
    channels.fails = {1}

    async def act() -> None:
        channels.rounds().begin()
        await looked(channels, 2)
        assert channels.looks == [1, 2]

    run(act)


def test_what_was_missed_is_read_first() -> None:
    channels = Channels(1)

    async def act() -> None:
        is_free = asyncio.Event()
        channels.rounds(is_free).begin()
        await asyncio.sleep(0.02)
        assert channels.looks == []
        is_free.set()
        await looked(channels, 1)

    run(act)
