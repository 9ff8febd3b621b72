"""Hostile clients of a gateway: connections with half a head, and bodies without an end."""

from __future__ import annotations

import contextlib
import resource
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from lab.bench.facts.client import NoAnswerError
from lab.bench.facts.stage import Gateway
from lab.bench.facts.words import message
from lab.bench.measure import Figures
from lab.bench.process import MeasurementError

CONNECTIONS = 1_000
BODIES = 64
BODY_BYTES = 1024 * 1024
"""Size of each unfinished body, short by a single byte."""
_HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
_LOOKS = 20
_LOOK_S = 0.1
_SEND_S = 30.0


def hostile(gateway: Gateway, connections: int, bodies: int) -> Figures:
    """Greatest resident memory while connections hold half a head each, and some an unfinished body.

    Raises:
        MeasurementError: the gateway does not take the bodies, or does not answer an honest client meanwhile.
    """
    with _open_connections(gateway, connections - bodies) as silent, _open_connections(gateway, bodies) as unfinished:
        for each in silent:
            with contextlib.suppress(OSError):  # a newcomer has its place by now
                each.sendall(_HEAD[:40])
        open_bodies = sum(_send_body(each) for each in unfinished)
        most_mb, pause = 0.0, threading.Event()
        for _ in range(_LOOKS):
            pause.wait(_LOOK_S)
            most_mb = max(most_mb, gateway.costs().rss_mb)
        try:
            with gateway.client() as client:
                client.ask("honest", message("honest", 0))
        except NoAnswerError as error:
            raise MeasurementError(f"an honest client among {connections} hostile ones: {error}") from error
        most_mb = max(most_mb, gateway.costs().rss_mb)
    if open_bodies < bodies:
        raise MeasurementError(f"only {open_bodies} of {bodies} unfinished bodies were taken")
    return {"hostile_rss_mb": most_mb}


@contextlib.contextmanager
def _open_connections(gateway: Gateway, count: int) -> Iterator[list[socket.socket]]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    parts = urlsplit(gateway.root)
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection((parts.hostname or "", parts.port or 0), _SEND_S))
            for _ in range(count)
        ]


def _send_body(connection: socket.socket) -> bool:
    """True if the gateway took all of an unfinished body."""
    connection.settimeout(_SEND_S)
    with contextlib.suppress(OSError):
        connection.sendall(_HEAD + b"Content-Length: %d\r\n\r\n" % (BODY_BYTES + 1) + b" " * BODY_BYTES)
        return True
    return False
