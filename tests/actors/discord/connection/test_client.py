"""What the client changes in discord.py."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord.http import HTTPClient, Ratelimit

from actors.discord.connection.client import AgentClient
from actors.discord.connection.rate_limits import KEPT_LIMIT_S, LEAST_CLEARED, clear_seldom
from actors.discord.connection.sockets import guild_wait_s, most_connections
from actors.discord.timing import Timing
from tests.jumping_loop import JumpingLoop


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
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(run())


def jump(seconds: float) -> None:
    """Let time pass at once."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, JumpingLoop)
    loop.jump(seconds)


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
            http.get_ratelimit(str(number))
            jump(KEPT_LIMIT_S)
            assert len(buckets) <= LEAST_CLEARED

    in_loop(test)


def test_a_rate_limit_that_still_says_something_is_kept() -> None:
    def test(http: HTTPClient, buckets: Looked) -> None:
        for number in range(LEAST_CLEARED - 5):
            http.get_ratelimit(f"old {number}")
        kept = {name: http.get_ratelimit(name) for name in ("used", "waited for", "slept on", "not over")}
        kept["used"].outgoing = 1
        kept["waited for"].remaining = 0
        kept["slept on"].remaining, kept["slept on"].outgoing, kept["slept on"].reset_after = 0, 1, 20.0
        waits = [kept["waited for"].acquire(), kept["slept on"].__aexit__(None, None, None)]  # type: ignore[arg-type,type-var]
        for each in waits:
            each.send(None)
        jump(KEPT_LIMIT_S)
        kept["not over"].expires = asyncio.get_running_loop().time() + 60.0
        kept["fresh"] = http.get_ratelimit("fresh")
        for number in range(LEAST_CLEARED):
            http.get_ratelimit(str(number))
        for each in waits:
            each.close()
        assert {name: buckets.get(name) for name in kept} == kept
        assert not [key for key in buckets if key.startswith("old")]

    in_loop(test)


class Closed(AgentClient):
    def is_closed(self) -> bool:
        return True


class Open(AgentClient):
    def is_closed(self) -> bool:
        return False


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_handler_that_the_end_of_the_connection_cuts_short_is_no_error(
    is_closed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """At a stop within a second of coming online the commands are just being told."""

    async def cut_short() -> None:
        client = object.__new__(Closed if is_closed else Open)
        try:
            raise RuntimeError("Session is closed")
        except RuntimeError:
            await client.on_error("on_ready")

    with caplog.at_level(logging.INFO):
        asyncio.run(cut_short())

    assert [record.levelno for record in caplog.records] == [logging.INFO if is_closed else logging.ERROR]


class Bare(AgentClient):
    """A client without the rest of the agent."""

    def __init__(self) -> None:
        discord.Client.__init__(self, intents=discord.Intents(guilds=True), guild_ready_timeout=60.0)

    async def on_connect(self) -> None:
        """Nothing is taken in."""


def test_a_client_that_is_closed_while_servers_are_waited_for_waits_no_more(caplog: pytest.LogCaptureFixture) -> None:
    """Else discord.py's task ends after the client and fails, as a client that is closed has no loop."""

    async def run() -> None:
        async with Bare() as client:
            user = {"id": "1", "username": "bot", "discriminator": "0", "avatar": None}
            client._connection.parse_ready({"user": user, "application": {"id": "1", "flags": 0}, "guilds": []})  # type: ignore[typeddict-item]
            (waiting,) = (task for task in asyncio.all_tasks() if "delay_ready" in repr(task.get_coro()))
            await asyncio.sleep(0)
        await asyncio.wait([waiting], timeout=1.0)
        assert waiting.done()
        assert waiting.cancelled() or waiting.exception() is None

    asyncio.run(run())
    assert not caplog.records


def test_a_server_that_is_named_and_not_described_yet_is_waited_for() -> None:
    known, named, timing = SimpleNamespace(unavailable=False), SimpleNamespace(unavailable=True), Timing()
    assert guild_wait_s(timing, [known, named]) == timing.guild_ready_timeout_s
    assert guild_wait_s(timing, [known, known]) == timing.guilds_known_s
    assert guild_wait_s(timing, []) == timing.guilds_known_s


def test_connections_to_discord_have_a_share_of_the_descriptors_and_one_a_shard() -> None:
    """Where there are more calls they wait for one another, instead of taking what logs and models need."""
    for descriptors, shards, most in [(256, None, 17), (64, 3, 11), (4096, 1, 257)]:
        assert most_connections(shards, descriptors) == most
