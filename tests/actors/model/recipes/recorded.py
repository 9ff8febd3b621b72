"""Recorded exchanges with models' servers: files, and a server on 127.0.0.1 to play one recipe."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

FOLDER = Path(__file__).parent
PIECE_BYTES = 61
"""Of an answer at a time, so that lines and characters are cut everywhere."""


class Form(msgspec.Struct, frozen=True):
    """Content of every request of a recipe; `{key}` in a header stands for the key."""

    method: str
    path: str
    headers: dict[str, str]
    aside: list[str] = []
    """Paths that litellm asks as well, whenever it likes; they are not found."""


class Response(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer of the server; `{key}` in a line stands for the key."""

    status: int
    headers: dict[str, str]
    lines: list[str]
    newline: str = "\n"

    def body(self, key: str) -> bytes:
        """The bytes as they come over the wire."""
        return self.newline.join(self.lines).replace("{key}", key).encode()


class Counted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tokens."""

    prompt: int
    completion: int
    cached: int


class Gives(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Answer that the agent has to understand."""

    text: str
    calls: list[tuple[str, str]]
    """Names and arguments."""
    stop: str
    usage: Counted
    cost_usd: float
    asked: int = 1  # twice for an answer that is empty or cannot be read


class Fails(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Failure that the agent has to understand."""

    says: str
    """To a person, of one try."""
    again: bool
    """True if the agent tries again."""
    wait_s: float | None = None
    """Seconds that the server asks the agent to wait before."""


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request, the server's answer, and what the agent has to make of it."""

    name: str
    source: str
    """Page that documents the form."""
    asked: str
    """Name of a conversation."""
    ways: list[str]
    """`settings`: as the settings choose; `litellm`: by litellm against the settings; `address`: a request with its
    server's address."""
    response: Response
    body: dict[str, Any] | None = None
    """Content of the request, in place of the conversation's content."""
    after: str = ""
    """The exchange that comes before it in the same conversation."""
    gives: Gives | None = None
    fails: Fails | None = None


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Exchanges with one provider, for one form of the model's name."""

    provider: str
    recorded: str
    """Origin of the exchanges."""
    spoken_to: bool
    """True if the recipe was tried at the provider's own server."""
    model: str
    """The setting `model.name`."""
    served_as: str
    """Model name at the server."""
    api_base: str
    """The path that ends the setting `model.api_base`."""
    address: str
    """Address of the provider's own server; empty for providers that users host themselves."""
    without_litellm: bool
    """True if the agent makes the calls itself."""
    key: str
    """Secret; empty for none."""
    request: Form
    body: dict[str, Any]
    """Content of every request."""
    streamed: dict[str, Any]
    """Content of every request with a streamed answer."""
    asked: dict[str, dict[str, Any]]
    """Content of the requests of a conversation."""
    exchanges: list[Exchange]

    def find_exchange(self, name: str) -> Exchange:
        """The exchange of that name."""
        return next(exchange for exchange in self.exchanges if exchange.name == name)

    def holds(self, exchange: Exchange, way: str) -> dict[str, Any]:
        """Required content of an exchange's request."""
        conversation = self.asked.get(exchange.asked, {})
        streamed = {} if way == "address" else self.streamed
        return self.body | streamed | conversation | (exchange.body or {})


def recipes() -> dict[str, Recipe]:
    """All of them, by the names of their files."""
    files = sorted(FOLDER.glob("*.json"))
    return {file.stem: msgspec.json.decode(file.read_bytes(), type=Recipe) for file in files}


def misses(wanted: Any, given: Any, at: str = "body") -> Iterator[str]:
    """Places where `given` lacks content of `wanted`; objects may hold more, lists may not."""
    if isinstance(wanted, dict) and isinstance(given, dict):
        for name, value in wanted.items():
            if name in given:
                yield from misses(value, given[name], f"{at}.{name}")
            else:
                yield f"{at}.{name} is not there"
    elif isinstance(wanted, list) and isinstance(given, list) and len(wanted) == len(given):
        for place, (one, other) in enumerate(zip(wanted, given, strict=True)):
            yield from misses(one, other, f"{at}[{place}]")
    elif wanted != given:
        yield f"{at} is {given!r} and should be {wanted!r}"


class RecordedServer:
    """HTTP server that answers each request as the exchange does that is played; a context manager.

    A request that is not the exchange's is answered with 418 and noted.
    """

    def __init__(self) -> None:
        self.misses: list[str] = []
        """Missing content of requests."""
        self.bodies: list[dict[str, Any]] = []
        """Of the requests since the exchange is played."""
        self.heads: list[str] = []
        """Of the same."""
        self._lock = threading.Lock()
        self._played: tuple[Form, dict[str, Any], Response, str] | None = None
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server.answer(self)

            do_GET = do_POST  # noqa: N815 - the base class finds it by this name

            def log_message(self, *_: object) -> None:
                """Nothing: a line could hold a key."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, name="recorded", daemon=True)

    @property
    def api_base(self) -> str:
        """With what every address begins."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> RecordedServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def play(self, form: Form, body: dict[str, Any], response: Response, key: str) -> None:
        """Answer from now on with `response`, if the request has the form and holds the body."""
        with self._lock:
            self._played = form, body, response, key
            self.bodies.clear()
            self.heads.clear()
            self.misses.clear()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Check one request and answer it; in a thread of the connection's."""
        raw = handler.rfile.read(int(handler.headers.get("content-length", "0")))
        with self._lock:
            if self._played is None:
                raise RuntimeError("no exchange is played")
            form, body, response, key = self._played
            if handler.path in form.aside:
                self._send(handler, 404, {}, b"{}")
                return
            found = (
                [f"{form.method} {form.path}"] if (handler.command, handler.path) != (form.method, form.path) else []
            )
            for name, value in form.headers.items():
                wanted, given = value.replace("{key}", key), handler.headers.get(name)
                found += [] if given == wanted else [f"header {name} is {given!r} and should be {wanted!r}"]
            given_body = msgspec.json.decode(raw or b"{}")
            found += misses(body, given_body)
            self.misses += found
            self.bodies.append(given_body)
            self.heads.append(str(handler.headers))
        if found:
            self._send(handler, 418, {"content-type": "text/plain"}, "; ".join(found).encode())
        else:
            self._send(handler, response.status, response.headers, response.body(key))

    def _send(self, handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for start in range(0, len(body), PIECE_BYTES):
            piece = body[start : start + PIECE_BYTES]
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            handler.wfile.flush()
        handler.wfile.write(b"0\r\n\r\n")
