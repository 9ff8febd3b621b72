"""Connector that reuses a kept connection only after silence since the last answer."""

from __future__ import annotations

import select
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakSet

import aiohttp

from actors.http_client.bounded_answers import USUAL_BOUNDS, BoundedHandler, Bounds

if TYPE_CHECKING:
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.connector import AddrInfoType, Connection
    from aiohttp.tracing import Trace


DEAD_S = 30
"""Seconds without a sign of life from the other machine, after which a connection is dead."""
_QUIET_S, _PROBES = 20, 6
"""Silence before the kernel asks the other machine, and the number of questions in `DEAD_S`."""
_WATCH = {
    "TCP_KEEPIDLE": _QUIET_S,
    "TCP_KEEPINTVL": DEAD_S // _PROBES,
    "TCP_KEEPCNT": _PROBES,
    "TCP_USER_TIMEOUT": DEAD_S * 1000,
}


class CleanConnector(aiohttp.TCPConnector):
    """Pool of connections, each checked before reuse, and with bounds on all answers.

    A server may speak unasked on an idle connection: repeat an answer, or send a farewell before closing. aiohttp would
    take the words for the answer to the next call, of another caller. The kernel watches each connection: a connection
    cut by a sleep of this machine or a lost route may look open for ever.
    """

    def __init__(
        self,
        *,
        limit: int = 100,
        keepalive_timeout: float | None = 15.0,
        ssl_of: ssl.SSLContext | bool = True,
        bounds: Bounds = USUAL_BOUNDS,
        open_socket: Callable[[AddrInfoType], socket.socket] | None = None,
    ) -> None:
        """Begin without connections.

        Args:
            limit: Connections at a time; 0 for no limit.
            keepalive_timeout: Seconds that a connection may stay idle; None for single use.
            ssl_of: Authorities to trust.
            bounds: Of each answer.
            open_socket: Opener of sockets, which may refuse an address; None for the usual opener.
        """
        is_new = keepalive_timeout is None
        super().__init__(
            limit=limit,
            force_close=is_new,
            keepalive_timeout=keepalive_timeout,
            ssl=ssl_of,
            socket_factory=_open_watched if open_socket is None else lambda info: _watch(open_socket(info)),
        )
        handler: type[ResponseHandler] = BoundedHandler
        self._factory = partial(handler, loop=self._loop, bounds=bounds)  # type: ignore[call-arg]
        self._served = WeakSet["ResponseHandler"]()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - its form is aiohttp's
    ) -> Connection:
        """New or clean connection."""
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            if protocol is None or protocol not in self._served or _is_silent(protocol):
                break
            connection.close()
        if protocol is not None:
            self._served.add(protocol)
        if isinstance(protocol, BoundedHandler):
            protocol.begin()
        return connection


def _open_watched(address: AddrInfoType) -> socket.socket:
    """Open a socket whose connection fails when the other machine is gone."""
    family, kind, protocol, _, _ = address
    return _watch(socket.socket(family, kind, protocol))


def _watch(opened: socket.socket) -> socket.socket:
    """Make a socket's connection fail when the other machine is gone; return the socket."""
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _WATCH.items():
        if (option := getattr(socket, name, None)) is not None:  # not all systems have all of them
            opened.setsockopt(socket.IPPROTO_TCP, option, value)
    return opened


def _is_silent(protocol: ResponseHandler) -> bool:
    """True if no byte was read since the last answer, and the socket holds neither bytes nor the end."""
    if protocol.should_close or protocol.transport is None:
        return False
    there = protocol.transport.get_extra_info("socket")
    if there is None:  # what stands for a network and is none
        return True
    if there.fileno() < 0:
        return False
    poll = select.poll()
    poll.register(there, select.POLLIN)
    return not poll.poll(0)
