"""The gateway's rules, with a bare websocket instead of a library that keeps them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from lab.playground.config import PlaygroundConfig
from lab.playground.gateway import events
from lab.playground.gateway.protocol import SESSIONS_KEPT
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.patience import PATIENCE_S

GENERAL = defaults.GENERAL_ID
GUILD_MESSAGES = events.INTENT_GUILDS | events.INTENT_MESSAGES | events.INTENT_CONTENT

RIGHT_TOKEN = "the playground's"
"""Stands for the bot's token in what is sent."""


class Socket:
    """A gateway connection without manners."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, token: str) -> None:
        self._socket = socket
        self._token = token

    async def send(self, op: int, data: Any) -> None:
        text = json.dumps({"op": op, "d": data})
        await self._socket.send_str(text.replace(RIGHT_TOKEN, self._token))

    async def send_raw(self, text: str) -> None:
        await self._socket.send_str(text)

    async def receive(self) -> dict[str, Any]:
        message = await self._socket.receive(PATIENCE_S)
        assert message.type is aiohttp.WSMsgType.TEXT, message
        received = json.loads(message.data)
        assert isinstance(received, dict)
        return received

    async def dispatch(self, name: str) -> dict[str, Any]:
        """The next event called `name`; others are passed over."""
        while (received := await self.receive())["t"] != name:
            pass
        return received

    async def close_code(self) -> int | None:
        while not self._socket.closed:
            await self._socket.receive(PATIENCE_S)
        return self._socket.close_code

    async def close(self) -> None:
        await self._socket.close(code=1000)

    async def identify(self, intents: int = GUILD_MESSAGES, **more: Any) -> None:
        await self.send(2, {"token": self._token, "intents": intents, "properties": {}, **more})

    async def resume(self, ready: dict[str, Any], seq: int) -> None:
        await self.send(6, {"token": self._token, "session_id": ready["d"]["session_id"], "seq": seq})


Dial = Callable[[], Awaitable[Socket]]


@asynccontextmanager
async def dialling(playground: PlaygroundServer) -> AsyncIterator[Dial]:
    async with aiohttp.ClientSession() as session:

        async def dial() -> Socket:
            socket = Socket(
                await session.ws_connect(playground.gateway_url + "?v=10&encoding=json"), playground.bot_token
            )
            assert (await socket.receive())["op"] == 10
            return socket

        yield dial


def run(playground: PlaygroundServer, scenario: Callable[[Dial], Awaitable[None]]) -> None:
    async def main() -> None:
        async with dialling(playground) as dial:
            await scenario(dial)

    asyncio.run(main())


BREACHES: list[tuple[list[tuple[int, Any]], int]] = [
    ([(2, {"token": "wrong", "intents": 0})], 4004),
    ([(6, {"token": "wrong", "session_id": "x", "seq": 1})], 4004),
    ([(8, {"guild_id": "1"})], 4003),
    ([(2, "no object")], 4002),
    ([(2, {"token": RIGHT_TOKEN, "intents": 0})] * 2, 4005),
    ([(2, {"token": RIGHT_TOKEN, "intents": 0}), (99, None)], 4001),
    ([(1, "x" * 5000)], 4002),
]


def test_breaking_the_protocol_closes_the_socket_with_discords_code(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        codes = []
        for frames, _ in BREACHES:
            socket = await dial()
            for op, data in frames:
                await socket.send(op, data)
            codes.append(await socket.close_code())
        assert codes == [code for _, code in BREACHES]

        socket = await dial()
        await socket.send_raw("no JSON")
        assert await socket.close_code() == 4002

    run(playground, scenario)


def test_intents_that_are_not_switched_on_close_with_4014() -> None:
    async def scenario(dial: Dial) -> None:
        socket = await dial()
        await socket.identify(events.INTENT_CONTENT)
        assert await socket.close_code() == 4014

    with PlaygroundServer(PlaygroundConfig(allowed_intents=0)) as playground:
        run(playground, scenario)


def test_a_heartbeat_is_acknowledged_before_and_after_identify(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        socket = await dial()
        await socket.send(1, None)
        assert (await socket.receive())["op"] == 11
        await socket.identify()
        ready = await socket.dispatch("READY")
        await socket.dispatch("GUILD_CREATE")
        await socket.send(1, ready["s"])
        assert (await socket.receive())["op"] == 11

    run(playground, scenario)


def test_numbers_rise_by_one_and_intents_gate_events(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        everything, guilds = await dial(), await dial()
        await everything.identify(GUILD_MESSAGES | events.INTENT_TYPING)
        await guilds.identify(events.INTENT_GUILDS)
        numbers = [(await everything.dispatch(name))["s"] for name in ("READY", "GUILD_CREATE")]
        await guilds.dispatch("GUILD_CREATE")
        await asyncio.to_thread(playground.say, GENERAL, "x")
        await asyncio.to_thread(playground.type_in, GENERAL)
        await asyncio.to_thread(playground.create_channel, "new")
        numbers += [(await everything.receive())["s"] for _ in range(3)]

        assert numbers == [1, 2, 3, 4, 5]
        assert (await guilds.receive())["t"] == "CHANNEL_CREATE"

    run(playground, scenario)


def test_a_resume_replays_exactly_what_was_missed_in_order(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        first = await dial()
        await first.identify()
        ready = await first.dispatch("READY")
        seen = (await first.dispatch("GUILD_CREATE"))["s"]
        await asyncio.to_thread(playground.drop, 1006)
        for text in "abc":
            await asyncio.to_thread(playground.say, GENERAL, text)
        second = await dial()
        await second.resume(ready, seen + 1)
        frames = [await second.receive() for _ in range(3)]

        assert [(f["t"], f["s"]) for f in frames] == [
            ("MESSAGE_CREATE", seen + 2), ("MESSAGE_CREATE", seen + 3), ("RESUMED", seen + 4),
        ]  # fmt: skip
        assert [f["d"].get("content") for f in frames[:2]] == ["b", "c"]
        assert frames[2]["d"] is not None

    run(playground, scenario)


def test_a_session_that_is_unknown_or_too_far_behind_or_ahead_is_invalid(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        first = await dial()
        await first.identify()
        ready = await first.dispatch("READY")
        for session_id, seq in (("unknown", 1), (ready["d"]["session_id"], 999), (None, None)):
            socket = await dial()
            await socket.send(6, {"token": RIGHT_TOKEN, "session_id": session_id, "seq": seq})
            frame = await socket.receive()
            assert (frame["op"], frame["d"]) == (9, False)

    run(playground, scenario)


def test_a_resume_can_be_refused_or_ignored(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        first = await dial()
        await first.identify()
        ready = await first.dispatch("READY")
        await asyncio.to_thread(lambda: playground.gateway_faults(ignore_resumes=1, refuse_resumes=1))
        ignored, refused, accepted = await dial(), await dial(), await dial()
        await ignored.resume(ready, ready["s"])
        await ignored.send(1, None)
        assert (await ignored.receive())["op"] == 11
        await refused.resume(ready, ready["s"])
        assert (await refused.receive())["op"] == 9
        await accepted.resume(ready, ready["s"])
        await accepted.dispatch("RESUMED")

    run(playground, scenario)


def test_members_are_sent_in_chunks_on_request(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        socket = await dial()
        await socket.identify()
        await socket.dispatch("GUILD_CREATE")
        await socket.send(8, {"guild_id": str(defaults.GUILD_ID), "query": "gu", "limit": 0, "nonce": "n"})
        named = (await socket.dispatch("GUILD_MEMBERS_CHUNK"))["d"]
        await socket.send(8, {"guild_id": str(defaults.GUILD_ID), "user_ids": [str(defaults.YOU_ID)]})
        listed = (await socket.dispatch("GUILD_MEMBERS_CHUNK"))["d"]

        assert [m["user"]["id"] for m in named["members"]] == [str(defaults.GUEST_ID)]
        assert (named["nonce"], named["chunk_index"], named["chunk_count"]) == ("n", 0, 1)
        assert [m["user"]["id"] for m in listed["members"]] == [str(defaults.YOU_ID)]

    run(playground, scenario)


def test_a_clients_own_1000_ends_its_session(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        first = await dial()
        await first.identify()
        ready = await first.dispatch("READY")
        await asyncio.to_thread(playground.wait_until_online)
        await first.close()
        await asyncio.to_thread(lambda: playground.wait_until_online(online=False))
        second = await dial()
        await second.resume(ready, ready["s"])
        assert (await second.receive())["op"] == 9

    run(playground, scenario)


def test_a_server_that_stops_says_goodbye(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        socket = await dial()
        await socket.identify()
        await socket.dispatch("GUILD_CREATE")
        stopping = asyncio.create_task(asyncio.to_thread(playground.stop))
        assert await socket.close_code() == 1001
        await stopping

    run(playground, scenario)


def test_sessions_that_nobody_resumes_are_forgotten(playground: PlaygroundServer) -> None:
    async def scenario(dial: Dial) -> None:
        readies = []
        for _ in range(SESSIONS_KEPT + 1):
            socket = await dial()
            await socket.identify()
            readies.append(await socket.dispatch("READY"))
            await asyncio.to_thread(playground.drop, 1006)
            await asyncio.to_thread(lambda: playground.wait_until_online(online=False))
        oldest, newest = await dial(), await dial()
        await oldest.resume(readies[0], 1)
        await newest.resume(readies[-1], 1)

        assert (await oldest.receive())["op"] == 9
        await newest.dispatch("RESUMED")

    run(playground, scenario)
