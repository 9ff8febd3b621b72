"""Player: an HTTP server on loopback for a single recorded response, sent in arbitrary pieces."""

from __future__ import annotations

import asyncio
import contextlib
import random
from dataclasses import dataclass, field

from lab.bench.recorded.archive import Exchange

_MOST_PIECE_BYTES = 700
_MOST_PIECES = 400
"""Most pieces of a response, to keep large responses fast."""
_LIMIT_BYTES = 64 * 1024
"""Of a request's head."""


@dataclass(slots=True)
class PlayedRequest:
    """Request of the agent."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Player:
    """Server for one exchange at a time; an async context manager."""

    exchange: Exchange | None = None
    requests: list[PlayedRequest] = field(default_factory=list)
    """Requests since `play`."""
    port: int = 0
    _server: asyncio.Server | None = None
    _connections: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = field(default_factory=dict)

    async def __aenter__(self) -> Player:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_LIMIT_BYTES)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._connections.values():
            writer.close()
        await asyncio.gather(*filter(None, self._connections))

    @property
    def address(self) -> str:
        """Beginning of every address."""
        return f"http://127.0.0.1:{self.port}"

    def play(self, exchange: Exchange) -> None:
        """Answer with the response of an exchange from now on."""
        self.exchange = exchange
        self.requests.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._connections[task] = writer
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    self.requests.append(await _read_request(reader))
                    await self._answer(writer)
        finally:
            writer.close()
            self._connections.pop(task)

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        exchange = self.exchange
        if exchange is None:
            raise RuntimeError("no exchange is played")
        heads = "".join(f"{name}: {value}\r\n" for name, value in exchange.headers.items())
        writer.write(f"HTTP/1.1 {exchange.status} Recorded\r\n{heads}transfer-encoding: chunked\r\n\r\n".encode())
        chance = random.Random(str(exchange))
        at, most = 0, max(_MOST_PIECE_BYTES, 2 * len(exchange.body) // _MOST_PIECES)
        while at < len(exchange.body):
            piece = exchange.body[at : at + chance.randint(1, most)]
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
            await asyncio.sleep(0)  # so that the pieces arrive as pieces
            at += len(piece)
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _read_request(reader: asyncio.StreamReader) -> PlayedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    if "chunked" in headers.get("transfer-encoding", ""):
        body = b""
        while size := int(await reader.readuntil(b"\r\n"), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readuntil(b"\r\n")
    else:
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    return PlayedRequest(method, path, headers, body)
