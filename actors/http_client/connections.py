"""Connections to servers of models and embeddings: the client of all calls outside of libraries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiohttp

from actors.http_client.bounded_answers import BeyondBoundError
from actors.http_client.clean_connector import CleanConnector
from actors.http_client.environment import proxy_for, trusted_certificates

KEEP_ALIVE_S = 4.0
"""Idle seconds below the usual 5 s of servers, since a server may close a connection while we begin to use it."""
KEEP_ALIVE_TLS_S = 20.0
"""Idle seconds for servers behind TLS: providers keep connections for a minute and longer, and a new one costs more."""
MOST_ANSWER_BYTES = 32 * 1024 * 1024
"""The longest answers of models have 130,000 tokens, each in an event of 250 bytes."""
MOST_ERROR_BYTES = 64 * 1024
"""Most bytes to read of a refusal's body; the rest is not read."""


class Connections:
    """HTTP client of one event loop, opened at the first need. Follows no redirection and keeps no cookies."""

    def __init__(self) -> None:
        self._sessions: dict[tuple[str, bool], aiohttp.ClientSession] = {}
        self._idle_until: dict[str, float] = {}
        """Address -> end of the permitted idle time of a connection there, on the loop's clock."""
        self._proxies: dict[str, str | None] = {}
        """Address -> proxy named by the environment at the first call."""
        self._is_closed = False

    @asynccontextmanager
    async def post(
        self, address: str, body: bytes, headers: Mapping[str, str]
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Response to a POST of JSON, once its head has come, through the environment's proxy if any.

        The other end may have closed an idle connection meanwhile, which shows only during use; then the same request
        is sent over a new connection.

        Args:
            address: Whereto.
            body: JSON.
            headers: Headers beside the content type of JSON.
        """
        more = {"Content-Type": "application/json", "Accept-Encoding": "identity", **headers}
        scheme, clock = urlsplit(address).scheme, asyncio.get_running_loop().time
        may_be_stale = clock() < self._idle_until.get(address, 0.0)
        try:
            response = await self._post(scheme, address, body, more)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            if not may_be_stale or isinstance(error, aiohttp.ClientConnectorError):
                raise
            response = await self._post(scheme, address, body, more, is_new=True)
        async with response:
            yield response
        self._idle_until[address] = clock() + _keep_alive_s(scheme) + 1.0

    async def _post(
        self,
        scheme: str,
        address: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        is_new: bool = False,
    ) -> aiohttp.ClientResponse:
        session = self._session(scheme, is_new=is_new)
        if address not in self._proxies:
            self._proxies[address] = proxy_for(address)
        proxy = self._proxies[address]
        return await session.post(address, data=body, headers=headers, allow_redirects=False, proxy=proxy)

    async def close(self) -> None:
        """Close all connections; calls under way and later calls get `aiohttp.ClientConnectionError`."""
        self._is_closed = True
        sessions = tuple(self._sessions.values())
        self._sessions.clear()
        for session in sessions:
            await session.close()

    def _session(self, scheme: str, *, is_new: bool) -> aiohttp.ClientSession:
        """Client for a scheme; with `is_new`, a client that uses each connection once."""
        if self._is_closed:
            raise aiohttp.ClientConnectionError("the connections were closed")
        session = self._sessions.get((scheme, is_new))
        if session is None:
            ssl_of = trusted_certificates() if scheme == "https" else True
            keep_alive_s = None if is_new else _keep_alive_s(scheme)
            connector = CleanConnector(limit=0, keepalive_timeout=keep_alive_s, ssl_of=ssl_of)
            # aiohttp itself is not to ask the environment: two threads a call, and a `.netrc` would bring a key.
            session = self._sessions[scheme, is_new] = aiohttp.ClientSession(
                connector=connector,
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return session


def headers_of(response: aiohttp.ClientResponse) -> dict[str, str]:
    """The headers of a response, names in lower case."""
    return {name.lower(): value for name, value in response.headers.items()}


async def read_whole(response: aiohttp.ClientResponse, most_bytes: int = MOST_ANSWER_BYTES) -> bytes:
    """The body of a response; of a refusal the first `MOST_ERROR_BYTES` and what came with their end.

    Raises:
        BeyondBoundError: an answer is longer than `most_bytes`.
    """
    data = bytearray()
    async for chunk in response.content.iter_any():
        data += chunk
        if response.status != 200 and len(data) > MOST_ERROR_BYTES:
            break
        if len(data) > most_bytes:
            raise BeyondBoundError(f"the server sent an answer of more than {most_bytes} bytes, the most that are read")
    return bytes(data)


def _keep_alive_s(scheme: str) -> float:
    return KEEP_ALIVE_TLS_S if scheme == "https" else KEEP_ALIVE_S
