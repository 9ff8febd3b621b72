"""Listener of an HTTP server, with bounds on what anybody may have before showing a key."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from aiohttp import web
from aiohttp.http import HttpProcessingError
from aiohttp.web_protocol import RequestHandler

from actors.linux.transports import stop_accepting


class Listener:
    """Server's socket: so many connections at most, and so long for the first head of a request on each."""

    def __init__(self, most_connections: int, first_request_s: float) -> None:
        """Nothing is opened yet.

        Args:
            most_connections: Of clients, at a time; another one is closed at once.
            first_request_s: After so long a connection without a whole head of a request is closed.
        """
        self._most_connections = most_connections
        self._first_request_s = first_request_s
        self._server: asyncio.Server | None = None
        self._coming = 0
        """Connections that were accepted in this turn of the loop, of which the library does not know yet."""

    @property
    def port(self) -> int:
        """The port that is listened on; 0 while none is."""
        return int(self._server.sockets[0].getsockname()[1]) if self._server is not None else 0

    async def listen(self, runner: web.AppRunner, address: str, port: int) -> None:
        """Listen on `address`, at `port` or, if that is 0, any free one; `runner` has been set up.

        Raises:
            OSError: the address cannot be listened on.
            UnicodeError: it is no address.
        """
        loop, server = asyncio.get_running_loop(), runner.server
        assert server is not None

        def connected() -> asyncio.Protocol:
            if len(server.connections) + self._coming >= self._most_connections:
                return _Refusal()
            self._coming += 1
            loop.call_later(0, self._has_come)
            handler = server()
            loop.call_later(self._first_request_s, _close_if_silent, handler)
            return handler

        self._server = await loop.create_server(connected, address, port, backlog=128)

    async def close(self) -> None:
        """Accept nothing more."""
        server, self._server = self._server, None
        if server is not None:
            await stop_accepting(list(server.sockets))
            server.close()

    def _has_come(self) -> None:
        self._coming -= 1


class ClientFaults(logging.LoggerAdapter[logging.Logger]):
    """Log of the HTTP library, to which whatever it cannot read is an exception: that is the client's fault."""

    def exception(self, msg: object, *args: object, **kwargs: Any) -> None:
        """Note what a client sent that is no HTTP; everything else is our fault."""
        if isinstance(kwargs.get("exc_info"), HttpProcessingError):
            self.info("a client sent what is no HTTP: %s", type(kwargs["exc_info"]).__name__)
        else:
            super().exception(msg, *args, **kwargs)


class _Refusal(asyncio.Protocol):
    """Connection of one client too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close it."""
        transport.close()


def _close_if_silent(handler: RequestHandler) -> None:
    """Close a connection on which no whole head of a request has come; its library has no such deadline."""
    if not handler._request_count and handler.transport is not None:
        handler.transport.abort()
