"""A small server of embeddings and rerankings on 127.0.0.1, in the dialects of a few, that does wrong what it is told."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Self

from aiohttp import web

from actors.kernel import LoopThread
from actors.linux.transports import stop_accepting
from tests.patience import PATIENCE_S

Vectors = list[Any]


def vector_of(text: str, dimensions: int) -> list[float]:
    """Some vector of `text`, not of unit length."""
    seed = blake2b(text.encode(), digest_size=64).digest() * (dimensions // 32 + 1)
    return [value / 7 for (value,) in struct.iter_unpack("<h", seed)][:dimensions]


def relevance_of(text: str) -> float:
    """Some relevance of `text`, in [0, 1]."""
    return blake2b(text.encode(), digest_size=1).digest()[0] / 255


@dataclass(frozen=True)
class Reply:
    """Fault of one call, or of every call with the text `only_for`."""

    status: int = 200
    body: Any = None
    """JSON, or bytes as they are; None for the vectors."""
    headers: dict[str, str] = field(default_factory=dict)
    spoil: Callable[[Vectors], Vectors] | None = None
    """Changes the vectors of an answer that is otherwise right."""
    reset: bool = False
    held: bool = False
    """Not answered before `release`."""
    only_for: str = ""


RIGHT = Reply()


@dataclass(frozen=True)
class Seen:
    """One call."""

    texts: list[str]
    body: dict[str, Any]
    path: str
    headers: dict[str, str]


class LoopbackEmbeddings:
    """Serves in a thread of its own; every method may be called from any thread."""

    def __init__(self) -> None:
        self.always: Reply = RIGHT
        """When the script is used up."""
        self.script: list[Reply] = []
        self.seen: list[Seen] = []
        self.most_at_once = 0
        self._at_once = 0
        self._loop = LoopThread("loopback-embeddings")
        self._changed = threading.Condition()
        self._released = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._listening: socket.socket | None = None
        self.address = ""

    def __enter__(self) -> Self:
        self._loop.start()
        self.address = self._loop.submit(self._start()).result(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._runner is not None
        self.release()
        self._loop.submit(self._stop()).result(PATIENCE_S)
        self._loop.stop()

    def release(self) -> None:
        """Answer what is held, and hold nothing more."""
        self._loop.call(self._released.set)

    def wait_for_calls(self, count: int) -> None:
        """Return when that many calls have come."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.seen) >= count, PATIENCE_S), len(self.seen)

    @property
    def texts(self) -> list[str]:
        return [text for seen in self.seen for text in seen.texts]

    async def _start(self) -> str:
        app = web.Application()
        app.router.add_post("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        self._listening = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(self._runner, self._listening).start()
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}"

    async def _stop(self) -> None:
        assert self._runner is not None
        assert self._listening is not None
        await stop_accepting([self._listening])
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        is_google = "requests" in body
        texts = (
            [part["content"]["parts"][0]["text"] for part in body["requests"]]
            if is_google
            else body.get("input") or body["documents"]
        )
        reply = self._next_reply(texts)
        self._at_once += 1
        with self._changed:
            self.most_at_once = max(self.most_at_once, self._at_once)
            self.seen.append(Seen(texts, body, request.path, {k.lower(): v for k, v in request.headers.items()}))
            self._changed.notify_all()
        try:
            return await self._reply(request, reply, texts, is_google)
        finally:
            self._at_once -= 1

    def _next_reply(self, texts: list[str]) -> Reply:
        reply = self.script.pop(0) if self.script else self.always
        return reply if not reply.only_for or any(reply.only_for in text for text in texts) else RIGHT

    async def _reply(self, request: web.Request, reply: Reply, texts: list[str], is_google: bool) -> web.StreamResponse:
        if reply.held:
            await self._released.wait()
        if reply.reset:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if isinstance(reply.body, bytes):
            return web.Response(body=reply.body, status=reply.status, content_type="text/html", headers=reply.headers)
        is_reranking = request.path.endswith("/rerank")
        right = self._relevances if is_reranking else self._vectors
        body = reply.body if reply.body is not None else right(reply, texts, request, is_google)
        return web.Response(
            text=json.dumps(body), status=reply.status, content_type="application/json", headers=reply.headers
        )

    def _relevances(self, reply: Reply, texts: list[str], _request: web.Request, _is_google: bool) -> dict[str, Any]:
        results: Vectors = [{"index": index, "relevance_score": relevance_of(text)} for index, text in enumerate(texts)]
        if reply.spoil is not None:
            results = reply.spoil(results)
        # As services do: the best first.
        return {"id": "x", "results": results[::-1], "meta": {"billed_units": {"search_units": 1}}}

    def _vectors(self, reply: Reply, texts: list[str], request: web.Request, is_google: bool) -> dict[str, Any]:
        vectors: Vectors = [vector_of(text, 16) for text in texts]
        if reply.spoil is not None:
            vectors = reply.spoil(vectors)
        if is_google:
            return {"embeddings": [{"values": vector} for vector in vectors]}
        data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
        # In no order: what counts is the index.
        return {"object": "list", "model": "test", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
