"""Connections to servers of models: one HTTP client for all calls that are made without litellm."""

from __future__ import annotations

import os
import ssl
import urllib.request
from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit

import aiohttp
import certifi

from actors.model.backend import AttemptError
from domain.policy.retrying import Fault, FaultKind

KEEP_ALIVE_S = 4.0
"""Less than the 5 s after which many servers close a connection, perhaps while we begin to use it."""
KEEP_ALIVE_TLS_S = 20.0
"""Servers behind TLS are providers', which keep connections for a minute and longer, and where a new one costs more."""
MOST_ANSWER_BYTES = 8 * 1024 * 1024
MOST_ERROR_BYTES = 64 * 1024
"""Of what comes with a refusal; the rest is not read."""


class Connections:
    """HTTP client of one event loop, opened at the first need. It follows no redirection and keeps no cookies."""

    def __init__(self) -> None:
        self._sessions: dict[str, aiohttp.ClientSession] = {}

    def post(
        self, address: str, body: bytes, headers: Mapping[str, str], *, proxy: str | None = None
    ) -> aiohttp.client._RequestContextManager:
        """The response to a POST of JSON, once its head has come; a context manager.

        Args:
            address: Whereto.
            body: JSON.
            headers: Besides those that JSON has.
            proxy: The address of one; None to go without, whatever the environment says.
        """
        more = {"Content-Type": "application/json", "Accept-Encoding": "identity", **headers}
        session = self._session(urlsplit(address).scheme)
        return session.post(address, data=body, headers=more, allow_redirects=False, proxy=proxy)

    async def close(self) -> None:
        """Close all of them."""
        sessions = tuple(self._sessions.values())
        self._sessions.clear()
        for session in sessions:
            await session.close()

    def _session(self, scheme: str) -> aiohttp.ClientSession:
        session = self._sessions.get(scheme)
        if session is None:
            is_tls = scheme == "https"
            # Nothing of the environment: asking it takes two threads a call, and a `.netrc` would bring a key.
            session = self._sessions[scheme] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=0,
                    keepalive_timeout=KEEP_ALIVE_TLS_S if is_tls else KEEP_ALIVE_S,
                    ssl=_trust() if is_tls else True,
                ),
                timeout=aiohttp.ClientTimeout(total=None),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return session


def headers_of(response: aiohttp.ClientResponse) -> dict[str, str]:
    """The headers of a response, names in lower case."""
    return {name.lower(): value for name, value in response.headers.items()}


async def read_whole(response: aiohttp.ClientResponse) -> bytes:
    """What comes, as far as it is read.

    Raises:
        AttemptError: an answer is too large.
    """
    data = bytearray()
    async for chunk in response.content.iter_any():
        data += chunk
        if response.status != 200 and len(data) > MOST_ERROR_BYTES:
            break
        if len(data) > MOST_ANSWER_BYTES:
            raise AttemptError(Fault(FaultKind.UNREADABLE))
    return bytes(data)


def proxy_for(address: str) -> str | None:
    """The proxy that the environment names for an address; None for none."""
    parts = urlsplit(address)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    proxies = urllib.request.getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


@cache
def _trust() -> ssl.SSLContext:
    """Whom to believe: the operator's certificates, else those that come with the packages."""
    named = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")
    return ssl.create_default_context(cafile=None if named else certifi.where())
