"""simcord's Discord, which others wrote, on loopback sockets: for our whole agent as it is.

simcord patches a client in its own process and owns that client's tasks and time, which an agent with threads of its own
has no use for. So its backend alone is used: calls go to its route table, and its events out of a websocket. simcord's
builders and people need a client of their own, which idles beside it.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from email.utils import format_datetime
from io import BytesIO
from typing import Any, Self, TypeVar

import discord
import simcord
from aiohttp import BodyPartReader, web
from simcord.backend import serializers
from simcord.http import router

from tests.patience import PATIENCE_S

T = TypeVar("T")
TOKEN = "a.foreign.token"
_API = "/api/v10"


@dataclass(frozen=True)
class _File:
    fp: BytesIO
    filename: str
    description: str | None = None


class ForeignDiscord:
    """A thread with simcord's world and a server; used from tests' threads."""

    env: simcord.Env

    def __init__(self) -> None:
        """Nothing runs."""
        self.port = 0
        self.unknown: Counter[str] = Counter()
        """Calls that simcord has no route or field for."""
        self._queues: list[asyncio.Queue[str]] = []
        self._sent = 0
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="foreign discord", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.result(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(PATIENCE_S)

    @property
    def api_base(self) -> str:
        """Value for `discord.http.Route.BASE`."""
        return f"http://127.0.0.1:{self.port}{_API}"

    @property
    def gateway_url(self) -> str:
        """Address of the gateway."""
        return f"ws://127.0.0.1:{self.port}/gateway"

    def do(self, act: Callable[[], T]) -> T:
        """Run `act` on the world's loop."""

        async def call() -> T:
            return act()

        return self.wait(call())

    def wait(self, act: Coroutine[Any, Any, T]) -> T:
        """Run an act of a person on the world's loop."""
        return asyncio.run_coroutine_threadsafe(act, self._loop).result(PATIENCE_S)

    # the world's thread

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            if self._ready.done():
                raise
            self._ready.set_exception(error)

    async def _serve(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        idle = discord.Client(intents=discord.Intents.all())
        async with simcord.run(idle, check_errors=False) as self.env:
            app = web.Application()
            app.router.add_get("/gateway", self._gateway)
            app.router.add_route("*", _API + "/{path:.*}", self._rest)
            runner = web.AppRunner(app, handle_signals=False, access_log=None, shutdown_timeout=0.1)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self.port = runner.addresses[0][1]
            self.env.backend.subscribers.append(self._tell)
            self._ready.set_result(None)
            await self._stopping.wait()
            await runner.cleanup()

    # REST

    async def _rest(self, request: web.Request) -> web.Response:
        body, files = await _read(request)
        path = request.path.removeprefix(_API)
        headers = {"Date": format_datetime(self.env.now(), usegmt=True)}
        try:
            if path == "/gateway/bot":
                start = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
                answer: Any = {"url": self.gateway_url, "shards": 1, "session_start_limit": start}
            else:
                query = dict(request.query)
                answer = router.dispatch(self.env.backend, request.method, path, json=body, params=query, files=files)
        except (router.RouteNotImplemented, router.UnsupportedField) as error:
            self.unknown[str(error)] += 1
            return web.json_response(error.to_json(), status=501, headers=headers)
        except simcord.BackendError as error:
            if error.status == 429:
                headers |= {"Retry-After": "0.2", "Via": "1.1 google", "X-RateLimit-Scope": "user"}
                return _json({**error.to_json(), "retry_after": 0.2, "global": False}, 429, headers)
            return _json(error.to_json(), error.status, headers)
        return web.Response(status=204, headers=headers) if answer is None else _json(answer, 200, headers)

    # gateway

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        queue: asyncio.Queue[str] = asyncio.Queue()
        queue.put_nowait(_frame(10, {"heartbeat_interval": 41_250}))
        writer = asyncio.create_task(_write(socket, queue))
        async for message in socket:
            op = json.loads(message.data)["op"]
            if op == 1:
                queue.put_nowait(_frame(11, None))
            elif op == 2:
                self._queues.append(queue)
                self._identify()
            elif op == 6:
                queue.put_nowait(_frame(9, False))
        writer.cancel()
        if queue in self._queues:
            self._queues.remove(queue)
        return socket

    def _identify(self) -> None:
        backend = self.env.backend
        guilds = list(backend.guilds.values())
        ready = {
            "v": 10,
            "user": dict(serializers.user_payload(backend.bot_user)),
            "guilds": [{"id": str(guild.id), "unavailable": True} for guild in guilds],
            "session_id": "foreign",
            "resume_gateway_url": self.gateway_url,
            "application": {"id": str(backend.application_id), "flags": 0},
        }
        self._tell("READY", ready)
        for guild in guilds:
            self._tell("GUILD_CREATE", serializers.guild_create_payload(backend, guild))

    def _tell(self, event: str, payload: Any) -> None:
        self._sent += 1
        text = json.dumps({"op": 0, "s": self._sent, "t": event, "d": payload}, default=dict)
        for queue in self._queues:
            queue.put_nowait(text)


def _frame(op: int, data: object) -> str:
    return json.dumps({"op": op, "d": data, "s": None, "t": None})


async def _write(socket: web.WebSocketResponse, queue: asyncio.Queue[str]) -> None:
    """Send what is queued, in order."""
    while True:
        await socket.send_str(await queue.get())


def _json(value: object, status: int, headers: dict[str, str]) -> web.Response:
    """Answer whose type is exactly `application/json`: discord.py compares for equality."""
    text = json.dumps(value, default=dict).encode()
    return web.Response(body=text, status=status, headers=headers, content_type="application/json")


async def _read(request: web.Request) -> tuple[Any, list[_File]]:
    """Body and files of a call."""
    if request.content_type != "multipart/form-data":
        data = await request.read()
        return (json.loads(data) if data else None), []
    body, files = None, []
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        data = bytes(await part.read())
        if part.name == "payload_json":
            body = json.loads(data)
        else:
            files.append(_File(BytesIO(data), part.filename or "file"))
    return body, files
