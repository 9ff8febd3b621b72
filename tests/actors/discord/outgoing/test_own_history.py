from __future__ import annotations

import asyncio

import pytest

from actors.discord.calls.history import Page
from actors.discord.outgoing.own_history import OwnHistory
from messages.base import ChannelId

CHANNEL = ChannelId("910000000000000011")


@pytest.mark.req("X-250")
def test_a_forgotten_channel_is_read_anew() -> None:
    asked: list[tuple[int, int]] = []

    async def read_page(_channel: ChannelId, after: int, before: int) -> Page:
        asked.append((after, before))
        return Page(messages=(), unreadable=0, oldest=after + 1, newest=after + 1, is_last=True)

    async def read_three_times() -> None:
        history = OwnHistory(read_page)
        for _ in range(2):
            _ = [page async for page in history.read(CHANNEL, 5)]
        assert len(asked) == 1
        history.forget(CHANNEL)
        _ = [page async for page in history.read(CHANNEL, 5)]

    asyncio.run(read_three_times())
    assert len(asked) == 2
