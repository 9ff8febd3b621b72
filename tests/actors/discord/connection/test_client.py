"""What the client changes in discord.py."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import discord
import pytest
from discord.http import HTTPClient, Ratelimit

from actors.discord.connection.client import KEPT_LIMIT_S, LEAST_CLEARED, AgentClient, clear_seldom
from actors.discord.timing import Timing


class Looked(dict[str, Ratelimit]):
    """Rate limits that count how many of them were looked at."""

    looked_at = 0

    def items(self) -> Any:
        self.looked_at += len(self)
        return super().items()


def in_loop(test: Callable[[HTTPClient, Looked], None]) -> None:
    """Run `test` with discord.py's HTTP client and its rate limits, which belong to a loop."""

    async def run() -> None:
        http = HTTPClient(asyncio.get_running_loop(), max_ratelimit_timeout=30.0)
        http._buckets = buckets = Looked()
        clear_seldom(http)
        test(http, buckets)

    asyncio.run(run())


def test_looking_for_expired_rate_limits_costs_a_bounded_share_however_many_there_are() -> None:
    def test(http: HTTPClient, buckets: Looked) -> None:
        for number in range(20_000):
            http.get_ratelimit(str(number))
        assert len(buckets) == 20_000
        assert 0 < buckets.looked_at <= 2 * 20_000

    in_loop(test)


def test_rate_limits_that_were_not_used_for_a_while_are_forgotten() -> None:
    def test(http: HTTPClient, buckets: Looked) -> None:
        for number in range(20_000):
            http.get_ratelimit(str(number))._last_request -= KEPT_LIMIT_S
            assert len(buckets) <= LEAST_CLEARED

    in_loop(test)


def _is_used(bucket: Ratelimit) -> None:
    bucket.outgoing = 1


def _is_waited_for(bucket: Ratelimit) -> None:
    bucket._pending_requests.append(asyncio.get_running_loop().create_future())


def _is_slept_on(bucket: Ratelimit) -> None:
    bucket._sleeping._locked = True  # type: ignore[attr-defined]


def _is_not_over(bucket: Ratelimit) -> None:
    bucket.expires = asyncio.get_running_loop().time() + 60.0


def _is_fresh(bucket: Ratelimit) -> None:
    bucket._last_request += KEPT_LIMIT_S


@pytest.mark.parametrize("happens_to", [_is_used, _is_waited_for, _is_slept_on, _is_not_over, _is_fresh])
def test_a_rate_limit_that_still_says_something_is_kept(happens_to: Callable[[Ratelimit], None]) -> None:
    def test(http: HTTPClient, buckets: Looked) -> None:
        kept = http.get_ratelimit("kept")
        kept._last_request -= KEPT_LIMIT_S
        happens_to(kept)
        for number in range(2 * LEAST_CLEARED):
            http.get_ratelimit(str(number))._last_request -= KEPT_LIMIT_S
        assert buckets["kept"] is kept
        assert len(buckets) <= LEAST_CLEARED

    in_loop(test)


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
