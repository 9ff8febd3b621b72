"""Bytes of HTTP on the wire: a model's server and a client of raw bytes."""

from __future__ import annotations

import asyncio
import re
import socket
import struct
from collections.abc import Iterable
from contextlib import suppress

from actors.kernel import LoopThread
from tests.patience import PATIENCE_S

BODY = b'{"model":"m","messages":[{"role":"user","content":"Who am I?"}]}'
STREAM_BODY = BODY[:-1] + b',"stream":true}'
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENTS_TO_THE_END = b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


class RawUpstream:
    """Model server that writes prepared bytes."""

    def __init__(self, *pieces: bytes, ends: str = "open", reads: bool = True) -> None:
        """Listens at once.

        Args:
            pieces: Pieces of each answer, written in order.
            ends: State of the connection afterwards: `open`, `close` or `reset`.
            reads: True to read the whole request before the answer.
        """
        self.heard: list[bytes] = []
        """Requests as they came: all there was of one that was broken off."""
        self.connections = 0
        self.begun = 0
        """Requests of which a byte came."""
        self.broken_off = 0
        self._pieces = pieces
        self._ends = ends
        self._reads = reads
        self._loop = LoopThread("raw-upstream")
        self._loop.start()
        self._server: asyncio.Server | None = None
        self.port = self._loop.submit(self._start()).result(PATIENCE_S)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def head(self) -> bytes:
        """Of the last request."""
        return self.heard[-1].partition(b"\r\n\r\n")[0] + b"\r\n"

    @property
    def body(self) -> bytes:
        """Of the last request, framing and all."""
        return self.heard[-1].partition(b"\r\n\r\n")[2]

    def stop(self) -> None:
        self._loop.submit(self._close()).result(PATIENCE_S)
        self._loop.stop()

    async def _start(self) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError):
            while await self._hear(reader):
                for piece in self._pieces:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(0)
                if self._ends == "reset":
                    connection = writer.get_extra_info("socket")
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if self._ends != "open":
                    break
        writer.close()

    async def _hear(self, reader: asyncio.StreamReader) -> bool:
        data = b""
        while not _is_whole(data) and not (data and not self._reads):
            piece = await reader.read(65_536)
            if not piece:
                if data:
                    self.broken_off += 1
                    self.heard.append(data)
                return False
            self.begun += not data
            data += piece
        self.heard.append(data)
        return True


def _is_whole(data: bytes, *, without_length: bool = True) -> bool:
    """True if a request or answer is whole; without a length it ends with its head or its connection."""
    head, end, body = data.partition(b"\r\n\r\n")
    if not end:
        return False
    if b"transfer-encoding: chunked" in head.lower():
        return body.endswith(b"0\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return len(body) >= int(length[1]) if length else without_length


def request(method: str, path: str, body: bytes = b"", *headers: str, version: str = "1.1") -> bytes:
    """One request, whose length is given where there is a body."""
    lines = [f"{method} {path} HTTP/{version}", "Host: localhost", *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def post(body: bytes = BODY, *headers: str, version: str = "1.1") -> bytes:
    """One chat completion."""
    return request("POST", "/v1/chat/completions", body, *headers, version=version)


def chunks(pieces: Iterable[bytes]) -> bytes:
    """Pieces as chunks, without the last, empty one."""
    return b"".join(f"{len(piece):x}".encode() + b"\r\n" + piece + b"\r\n" for piece in pieces)


def unpack_chunks(body: bytes) -> tuple[bytes, bool]:
    """Content of chunks, and whether the last, empty one came."""
    data = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        if int(size, 16) == 0:
            return data, True
        data, body = data + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    return data, False


def answer_on(connection: socket.socket) -> tuple[bytes, bytes, str]:
    """Head and body of one answer, and how it ended: `whole`, `close` or `reset`."""
    connection.settimeout(PATIENCE_S)
    data = b""
    try:
        while not _is_whole(data, without_length=False):
            piece = connection.recv(65_536)
            if not piece:
                return *_split(data), "close"
            data += piece
    except ConnectionError:
        return *_split(data), "reset"
    return *_split(data), "whole"


def _split(data: bytes) -> tuple[bytes, bytes]:
    head, _, body = data.partition(b"\r\n\r\n")
    return head + b"\r\n", body
