"""Listening socket of which only so many connections are served at a time; further ones wait with the kernel.

Loopback addresses are open to every user of a machine. asyncio's own servers accept whatever comes until no descriptor
is left, and then write a traceback for each try.
"""

from __future__ import annotations

import asyncio
import logging
import socket

from aiohttp import web

log = logging.getLogger(__name__)

BACKLOG = 1024
FULL_PAUSE_S = 0.05
NO_FILES_PAUSE_S = 1.0
"""Before the next try when the process, or the machine, may open no more files."""


class Listener:
    """Door of an HTTP server; everything but the constructor runs on the server's loop."""

    def __init__(self, server: web.Server, host: str, port: int, most_connections: int) -> None:
        """Bind, without accepting clients yet.

        Raises:
            OSError: the port is taken.
        """
        self._server = server
        self._most = most_connections
        self._arriving: set[asyncio.Task[None]] = set()
        self._later: asyncio.TimerHandle | None = None
        self._has_warned = False
        self._socket = socket.create_server((host, port), backlog=BACKLOG)
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]

    def open(self) -> None:
        """Accept from now on."""
        self._later = None
        asyncio.get_running_loop().add_reader(self._socket.fileno(), self._accept)

    async def close(self) -> None:
        """Stop accepting, and wait until arriving clients are in."""
        self._shut()
        if self._later is not None:
            self._later.cancel()
        self._socket.close()
        if self._arriving:
            await asyncio.wait(self._arriving)

    def _shut(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket.fileno())

    def _pause(self, seconds: float, reason: str) -> None:
        self._shut()
        self._later = asyncio.get_running_loop().call_later(seconds, self.open)
        if not self._has_warned:
            self._has_warned = True
            log.warning("the playground accepts no connections for a while: %s", reason)

    def _accept(self) -> None:
        """Accept one client."""
        if len(self._server.connections) + len(self._arriving) >= self._most:
            self._pause(FULL_PAUSE_S, f"it has {self._most} connections")
            return
        try:
            accepted, _ = self._socket.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            self._pause(NO_FILES_PAUSE_S, str(error.strerror))
            return
        accepted.setblocking(False)
        task = asyncio.ensure_future(self._let_in(accepted))
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    async def _let_in(self, accepted: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(self._server, accepted)
        except OSError:
            accepted.close()
