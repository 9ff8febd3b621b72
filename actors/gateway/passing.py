"""Passing of requests to the model's server and of answers back, both unchanged."""

from __future__ import annotations

import logging
import socket
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from urllib.parse import unquote, urlsplit

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from actors.gateway.access import Door
from actors.gateway.body import Body, refusal_of
from actors.gateway.config import GatewayConfig
from actors.gateway.errors import GatewayError
from actors.http_client.bounded_answers import refusal_in
from actors.http_client.clean_connector import CleanConnector
from actors.http_client.environment import proxy_for, proxy_name, trusted_certificates

log = logging.getLogger(__name__)

CONNECT_S = 10.0
IDLE_S = 4.0
"""Idle seconds for a kept connection: below 5 s, since common servers then close theirs, maybe during a request."""
MOST_HEADER_BYTES = 65_536
_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_OURS = frozenset({"host", "content-length", "expect"})
_NOT_INVENTED = ("User-Agent", "Content-Type", "Accept")


class Upstream:
    """The model's server, and the connections to it."""

    def __init__(self, config: GatewayConfig) -> None:
        """Begin without connections.

        Args:
            config: Address of the server.
        """
        self._base = config.base_url.rstrip("/")
        parts = urlsplit(self._base)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._key = config.upstream_key
        self._has_key = Door(config.keys).has_key
        self._takes_clients_key = not config.keys
        self._silence_s = config.silence_s
        self._proxy: str | None = None
        self._session: aiohttp.ClientSession | None = None

    @property
    def key(self) -> str:
        """Operator's key; empty for none."""
        return self._key

    def start(self) -> None:
        """Make the session, on the loop of its use."""
        self._proxy = proxy_for(self._base)
        if self._proxy is not None:
            log.info("the model's server is called through the proxy %s", proxy_name(self._proxy))
        ssl_of = trusted_certificates() if self._base.startswith("https:") else True
        self._session = aiohttp.ClientSession(
            connector=CleanConnector(limit=0, keepalive_timeout=IDLE_S, ssl_of=ssl_of),
            proxy=self._proxy,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=self._silence_s),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            max_line_size=MOST_HEADER_BYTES,
            max_field_size=MOST_HEADER_BYTES,
        )

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    def address(self, target: str) -> URL:
        """Address of a request at the model's server.

        Args:
            target: Path and query in the client's form; a whole address counts as its path.

        Raises:
            GatewayError: the target is no path, or leads back up.
        """
        if not target.startswith("/"):
            target = urlsplit(target)._replace(scheme="", netloc="").geturl()
        path = target.partition("?")[0]
        if not path.startswith("/") or any(unquote(part) in (".", "..") for part in path.split("/")):
            raise GatewayError(400, f"path {path[:80]!r}: one from / on is required, without . and ..")
        if path == "/v1" or path.startswith("/v1/"):
            return URL(f"{self._base}{target[3:]}", encoded=True)
        return URL(f"{self._origin}{target}", encoded=True)

    def chat_address(self, target: str) -> URL:
        """Address of a chat completion at the model's server, with the query of `target`."""
        _, mark, query = target.partition("?")
        return URL(f"{self._base}/chat/completions{mark}{query}", encoded=True)

    def request_headers(self, request: web.Request, *, is_read: bool) -> CIMultiDict[str]:
        """Headers to pass on; without cookies, since a browser sends cookies to all ports of this machine alike.

        Args:
            request: The client's.
            is_read: True if we read the answer; the answer must then not be packed.
        """
        headers = _end_to_end(request.headers, _HOP | _OURS | {"cookie"})
        if is_read or "Accept-Encoding" not in headers:
            headers["Accept-Encoding"] = "identity"
        for name in [
            name for name, value in headers.items() if name.lower() != "authorization" and self._has_key(value)
        ]:
            headers.popall(name, None)
        if not self._takes_clients_key or "Authorization" not in headers:
            headers.popall("Authorization", None)
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
        return headers

    @asynccontextmanager
    async def call(
        self, request: web.Request, address: URL, body: Body | bytes, *, is_read: bool
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Answer of the server, once it has begun.

        Raises:
            GatewayError: the server cannot be reached, or is silent for too long before its answer; the body is too
                long.
        """
        assert self._session is not None
        headers = self.request_headers(request, is_read=is_read)
        data = body if isinstance(body, bytes) else body.data(headers)
        skipped = [name for name in _NOT_INVENTED if name not in headers]
        try:
            response = await self._session.request(
                request.method, address, data=data, headers=headers, allow_redirects=False, skip_auto_headers=skipped
            )
        except TimeoutError as error:
            raise GatewayError(504, "the model's server did not answer in time") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if (too_long := refusal_of(error)) is not None:
                raise too_long from error
            if fault := refusal_in(error, "the model's server"):
                raise GatewayError(502, fault) from error
            way = f" through the proxy {proxy_name(self._proxy)}" if self._proxy is not None else ""
            reason = f"the model's server could not be reached{way}: {type(error).__name__}"
            raise GatewayError(502, reason) from error
        try:
            yield response
        finally:
            response.close()  # a connection whose answer was read to its end is back with the others already


def response_headers(response: aiohttp.ClientResponse) -> CIMultiDict[str]:
    """Headers of an answer for the client."""
    return _end_to_end(response.headers, _HOP)


def _end_to_end(headers: Mapping[str, str], left_out: frozenset[str]) -> CIMultiDict[str]:
    """Headers that do not belong to a single connection."""
    left_out |= {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in left_out)


class PassedAnswer(web.StreamResponse):
    """Answer on its way back, with only the server's headers and the connection's."""

    def __init__(self, response: aiohttp.ClientResponse, headers: CIMultiDict[str]) -> None:
        """Begin with the status of `response`, and these headers."""
        super().__init__(status=response.status, reason=response.reason, headers=headers)
        self.names = frozenset(name.lower() for name in headers)

    async def begin(self, request: web.Request) -> None:
        """Send the head to the client."""
        if "content-length" not in self.names and request.version >= aiohttp.HttpVersion11:
            self.enable_chunked_encoding()
        await self.prepare(request)


async def drop_invented(_request: web.Request, answer: web.StreamResponse) -> None:
    """Remove headers invented or guessed by the HTTP library from an answer; called before headers are sent."""
    names = answer.names if isinstance(answer, PassedAnswer) else {"content-type"}
    for name in ("Server", "Content-Type"):
        if name.lower() not in names:
            answer.headers.popall(name, None)


async def relay(
    request: web.Request,
    response: aiohttp.ClientResponse,
    extra: Mapping[str, str],
    *,
    read: bytes = b"",
    hidden: str = "",
) -> web.StreamResponse:
    """Give an answer to the client as it comes, piece by piece.

    Args:
        request: The client's.
        response: The server's answer.
        extra: Headers besides.
        read: Beginning of the answer, already read.
        hidden: Key that an error's text must not repeat.

    Raises:
        BrokenAnswerError: the server broke off; the client must not take the answer for whole.
        ConnectionError: the client is gone.
    """
    headers = response_headers(response)
    headers.update(extra)
    answer = PassedAnswer(response, headers)
    await answer.begin(request)
    pieces = pieces_of(response, read)
    if hidden and response.status >= 400:
        pieces = _hide_key(pieces, hidden.encode())
    async for piece in pieces:
        await answer.write(piece)
    return answer


async def _hide_key(pieces: AsyncIterator[bytes], key: bytes) -> AsyncIterator[bytes]:
    """The pieces with stars for the letters of a key, wherever the key is cut."""
    rest = b""
    async for piece in pieces:
        rest = (rest + piece).replace(key, b"*" * len(key))
        at = max(0, len(rest) - len(key) + 1)
        if at:
            yield rest[:at]
        rest = rest[at:]
    if rest:
        yield rest


async def pieces_of(response: aiohttp.ClientResponse, read: bytes = b"") -> AsyncIterator[bytes]:
    """Pieces of an answer as they come, after the beginning already read.

    Raises:
        BrokenAnswerError: the answer is broken off.
    """
    pieces = response.content.iter_any()
    if read:
        yield read
    while True:
        try:
            piece = await anext(pieces, None)
        except (aiohttp.ClientError, OSError) as error:
            raise BrokenAnswerError(type(error).__name__) from error
        if piece is None:
            return
        yield piece


async def beginning_of(response: aiohttp.ClientResponse) -> bytes:
    """Beginning of an answer, for rules to read; the rest can still be passed on."""
    data = bytearray()
    with suppress(BrokenAnswerError):
        async for piece in pieces_of(response):
            data += piece
            if len(data) > MOST_HEADER_BYTES:
                break
    return bytes(data)


class BrokenAnswerError(Exception):
    """The server broke off an answer."""


def break_off(request: web.Request) -> None:
    """End the client's connection, so the client cannot take a broken answer for whole."""
    if request.transport is None:
        return
    connection = request.transport.get_extra_info("socket")
    if request.version < aiohttp.HttpVersion11 and connection is not None:
        # Such an answer ends with its connection: only a reset says that it is not whole.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.transport.abort()
