"""Download of attached files: bounded, and from Discord's hosts only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import discord
import yarl

from actors.discord.calls.rest_calls import CallFailedError, RestCalls
from actors.discord.timing import Timing

_CHUNK_BYTES = 1 << 16
_PASSING = frozenset({408, 425, 429})
"""Client errors after which the same request may get another answer."""


class UnfetchedError(Exception):
    """The file is not to be had; the text says why, for a model and a person."""


class Fetcher:
    """Downloads of files by the client's own connections; callers with files in memory limit the number at once."""

    def __init__(self, *, rest: RestCalls, origins: Callable[[], frozenset[yarl.URL]], timing: Timing) -> None:
        """Begin without downloads.

        Args:
            rest: Runs the calls.
            origins: Permitted origins of files, as scheme, host and port.
            timing: `file_timeout_s` bounds a file with all attempts at it.
        """
        self._rest = rest
        self._origins = origins
        self._timing = timing

    async def fetch(self, address: str, most_bytes: int) -> bytearray:
        """Content of the file at `address`.

        Raises:
            UnfetchedError: the file cannot be read, is elsewhere, or has more than `most_bytes`.
        """
        url = self._check_address(address)

        async def call(client: discord.Client) -> bytearray:
            return await _read(client, url, most_bytes)

        try:
            async with asyncio.timeout(self._timing.file_timeout_s):
                return await self._rest.persist("reading an attached file", call)
        except TimeoutError:
            raise UnfetchedError(f"reading it took longer than {self._timing.file_timeout_s:g} s") from None
        except CallFailedError:
            raise UnfetchedError("Discord did not give it, however often it was asked") from None

    def _check_address(self, address: str) -> yarl.URL:
        try:
            url = yarl.URL(address)
            is_ours = url.origin() in self._origins()
        except ValueError:
            raise UnfetchedError("its address is none") from None
        if not is_ours:
            raise UnfetchedError(f"it is not with Discord but at {url.host}")
        return url


async def _read(client: discord.Client, url: yarl.URL, most_bytes: int) -> bytearray:
    """Download the file in a single attempt.

    Raises:
        UnfetchedError: another attempt would end the same.
        OSError, aiohttp.ClientError: another attempt may succeed.
    """
    session: aiohttp.ClientSession = _session_of(client)
    how: dict[str, Any] = {"proxy": client.http.proxy, "proxy_auth": client.http.proxy_auth}
    # Not compressed, since a few bytes could become many before they are counted.
    how |= {"headers": {"Accept-Encoding": "identity"}, "auto_decompress": False, "allow_redirects": False}
    async with session.get(url, **how) as answer:
        _judge(answer, most_bytes)
        data = bytearray()
        async for chunk in answer.content.iter_chunked(_CHUNK_BYTES):
            data += chunk
            if len(data) > most_bytes:
                raise UnfetchedError(f"more than {most_bytes:,} bytes came, at most so many are read")
        return data


def _judge(answer: aiohttp.ClientResponse, most_bytes: int) -> None:
    """Raise unless the body of the answer is to be read."""
    status = answer.status
    if status >= 500 or status in _PASSING:
        raise ConnectionError(f"status {status}")
    if 300 <= status < 400:
        raise UnfetchedError("its address leads elsewhere, where it is not followed")
    if status != 200:
        raise UnfetchedError(f"Discord says status {status}")
    if (answer.content_length or 0) > most_bytes:
        raise UnfetchedError(f"it has {answer.content_length:,} bytes, at most {most_bytes:,} are read")
    if answer.headers.get("Content-Encoding", "identity") != "identity":
        raise UnfetchedError("it comes compressed, which was not asked for")


def _session_of(client: discord.Client) -> Any:
    """HTTP session of discord.py; its public interface only reads whole files of any size."""
    return client.http._HTTPClient__session  # type: ignore[attr-defined]
