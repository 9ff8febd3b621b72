"""Listener of an HTTP server, with bounds on the connections of clients with and without a valid key."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from aiohttp import web
from aiohttp.http import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware
from aiohttp.web_protocol import RequestHandler

from actors.http_server.head_bound import HeadBound
from actors.http_server.places import Places
from actors.linux.transports import stop_accepting


class Listener:
    """Server's socket, and the places of its connections.

    A connection is a stranger until `admit`; strangers have a deadline for all their work, and give way to newcomers.
    """

    def __init__(self, places: Places) -> None:
        """Begin without a socket."""
        self._places = places
        self._server: asyncio.Server | None = None
        self._web: web.Server | None = None
        self._coming: set[RequestHandler] = set()
        """Connections accepted in this turn of the loop, still unknown to the library."""
        self._owners: dict[RequestHandler, str] = {}
        """Admitted connections, by owner."""
        self._ended: set[RequestHandler] = set()
        """Connections on their way to an end."""
        self._idle: dict[RequestHandler, asyncio.TimerHandle] = {}

    @property
    def port(self) -> int:
        """Port of the listener; 0 while closed."""
        return int(self._server.sockets[0].getsockname()[1]) if self._server is not None else 0

    async def listen(self, runner: web.AppRunner, address: str, port: int) -> None:
        """Listen on `address`, at `port` or, for 0, any free port; `runner` has been set up.

        Raises:
            OSError: no socket can listen on the address.
            UnicodeError: the address is invalid.
        """
        loop, server = asyncio.get_running_loop(), runner.server
        assert server is not None
        self._web = server

        def make_protocol() -> asyncio.Protocol:
            if not self._make_room():
                return _Refusal()
            handler = server()
            self._coming.add(handler)
            loop.call_later(0, self._coming.discard, handler)
            bound = HeadBound(handler)
            loop.call_later(self._places.stranger_s, self._end_silent, handler, bound)
            return bound

        self._server = await loop.create_server(make_protocol, address, port, backlog=128)

    async def close(self) -> None:
        """Stop accepting connections."""
        server, self._server = self._server, None
        if server is not None:
            await stop_accepting(list(server.sockets))
            server.close()

    def admit(self, request: web.Request, owner: str) -> bool:
        """Let the connection of `request` stay as `owner`'s.

        False if the owner already has its full share of places.
        """
        handler = request.protocol
        if self._owners.get(handler) == owner:
            return True
        live = self._live()
        if sum(self._owners.get(each) == owner for each in live) >= self._places.most_of_one:
            return False
        self._owners = {each: self._owners[each] for each in live if each in self._owners}
        self._owners[handler] = owner
        return True

    def is_admitted(self, request: web.Request) -> bool:
        """True if the connection of `request` was admitted by an earlier request."""
        return request.protocol in self._owners

    def middleware(self) -> Middleware:
        """Middleware, the first of its server, that ends connections without the next head in time."""

        @web.middleware
        async def time_heads(request: web.Request, handler: Handler) -> web.StreamResponse:
            connection = request.protocol
            if (timer := self._idle.pop(connection, None)) is not None:
                timer.cancel()
            try:
                return await handler(request)
            finally:
                loop = asyncio.get_running_loop()
                wait_s = self._places.idle_s if connection in self._owners else self._places.stranger_s
                self._idle[connection] = loop.call_later(wait_s, self._end_idle, connection)

        return time_heads

    def _make_room(self) -> bool:
        """True if another connection may come; the oldest strangers end to make room if need be."""
        live = self._live()
        strangers = [each for each in live if each not in self._owners]
        too_many = len(self._coming.union(live)) + 1 - self._places.most
        for each in strangers[: max(too_many, 0)]:
            self._end(each)
        return too_many <= len(strangers)

    def _live(self) -> list[RequestHandler]:
        """Connections that are open and stay open, the oldest first."""
        assert self._web is not None
        connections = self._web.connections
        self._ended.intersection_update(connections)
        return [each for each in connections if each not in self._ended]

    def _end_silent(self, handler: RequestHandler, bound: HeadBound) -> None:
        """End a connection without a whole head; with a whole head the wait is this process's, not the client's."""
        if not bound.is_whole:
            self._end(handler)

    def _end_idle(self, handler: RequestHandler) -> None:
        self._idle.pop(handler, None)
        self._end(handler)

    def _end(self, handler: RequestHandler) -> None:
        if handler.transport is not None:
            self._ended.add(handler)
            handler.transport.abort()


class ClientFaults(logging.LoggerAdapter[logging.Logger]):
    """Log of the HTTP library; the library logs unreadable data as an exception, though the client is at fault."""

    def exception(self, msg: object, *args: object, **kwargs: Any) -> None:
        """Note data from a client that is not HTTP; every other exception is the server's fault."""
        if isinstance(kwargs.get("exc_info"), HttpProcessingError):
            self.info("a client sent invalid HTTP: %s", type(kwargs["exc_info"]).__name__)
        else:
            super().exception(msg, *args, **kwargs)


class _Refusal(asyncio.Protocol):
    """Connection beyond the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close the connection."""
        transport.close()
