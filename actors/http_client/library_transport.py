"""Transport for litellm's calls: connections with bounds, plain answers, and no request sent on elsewhere.

litellm makes the calls of most providers over httpx. httpx has no bound on answers, unpacks answers to any size, and
takes all headers along in a redirection but `Authorization`: the keys of Anthropic, Azure and Google among them.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import aiohttp

from actors.http_client.bounded_answers import BeyondBoundError, Bounds, detour_in
from actors.http_client.clean_connector import CleanConnector
from actors.http_client.connections import KEEP_ALIVE_TLS_S
from actors.http_client.pacing import Pace

MOST_BYTES = 64 * 1024 * 1024
"""Most bytes of one answer: embeddings of 64 texts, as numbers in JSON, are the longest."""
REST_TIMES = 1.0
"""Half a processor for long answers: litellm takes 0.9 ms for an event, so that a tenth would slow honest models."""


def bound_calls(handler: Any, transport: Any) -> None:
    """Give litellm's clients this transport, from now on and for the whole process; a second time changes nothing.

    Args:
        handler: litellm's `AsyncHTTPHandler`.
        transport: litellm's `LiteLLMAiohttpTransport`.
    """
    paced = _paced_stream()

    def create(
        ssl_context: ssl.SSLContext | None = None,
        ssl_verify: bool | None = None,
        shared_session: aiohttp.ClientSession | None = None,  # noqa: ARG001 - its form is litellm's
    ) -> Any:
        trust: ssl.SSLContext | bool = ssl_verify is not False if ssl_context is None else ssl_context
        own = None if ssl_context is None and ssl_verify is not False else trust
        return _bound_transport(paced, transport(client=lambda: _session(trust), ssl_verify=own))

    handler.create_async_transport = staticmethod(create)


def _session(trust: ssl.SSLContext | bool) -> aiohttp.ClientSession:
    connector = CleanConnector(
        limit=0, keepalive_timeout=KEEP_ALIVE_TLS_S, ssl_of=trust, bounds=Bounds(answer_bytes=MOST_BYTES)
    )
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())


def _bound_transport(paced: Any, transport: Any) -> Any:
    """Transport with plain and paced answers, accepted only from the requested address."""
    plain = transport.handle_async_request

    async def handle(request: Any) -> Any:
        request.headers["Accept-Encoding"] = "identity"
        response = await plain(request)
        headers = response.headers
        if fault := detour_in(response.status_code, headers.get("Location"), headers.get("Content-Encoding")):
            await response.aclose()
            raise BeyondBoundError(fault)
        response.stream = paced(response.stream)
        return response

    transport.handle_async_request = handle
    return transport


def _paced_stream() -> Any:
    """Class of httpx's paced streams; httpx is imported by then."""
    from httpx import AsyncByteStream

    pace = Pace(REST_TIMES)

    class PacedStream(AsyncByteStream):
        def __init__(self, plain: Any) -> None:
            self._plain = plain

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async with aclosing(aiter(self._plain)) as source, aclosing(pace.pieces(source)) as pieces:
                async for piece in pieces:
                    yield piece

        async def aclose(self) -> None:
            await self._plain.aclose()

    return PacedStream
