"""A search engine and a web site on loopback, kind and unkind."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Self

from aiohttp import web

from actors.kernel import LoopThread
from actors.linux.transports import stop_accepting
from tests.patience import PATIENCE_S

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

NO_HEADERS: Mapping[str, str] = MappingProxyType({})
KEY = "BSA-not-a-real-key-0123456789"
ARTICLE = """<!doctype html><html><head><title>On  Owls</title><script>steal()</script></head>
<body><nav>Menu</nav><main><h1>Owls</h1><p>They <b>see</b> at night, <a href="/more">more</a>.</p>
<style>p{color:red}</style></main><footer>Imprint</footer></body></html>"""


class Site:
    """Answers by path; notes what it was asked. `pages` may be changed at any time."""

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[web.BaseRequest] = []
        self.results: object = {"web": {"results": []}}
        self.pages: dict[str, Handler] = {"/article": said(ARTICLE), "/res/v1/web/search": self._search}
        self.let_go = asyncio.Event()
        """Slow pages wait for it; it is only ever set when the site closes."""
        self.bytes_sent = 0
        self._loop = LoopThread("test-site")
        self._runner: web.ServerRunner | None = None
        self._listening: socket.socket | None = None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_base(self) -> str:
        return f"{self.base}/res/v1"

    def paths(self) -> list[str]:
        return [request.path for request in self.asked]

    def __enter__(self) -> Self:
        self._loop.start()
        self._loop.submit(self._open()).result(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.submit(self._close()).result(PATIENCE_S)
        self._loop.stop()

    def release(self) -> None:
        """Let the slow pages answer."""
        self._loop.call(self.let_go.set)

    async def _open(self) -> None:
        self._runner = web.ServerRunner(web.Server(self._answer), shutdown_timeout=0.5)
        await self._runner.setup()
        self._listening = socket.create_server(("127.0.0.1", 0))
        await web.SockSite(self._runner, self._listening).start()
        assert self._runner.addresses
        self.port = self._runner.addresses[0][1]

    async def _close(self) -> None:
        self.let_go.set()
        if self._runner is not None and self._listening is not None:
            await stop_accepting([self._listening])
            await self._runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request)
        handler = self.pages.get(request.path)
        return web.Response(status=404) if handler is None else await handler(request)  # type: ignore[arg-type]

    async def _search(self, request: web.Request) -> web.StreamResponse:
        return web.json_response(self.results)

    async def slow(self, request: web.Request) -> web.StreamResponse:
        await self.let_go.wait()
        return web.Response(text="late")

    async def drip(self, request: web.Request) -> web.StreamResponse:
        """One byte at once and then no more, with the connection left open."""
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        await response.write(b"<")
        await self.let_go.wait()
        return response

    async def endless(self, request: web.Request) -> web.StreamResponse:
        """As much as anybody takes."""
        return await self._endless(request, b"<p>owl</p>" * 10_000)

    async def packing(self, request: web.Request) -> web.StreamResponse:
        """As much as anybody takes of what unpacks to nothing: the name of a packed file."""
        headers = {"Content-Encoding": "gzip"}
        return await self._endless(request, b"n" * 100_000, b"\x1f\x8b\x08\x08\0\0\0\0\0\xff", headers)

    async def _endless(
        self, request: web.Request, piece: bytes, first: bytes = b"", headers: Mapping[str, str] = NO_HEADERS
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html", **headers})
        await response.prepare(request)
        await response.write(first)
        while not self.let_go.is_set():
            try:
                await response.write(piece)
            except ConnectionError:
                break
            self.bytes_sent += len(piece)
        return response


def said(text: str, *, status: int = 200, kind: str = "text/html") -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status, content_type=kind)

    return answer


def raw(body: bytes, **headers: str) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.Response(body=body, headers=headers)
        if "Content-Type" not in headers:
            response.headers.popall("Content-Type", None)
        return response

    return answer


def redirect(to: str, status: int = 302) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers={"Location": to})

    return answer


def bomb(megabytes: int) -> Handler:
    """So many megabytes of blanks, packed small."""
    packed = gzip.compress(b" " * (megabytes << 20))
    return raw(packed, **{"Content-Type": "text/html", "Content-Encoding": "gzip"})
