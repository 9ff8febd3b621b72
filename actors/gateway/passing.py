"""Passing of requests to the model's server and of its answers back, nothing of either changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from actors.gateway.config import GatewayConfig
from actors.gateway.errors import GatewayError

CONNECT_S = 10.0
SILENCE_S = 600.0
"""Longest wait for the next bytes of an answer: models think."""
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


Taker = Callable[[bytes], None]
"""Is shown a piece of an answer."""


class Upstream:
    """The model's server, and the connections to it."""

    def __init__(self, config: GatewayConfig) -> None:
        """Nothing is opened yet.

        Args:
            config: Where it is.
        """
        self._base = config.base_url.rstrip("/")
        parts = urlsplit(self._base)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._key = config.upstream_key
        self._takes_clients_key = not config.keys
        self._session: aiohttp.ClientSession | None = None

    def start(self) -> None:
        """Make the session, on the loop that it is used on."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S, sock_read=SILENCE_S),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    def address(self, raw_path: str) -> URL:
        """Where a request to `raw_path`, with its query, goes on to."""
        if raw_path == "/v1" or raw_path.startswith(("/v1/", "/v1?")):
            return URL(f"{self._base}{raw_path[3:]}", encoded=True)
        if raw_path.startswith("/chat/completions"):
            return URL(f"{self._base}{raw_path}", encoded=True)
        return URL(f"{self._origin}{raw_path}", encoded=True)

    def request_headers(self, request: web.Request, *, is_read: bool) -> CIMultiDict[str]:
        """Headers that go on.

        Args:
            request: The client's.
            is_read: Whether we read the answer, which then must not be packed.
        """
        named = {name.strip().lower() for name in request.headers.get("Connection", "").split(",")}
        headers = CIMultiDict(
            (name, value)
            for name, value in request.headers.items()
            if name.lower() not in _HOP | _OURS and name.lower() not in named
        )
        if is_read or "Accept-Encoding" not in headers:
            headers["Accept-Encoding"] = "identity"
        if not self._takes_clients_key or "Authorization" not in headers:
            headers.pop("Authorization", None)
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
        headers.pop("Cookie", None)
        return headers

    @asynccontextmanager
    async def call(
        self, request: web.Request, body: bytes | AsyncIterator[bytes] | None, *, is_read: bool
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The server's answer, once it has begun.

        Raises:
            GatewayError: it cannot be reached, or is silent for too long before it begins.
        """
        assert self._session is not None
        headers = self.request_headers(request, is_read=is_read)
        skipped = ("User-Agent", "Content-Type") if "User-Agent" not in headers else ("Content-Type",)
        try:
            response = await self._session.request(
                request.method,
                self.address(request.raw_path),
                data=body,
                headers=headers,
                allow_redirects=False,
                skip_auto_headers=skipped,
            )
        except TimeoutError as error:
            raise GatewayError(504, "the model's server did not answer in time") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise GatewayError(502, f"the model's server could not be reached: {type(error).__name__}") from error
        try:
            yield response
        finally:
            response.close() if not response.content.at_eof() else response.release()


def response_headers(response: aiohttp.ClientResponse) -> CIMultiDict[str]:
    """Headers of an answer that go back to the client."""
    named = {name.strip().lower() for name in response.headers.get("Connection", "").split(",")}
    return CIMultiDict(
        (name, value)
        for name, value in response.headers.items()
        if name.lower() not in _HOP and name.lower() not in named
    )


async def relay(
    request: web.Request, response: aiohttp.ClientResponse, extra: Mapping[str, str], take: Taker | None = None
) -> web.StreamResponse:
    """Give an answer to the client as it comes, piece by piece.

    Args:
        request: The client's.
        response: The server's answer.
        extra: Headers besides.
        take: Is shown each piece.

    Raises:
        BrokenAnswerError: the server broke it off; the client must not take it for whole.
        ConnectionError: the client is gone.
    """
    headers = response_headers(response)
    headers.update(extra)
    answer = web.StreamResponse(status=response.status, reason=response.reason, headers=headers)
    if "Content-Length" not in headers and request.version >= aiohttp.HttpVersion11:
        answer.enable_chunked_encoding()
    await answer.prepare(request)
    try:
        async for piece in response.content.iter_any():
            if take is not None:
                take(piece)
            await answer.write(piece)
    except (aiohttp.ClientError, TimeoutError) as error:
        if isinstance(error, aiohttp.ClientConnectionResetError) and not isinstance(
            error, aiohttp.ServerDisconnectedError
        ):
            raise ConnectionResetError("the client is gone") from error
        raise BrokenAnswerError(type(error).__name__) from error
    return answer


class BrokenAnswerError(Exception):
    """An answer that the server broke off."""


def break_off(request: web.Request) -> None:
    """End the client's connection so that it cannot take what it got for a whole answer."""
    if request.transport is not None:
        request.transport.abort()


async def body_of(request: web.Request, most_bytes: int) -> bytes:
    """All of a request's body.

    Raises:
        GatewayError: it is longer than that, or does not come whole.
    """
    declared = request.content_length
    if declared is not None and declared > most_bytes:
        raise GatewayError(413, f"the body has {declared} bytes: at most {most_bytes} are taken (facts.max_body_mib)")
    data = bytearray()
    try:
        async for piece in request.content.iter_any():
            data += piece
            if len(data) > most_bytes:
                raise GatewayError(413, f"the body has more than {most_bytes} bytes (facts.max_body_mib)")
    except (aiohttp.ClientError, web.RequestPayloadError, asyncio.IncompleteReadError) as error:
        raise GatewayError(400, "the body did not come whole") from error
    return bytes(data)
