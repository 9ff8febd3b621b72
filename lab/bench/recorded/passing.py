"""Passing: an exchange in OpenAI's form through a gateway, byte for byte, and the words kept by the gateway."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import aiohttp

from actors.gateway.actor import GatewayActor
from actors.gateway.config import GatewayConfig
from actors.kernel import Actor, ActorSpec, ActorSystem, not_understood
from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.outcome import Outcome
from lab.bench.recorded.player import Player
from messages.facts import FACT_RECALL, FACTS, GATEWAY, EntriesRecalled, RecallEntries, StoreTurn, TurnStored
from messages.status import DescribeYourself, SelfDescription

_START_S = 30.0


class Notebook(Actor):
    """Facts of a gateway: notes turns, and recalls no facts."""

    def __init__(self, turns: list[StoreTurn]) -> None:
        super().__init__()
        self._turns = turns

    def handle(self, message: StoreTurn | RecallEntries | DescribeYourself) -> None:
        """Note a turn, answer a recall with no facts, or report readiness."""
        match message:
            case StoreTurn(request_id=request_id, reply_to=reply_to):
                self._turns.append(message)
                self.tell(reply_to, TurnStored(request_id=request_id))
            case RecallEntries(request_id=request_id, reply_to=reply_to):
                self.tell(reply_to, EntriesRecalled(request_id=request_id, block="", hits=(), note=""))
            case DescribeYourself(request_id=request_id, reply_to=reply_to):
                self.tell(reply_to, SelfDescription(request_id=request_id, about=FACTS.kind, figures=()))
            case _:
                not_understood(message)


class Passing:
    """Gateway in front of a player; an async context manager."""

    def __init__(self, player: Player) -> None:
        """Begin without a running gateway."""
        self._player = player
        self._turns: list[StoreTurn] = []
        self._system = ActorSystem(workers=1)
        self._session: aiohttp.ClientSession | None = None
        self._place = ""

    async def __aenter__(self) -> Passing:
        up: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()
        config = GatewayConfig(base_url=f"{self._player.address}/v1", port=0)

        def note(place: str) -> None:
            loop.call_soon_threadsafe(up.set_result, place)

        for address in (FACTS, FACT_RECALL):
            self._system.register(ActorSpec(address.kind, lambda _key: Notebook(self._turns)))
        self._system.register(ActorSpec(GATEWAY.kind, lambda _key: GatewayActor(config, note), is_eager=True))
        self._system.start()
        self._place = await asyncio.wait_for(up, _START_S)
        self._session = aiohttp.ClientSession()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()
        await asyncio.to_thread(self._system.stop, 5.0)

    async def play(self, exchange: Exchange, wanted: Outcome | None) -> list[str]:
        """Differences of a client's answer, and of the words kept, from the recorded ones.

        Args:
            exchange: Exchange whose response is played.
            wanted: Recorded answer; None for the status of a fault.
        """
        assert self._session is not None
        self._turns.clear()
        self._player.play(exchange)
        body = json.dumps(exchange.request).encode()
        async with self._session.post(f"{self._place}/chat/completions", data=body) as response:
            got, status = await response.read(), response.status
        return list(self._differences(exchange, wanted, body, got, status))

    def _differences(
        self, exchange: Exchange, wanted: Outcome | None, body: bytes, got: bytes, status: int
    ) -> Iterator[str]:
        if [request.body for request in self._player.requests] != [body]:
            yield f"requests: {len(self._player.requests)}, or another body than the client's"
        if (status, got) != (exchange.status, exchange.body):
            yield f"the client got status {status} and {len(got)} bytes for {exchange.status} and {len(exchange.body)}"
        logged = next((turn.answer_text for turn in reversed(self._turns) if turn.is_over), "")
        right = "" if wanted is None or wanted.fault else wanted.text or "".join(wanted.refusals)
        if logged.strip() != right.strip():
            yield f"kept: {logged[:300]!r} for {right[:300]!r}"
