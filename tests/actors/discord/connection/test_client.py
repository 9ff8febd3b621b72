"""What the client changes in discord.py."""

from __future__ import annotations

import asyncio
import logging
import resource
from types import SimpleNamespace
from typing import cast

import discord
import pytest

from actors.discord.connection.client import LEAST_CLEARED, AgentClient, clear_seldom
from actors.discord.timing import Timing


class Http:
    """discord.py's HTTP client as far as its rate limits go; those with an odd number have expired."""

    def __init__(self) -> None:
        self._buckets: dict[int, bool] = {}
        self.looked_through = 0

    def _try_clear_expired_ratelimits(self) -> None:
        self.looked_through += len(self._buckets)
        self._buckets = {number: live for number, live in self._buckets.items() if live}

    def add(self, number: int, *, live: bool) -> None:
        self._buckets[number] = live
        self._try_clear_expired_ratelimits()


def test_discord_py_still_has_what_is_changed() -> None:
    from discord.http import HTTPClient

    assert callable(HTTPClient._try_clear_expired_ratelimits)


def test_looking_for_expired_rate_limits_costs_a_bounded_share_however_many_there_are() -> None:
    http = Http()
    clear_seldom(http)
    for number in range(20_000):
        http.add(number, live=True)
    assert 0 < http.looked_through <= 2 * 20_000


def test_expired_rate_limits_are_forgotten_all_the_same() -> None:
    http = Http()
    clear_seldom(http)
    for number in range(20_000):
        http.add(number, live=False)
        assert len(http._buckets) <= LEAST_CLEARED


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_handler_that_the_end_of_the_connection_cuts_short_is_no_error(
    is_closed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """At a stop within a second of coming online the commands are just being told."""

    async def cut_short() -> None:
        client = object.__new__(AgentClient)
        client._closing_task = asyncio.ensure_future(asyncio.sleep(0)) if is_closed else None
        try:
            raise RuntimeError("Session is closed")
        except RuntimeError:
            await client.on_error("on_ready")

    with caplog.at_level(logging.INFO):
        asyncio.run(cut_short())

    assert [record.levelno for record in caplog.records] == [logging.INFO if is_closed else logging.ERROR]


def test_a_server_that_is_named_and_not_described_yet_is_waited_for() -> None:
    known, named = SimpleNamespace(unavailable=False), SimpleNamespace(unavailable=True)
    client = SimpleNamespace(
        _timing=Timing(), _connection=SimpleNamespace(guilds=[known, named], guild_ready_timeout=2.0)
    )
    AgentClient._shorten_wait(cast("AgentClient", client))
    assert client._connection.guild_ready_timeout == Timing().guild_ready_timeout_s
    named.unavailable = False
    AgentClient._shorten_wait(cast("AgentClient", client))
    assert client._connection.guild_ready_timeout == Timing().guilds_known_s
    named.unavailable = True
    AgentClient._shorten_wait(cast("AgentClient", client))
    assert client._connection.guild_ready_timeout == Timing().guild_ready_timeout_s


@pytest.mark.parametrize(("descriptors", "shards", "most"), [(256, None, 17), (64, 3, 11), (4096, 1, 257)])
def test_connections_to_discord_have_a_share_of_the_descriptors_and_one_a_shard(
    monkeypatch: pytest.MonkeyPatch, descriptors: int, shards: int | None, most: int
) -> None:
    """Where there are more calls they wait for one another, instead of taking what logs and models need."""
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (descriptors, descriptors))
    limits: list[int] = []

    async def log_in(client: discord.Client, _token: str) -> None:
        connector = client.http.connector
        limits.append(connector.limit)
        await connector.close()

    monkeypatch.setattr(discord.Client, "login", log_in)

    async def begin() -> None:
        client = object.__new__(AgentClient)
        client.http = SimpleNamespace()  # type: ignore[assignment]
        client._connection = SimpleNamespace(shard_count=shards)  # type: ignore[assignment]
        client.shard_count = shards
        await client.login("token")

    asyncio.run(begin())

    assert limits == [most]
