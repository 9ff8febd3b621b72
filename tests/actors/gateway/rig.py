"""The gateway by itself: the real actor on a real socket, a model's server of the test's own, and facts that a test scripts."""

from __future__ import annotations

import http.client
import json
import queue
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from actors.gateway.actor import GatewayActor
from actors.gateway.config import GatewayConfig
from actors.kernel import Actor, ActorSpec, ActorSystem, LoopThread
from messages.base import Address, Message
from messages.facts import FACT_RECALL, FACTS, GATEWAY, EntriesRecalled, RecallEntries, StoreTurn, TurnStored
from messages.status import DescribeYourself, SelfDescription
from tests.patience import PATIENCE_S, eventually

ANSWER = {
    "id": "x",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
}
ASK = {"model": "m", "messages": [{"role": "user", "content": "Who am I?"}]}


@dataclass
class Heard:
    """One request as the model's server heard it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reply:
    """Answer that a client got."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        return self.json["error"]


Handler = Callable[[web.Request], Any]


class UpstreamDouble:
    """A model's server."""

    def __init__(self, ssl_context: ssl.SSLContext | None = None) -> None:
        self._ssl_context = ssl_context
        self.heard: list[Heard] = []
        self.handler: Handler = lambda _request: web.json_response(ANSWER)
        self._loop = LoopThread("upstream")
        self._loop.start()
        self._runner: web.AppRunner | None = None
        self.port = self._loop.submit(self._start()).result(PATIENCE_S)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def stop(self) -> None:
        if self._runner is not None:
            self._loop.submit(self._runner.cleanup()).result(PATIENCE_S)
        self._loop.stop()

    async def _start(self) -> int:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self._ssl_context).start()
        return int(self._runner.addresses[0][1])

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.heard.append(Heard(request.method, request.raw_path, request.headers, body))
        answer = self.handler(request)
        return answer if isinstance(answer, web.StreamResponse) else await answer


@dataclass
class FactsScript:
    """Behaviour of the facts."""

    block: str = ""
    hits: tuple[Any, ...] = ()
    note: str = ""
    is_silent: bool = False
    stores: bool = True
    refusal: str = ""
    starts: bool = True
    """False while they open their files, and have no word for the gateway."""
    awaited: list[DescribeYourself] = field(default_factory=list)
    asked: list[RecallEntries] = field(default_factory=list)
    stored: list[StoreTurn] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    """Kinds of both, as they came."""

    def describe(self, tell: Callable[[Address, Message], object]) -> None:
        """Give the word that the gateway waits for."""
        while self.awaited:
            question = self.awaited.pop()
            tell(question.reply_to, SelfDescription(request_id=question.request_id, about=FACTS.kind, figures=()))


class FactsDouble(Actor):
    """Recalls and stores as its script says."""

    def __init__(self, script: FactsScript) -> None:
        super().__init__()
        self._script = script

    def handle(self, message: Message) -> None:
        from messages.socket import Refused

        script = self._script
        match message:
            case RecallEntries():
                script.asked.append(message)
                script.order.append("recall")
                if script.refusal:
                    self.tell(message.reply_to, Refused(request_id=message.request_id, reason=script.refusal))
                elif not script.is_silent:
                    answer = EntriesRecalled(
                        request_id=message.request_id, block=script.block, hits=script.hits, note=script.note
                    )
                    self.tell(message.reply_to, answer)
            case StoreTurn():
                script.stored.append(message)
                script.order.append("store")
                if script.stores:
                    self.tell(message.reply_to, TurnStored(request_id=message.request_id))
            case DescribeYourself():
                script.awaited.append(message)
                if script.starts:
                    script.describe(self.tell)
            case _:
                raise AssertionError(message)


class GatewayRig:
    """A running gateway."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        on_up: Callable[[str], None] = lambda _place: None,
        waits: bool = True,
        facts_start: bool = True,
        **config: Any,
    ) -> None:
        """Listens on a port of its own.

        Args:
            host: Where clients of the test go to.
            on_up: Told where it is.
            waits: Whether to wait until it listens.
            facts_start: False for facts that `FactsScript.describe` lets be ready.
            config: Of the gateway.
        """
        self.host = host
        self.upstream = UpstreamDouble()
        self.facts = FactsScript(starts=facts_start)
        self.system = ActorSystem(workers=2)
        self.asker = self.system.edge("asker")
        given: dict[str, Any] = {"base_url": self.upstream.base_url, "port": 0, "read_deadline_s": 5.0}
        settings = GatewayConfig(**given | config)
        for address in (FACTS, FACT_RECALL):
            self.system.register(ActorSpec(address.kind, lambda _key: FactsDouble(self.facts)))
        self.system.register(ActorSpec(GATEWAY.kind, lambda _key: GatewayActor(settings, on_up), is_eager=True))
        self.system.start()
        self.port = 0
        if waits:
            eventually(self._is_listening)

    def stop(self) -> None:
        self.system.stop(5.0)
        self.upstream.stop()

    def figures(self) -> dict[str, Any]:
        """Description of the actor by itself."""
        self.system.tell(GATEWAY, DescribeYourself(request_id="d", reply_to=self.asker.address))  # type: ignore[arg-type]
        told = self.asker.receive(PATIENCE_S)
        assert isinstance(told, SelfDescription)
        return dict(told.figures) | dict(told.operator_figures)

    def send(
        self, body: object = ASK, path: str = "/v1/chat/completions", method: str = "POST", **headers: str
    ) -> Reply:
        """Answer to a client's request."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body=data, headers=named)
            response = connection.getresponse()
            return Reply(response.status, dict(response.headers.items()), response.read())
        finally:
            connection.close()

    def stored_turns(self, count: int = 1) -> list[StoreTurn]:
        """Turns that the facts were told of, once there are so many."""
        eventually(lambda: len(self.facts.stored) >= count)
        return self.facts.stored

    def raw(self, data: bytes) -> socket.socket:
        """A connection on which these bytes were sent."""
        connection = socket.create_connection((self.host, self.port), timeout=PATIENCE_S)
        connection.sendall(data)
        return connection

    def _is_listening(self) -> bool:
        with suppress(queue.Empty, TimeoutError):
            self.port = int(self.figures()["port"])
        return bool(self.port)


async def stream(request: web.Request, *pieces: bytes, whole: bool = True) -> web.StreamResponse:
    """An answer that comes in pieces; one that is not whole breaks off."""
    answer = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Request-Id": "r1"})
    answer.enable_chunked_encoding()
    await answer.prepare(request)
    for piece in pieces:
        await answer.write(piece)
    if not whole:
        assert request.transport is not None
        request.transport.close()
    return answer


def event(text: str | None = None, **fields: Any) -> bytes:
    """One piece of a streamed answer."""
    choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": None} | fields
    return b"data: " + json.dumps({"id": "x", "choices": [choice]}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
