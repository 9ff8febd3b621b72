"""Transport to a server on the web: streamable HTTP, a POST for each message, over connections with bounds.

The library's own HTTP client has no bounds on answers, so only the library's session is used. The transport does not
wait for notices without a request: tools are listed anew in each session.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import aiohttp
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp.types import JSONRPCRequest

from actors.http_client.bounded_answers import BeyondBoundError, Bounds, detour_in, shown_words
from actors.http_client.clean_connector import CleanConnector
from actors.http_client.connections import KEEP_ALIVE_TLS_S
from actors.http_client.environment import trusted_certificates
from actors.http_client.pacing import Pace
from actors.http_client.public_addresses import ForbiddenAddressError, HostPort, PublicAddresses
from actors.mcp.config import ServerConfig
from actors.mcp.errors import SessionOverError
from actors.mcp.sieve import MOST_MESSAGE_BYTES, Sieve, lines
from actors.mcp.streams import Incoming, Stream, parse

log = logging.getLogger(__name__)

_NO_LIMIT = 1 << 60
_CONNECT_S = 15.0
_END_S = 2.0
MOST_REPLIES = 8
"""Pending refusals of a server's requests; further refusals are dropped."""
_SESSION = "Mcp-Session-Id"
_SESSION_NAME = re.compile(r"[!-~]{1,500}")
_GONE = 404


