"""HTTP server on the loopback for one hostile row: a thread for each connection, without a library."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType, TracebackType
from typing import Any, Self

Json = dict[str, Any]
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
LONGEST_HEAD = 65536
TOOLS: Json = {"tools": [{"name": "act", "description": "Acts.", "inputSchema": {"type": "object"}}]}
DONE: Json = {"content": [{"type": "text", "text": "done"}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request, and the connection for the answer."""

    verb: str
    path: str
    headers: Mapping[str, str]
    message: Json
    """Message in the body; empty without a message."""
    connection: socket.socket
    over: threading.Event
    """Set when the server ends."""

    @property
    def method(self) -> str:
        """Method of the message."""
        return str(self.message.get("method", ""))

    def write(self, data: bytes) -> None:
        """Write bytes of an answer."""
        self.connection.sendall(data)

    def head(self, status: int, headers: Mapping[str, str] = NO_HEADERS, length: int | None = None) -> None:
        """Write the head of an answer; with no length, the end of the connection ends the answer."""
        lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in headers.items())]
        lines += ["Connection: close"] if length is None else [f"Content-Length: {length}"]
        self.write("\r\n".join([*lines, "", ""]).encode("utf-8"))

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Write an answer; in names of headers `_` stands for `-`."""
        self.head(status, {name.replace("_", "-"): value for name, value in headers.items()}, len(body))
        self.write(body)

    def reply(self, result: object, **headers: str) -> None:
        """Answer the message."""
        body = json.dumps({"jsonrpc": "2.0", "id": self.message.get("id"), "result": result}).encode()
        self.answer(200, body, Content_Type="application/json", **headers)

    def stream(self) -> None:
        """Begin a stream of events."""
        self.head(200, {"Content-Type": "text/event-stream"})


Handler = Callable[[Exchange], bool | None]
"""Function from a request to True if answered; an unanswered request is answered as by a friendly server."""


def be_friendly(exchange: Exchange) -> None:
    """Answer as a friendly server."""
    message = exchange.message
    if exchange.verb == "GET":
        exchange.answer(405)
    elif exchange.verb == "DELETE" or "id" not in message or "method" not in message:
        exchange.answer(202)
    elif exchange.method == "initialize":
        exchange.reply(
            {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"},
            },
            Mcp_Session_Id="session-1",
        )
    elif exchange.method in ("tools/list", "tools/call", "ping"):
        exchange.reply({"tools/list": TOOLS, "tools/call": DONE}.get(exchange.method, {}))
    else:
        error = {"code": -32601, "message": "no such method"}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()
        exchange.answer(200, body, Content_Type="application/json")


@dataclass(slots=True)
class HttpServer:
    """Server on a free port; a context manager."""

    handler: Handler
    requests: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)
    """Verb, path and headers of each request."""
    port: int = 0
    _over: threading.Event = field(default_factory=threading.Event)
    _connections: list[socket.socket] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)
    _listener: socket.socket | None = None

    @property
    def url(self) -> str:
        """Address for a client."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._start(self._accept)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        assert self._listener is not None
        for each in (self._listener, *self._connections):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join(10)

    def _start(self, target: Callable[..., object], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True, name="hostile-http")
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        assert self._listener is not None
        while not self._over.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            self._start(self._converse, connection)

    def _converse(self, connection: socket.socket) -> None:
        """Answer the requests of one connection."""
        with suppress(OSError, ValueError, KeyError), connection, connection.makefile("rb") as lines:
            while (first := lines.readline(LONGEST_HEAD).split()) and len(first) == 3:
                headers = dict[str, str]()
                while line := lines.readline(LONGEST_HEAD).decode("latin-1").strip():
                    name, _, value = line.partition(":")
                    headers[name.lower()] = value.strip()
                body = lines.read(int(headers.get("content-length", "0")))
                verb, path = first[0].decode(), first[1].decode()
                self.requests.append((verb, path, headers))
                message = json.loads(body) if body else {}
                exchange = Exchange(
                    verb=verb, path=path, headers=headers, message=message, connection=connection, over=self._over
                )
                if not self.handler(exchange):
                    be_friendly(exchange)
