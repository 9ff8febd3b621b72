"""Opening of sessions: the transport to a server, and the library's session on it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from mcp.client.session import ClientSession as McpSession

from actors.http_client.pacing import Pace
from actors.kernel import Host, ask_future
from actors.mcp.client import Client, own_name
from actors.mcp.config import ServerConfig
from actors.mcp.errors import ServerError
from actors.mcp.stdio import Connection, Rendezvous, Streams, program_streams
from actors.mcp.web import web_streams
from messages.base import Address, RequestId
from messages.shell import SHELL, ServerEnded, StartServer, StopServer

LAST_WORDS_S = 2.0
"""Longest wait for the last words about a program's end, after the end of its connection."""

for _name in ("client", "mcp"):  # the library's lines have servers' words in them, as many as a server likes
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class Connector:
    """Opener of sessions, on the actor's loop."""

    def __init__(self, host: Host, folder: Path) -> None:
        """Begin without sessions.

        Args:
            host: The actor.
            folder: Folder of sockets, the agent's alone.
        """
        self._host = host
        self._folder = folder
        self._pace = Pace()

    @asynccontextmanager
    async def connect(
        self, config: ServerConfig, change: Callable[[], None], end: Callable[[str], None]
    ) -> AsyncIterator[Client]:
        """A session that has begun.

        Args:
            config: The server.
            change: Called at the notice that the server has other tools now.
            end: Called with the reason when the connection has ended.

        Raises:
            ServerError: the server cannot be reached, or speaks another language.
        """
        streams = web_streams(config, self._pace, change, end) if config.url else self._program(config, change, end)
        async with (
            streams as (incoming, outgoing),
            McpSession(incoming, outgoing, client_info=own_name()) as session,
        ):
            client = Client(config.name, session)
            await client.begin()
            yield client

    @asynccontextmanager
    async def _program(
        self, config: ServerConfig, change: Callable[[], None], end: Callable[[str], None]
    ) -> AsyncIterator[Streams]:
        """Streams to a program, started by the shell actor in a sandbox of its own."""
        place = Rendezvous(self._folder / self._host.new_token())
        ended, request_id = self._start(config, str(place.path))
        accepting: asyncio.Future[Connection] = asyncio.ensure_future(place.accept())
        is_over = False
        try:
            await asyncio.wait((accepting, ended), return_when=asyncio.FIRST_COMPLETED)
            if not accepting.done():
                raise ServerError(ended.result().reason)
            place.close()

            def note_end(reason: str) -> None:
                nonlocal is_over
                is_over = True
                end(reason)

            async with program_streams(accepting.result(), self._pace, change, note_end) as streams:
                yield streams
        finally:
            accepting.cancel()
            place.close()
            if is_over:
                with suppress(TimeoutError):
                    end((await asyncio.wait_for(asyncio.shield(ended), LAST_WORDS_S)).reason)
            self._host.tell(SHELL, StopServer(request_id=request_id))
            ended.cancel()

    def _start(self, config: ServerConfig, path: str) -> tuple[asyncio.Future[ServerEnded], RequestId]:
        """Have a program started; gives its end."""
        names: list[RequestId] = []

        def make(request_id: RequestId, reply_to: Address) -> StartServer:
            names.append(request_id)
            return StartServer(
                request_id=request_id,
                reply_to=reply_to,
                name=config.name,
                command=config.command,
                socket=path,
                environment=config.environment,
                has_network=config.has_network,
                reads=config.reads,
                writes=config.writes,
            )

        return ask_future(self._host, SHELL, make), names[0]