class WebOutgoing(Stream):
    """Stream of requests to an address; the answers go to the stream of answers."""

    def __init__(
        self,
        config: ServerConfig,
        client: aiohttp.ClientSession,
        incoming: Incoming,
        *,
        pace: Pace,
        change: Callable[[], None],
        end: Callable[[str], None],
    ) -> None:
        """Begin without requests.

        Args:
            config: The server.
            client: Connections to the server.
            incoming: Takes the answers.
            pace: Shared by all servers.
            change: Called at the notice of changed tools.
            end: Called with the reason when the session has ended.
        """
        self._url = config.url
        self._key = config.key
        self._client = client
        self._incoming = incoming
        self._pace = pace
        self._end = end
        self._sieve = Sieve(self._reply, change)
        self._session = ""
        self._version: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._replies = 0

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message; the answer to a request comes later, to the stream of answers."""
        body = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        metadata = item.metadata
        if isinstance(metadata, ClientMessageMetadata) and metadata.headers:
            self._version = dict(metadata.headers)
        if isinstance(item.message, JSONRPCRequest):
            self._begin(self._post(body, dict(self._version), item.message.id))
        else:
            await self._post(body, dict(self._version), None)

    async def close(self) -> None:
        """End pending requests, and the session at the server, within a short time limit."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._session:
            with suppress(aiohttp.ClientError, OSError, TimeoutError):
                async with asyncio.timeout(_END_S):
                    await self._client.delete(self._url, headers=self._headers({}), allow_redirects=False)

    def _begin(self, sending: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(sending)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _reply(self, line: bytes) -> None:
        if self._replies < MOST_REPLIES:
            self._replies += 1
            self._begin(self._post(line, dict(self._version), None)).add_done_callback(self._note_reply)

    def _note_reply(self, _task: asyncio.Task[None]) -> None:
        self._replies -= 1

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        key = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        session = {_SESSION: self._session} if self._session else {}
        return {
            "Accept": "application/json, text/event-stream",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            **more,
            **session,
            **key,
        }

    async def _post(self, body: bytes, more: dict[str, str], request_id: object) -> None:
        """Send a message and take in the response; a failure is the answer, or the session's end."""
        try:
            async with self._client.post(
                self._url, data=body, headers=self._headers(more), allow_redirects=False
            ) as response:
                fault = await self._take(response)
        except SessionOverError as error:
            self._end(str(error))
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            self._end(_reason(error))
        else:
            if fault and request_id is not None:
                refusal = {"code": -32603, "message": fault}
                self._pass_on(json.dumps({"jsonrpc": "2.0", "id": request_id, "error": refusal}).encode())

    async def _take(self, response: aiohttp.ClientResponse) -> str:
        """Take in an answer; a refusal in words, empty for none.

        Raises:
            SessionOverError: the server knows the session no longer, or sends too much.
        """
        headers = response.headers
        if fault := detour_in(response.status, headers.get("Location"), headers.get("Content-Encoding")):
            return fault
        if response.status == _GONE and self._session:
            raise SessionOverError("the server has ended the session (HTTP 404)")
        if response.status >= 400:
            return f"HTTP {response.status} {shown_words(response.reason)}".strip()
        name = headers.get(_SESSION, "")
        if not self._session and _SESSION_NAME.fullmatch(name):
            self._session = name
        if response.content_type == "text/event-stream":
            await self._take_events(response)
        elif response.status == 200 and not self._pass_on(await self._whole(response)):
            return f"its answer ({shown_words(response.content_type)}) is not a message of the protocol"
        return ""

    async def _take_events(self, response: aiohttp.ClientResponse) -> None:
        data = bytearray()
        async for line in lines(response.content.iter_any(), self._pace, keeps_empty=True):
            if line.startswith(b"data:"):
                data += line[5:].strip() + b"\n"
                if len(data) > MOST_MESSAGE_BYTES:
                    raise SessionOverError(f"it sent a message of more than {MOST_MESSAGE_BYTES} bytes")
            elif not line.strip() and data:
                self._pass_on(bytes(data))
                data.clear()
        if data:
            self._pass_on(bytes(data))

    async def _whole(self, response: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for piece in self._pace.pieces(response.content.iter_any()):
            body += piece
            if len(body) > MOST_MESSAGE_BYTES:
                raise SessionOverError(f"it sent an answer of more than {MOST_MESSAGE_BYTES} bytes")
        return bytes(body)

    def _pass_on(self, message: bytes) -> bool:
        """True if the message is an answer, now passed to the library."""
        if not self._sieve.passes(message) or (parsed := parse(message)) is None:
            return False
        self._incoming.put(parsed)
        return True


@asynccontextmanager
async def web_streams(
    config: ServerConfig, pace: Pace, change: Callable[[], None], end: Callable[[str], None]
) -> AsyncIterator[tuple[Incoming, WebOutgoing]]:
    """Streams of the library to an address on the web.

    Only public addresses are reached, and a loopback address that the operator has written; no redirection is followed,
    and no proxy of the environment is used.
    """
    incoming = Incoming()

    def note_end(reason: str) -> None:
        end(reason)
        incoming.put(None)

    is_safe = urlsplit(config.url).scheme == "https"
    connector = CleanConnector(
        limit=0,
        keepalive_timeout=KEEP_ALIVE_TLS_S,
        ssl_of=trusted_certificates() if is_safe else True,
        bounds=Bounds(answer_bytes=2 * MOST_MESSAGE_BYTES),
        open_socket=PublicAddresses(own_address(config.url), _NO_LIMIT),
    )
    client = aiohttp.ClientSession(
        connector=connector,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
        cookie_jar=aiohttp.DummyCookieJar(),
    )
    async with client:
        outgoing = WebOutgoing(config, client, incoming, pace=pace, change=change, end=note_end)
        try:
            yield incoming, outgoing
        finally:
            await outgoing.close()


def own_address(url: str) -> frozenset[HostPort]:
    """Loopback address, as written by the operator in the settings; the settings accept no name instead."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    is_number = ":" in host or host.replace(".", "").isdigit()
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return frozenset({(host, port)}) if is_number and (host.startswith("127.") or host == "::1") else frozenset()


def _reason(error: BaseException) -> str:
    """Reason of a failed connection, without the internals of the library."""
    if isinstance(error, aiohttp.ClientConnectorError):
        cause = error.os_error
        if isinstance(cause, ForbiddenAddressError):
            return str(cause)
        return f"cannot connect to {error.host}: {cause.strerror or cause}"
    if isinstance(error, BeyondBoundError):
        return str(error)
    return f"the connection failed: {shown_words(str(error)) or type(error).__name__}"
