"""Transports that asyncio leaves open when a loop closes, with only a warning at some later time."""

from __future__ import annotations

import asyncio
import socket
from asyncio.trsock import TransportSocket
from collections.abc import Iterable, Mapping

QUIET_TURNS = 3
"""Successive turns of the loop without an open transport: as many as an accepted connection takes to become a
transport."""
MOST_TURNS = 100


async def stop_accepting(listening: Iterable[socket.socket | TransportSocket]) -> None:
    """Stop accepting on the given sockets; returns when all earlier accepted sockets are connections.

    asyncio makes no connection of a socket accepted in the turn of its server's close, and leaves the socket open.
    """
    for each in listening:
        asyncio.get_running_loop().remove_reader(each.fileno())
    for _ in range(QUIET_TURNS):
        await asyncio.sleep(0)


async def abort_transports() -> None:
    """Close every connection of the running loop, with unsent bytes or without.

    To be called when no server listens any more; connections accepted before are closed as well.
    """
    transports: Mapping[int, asyncio.WriteTransport] = getattr(asyncio.get_running_loop(), "_transports", {})
    quiet = turns = 0  # there is no other list than that one
    while quiet < QUIET_TURNS and turns < MOST_TURNS:
        still_open = [each for each in transports.values() if getattr(each, "_sock", None) is not None]
        for transport in still_open:
            transport.abort()
        quiet, turns = 0 if still_open else quiet + 1, turns + 1
        await asyncio.sleep(0)
