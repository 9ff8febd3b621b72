"""Two model servers at one address, each a process of its own: the honest one passes attacks on to the hostile one.

An agent has one address for its model. The honest server answers honest questions itself, and passes the connection of
an attack on, so that an attack costs the honest server no time.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

from domain.offline.model import prompt_of
from lab.load.remote import Remote
from lab.loopback_model.answers import Behaviour, Received, echo, steps_of
from lab.loopback_model.server import LoopbackModel
from tests.actors.model.hostile_answers import ATTACKS


def attack_in(request: Received) -> str:
    """Name of the attack that the last words of a person ask for; empty for an honest question."""
    said = [str(each["content"]) for each in request.body["messages"] if each["role"] == "user"]
    name = prompt_of(said[-1]).removeprefix("attack: ").strip()
    return name if name in ATTACKS else ""


def behave(request: Received) -> Behaviour:
    """The attack that a person asks for, else an honest answer."""
    name = attack_in(request)
    return ATTACKS[name].behave(request) if name else echo(request)


class _HonestModel(LoopbackModel):
    def __init__(self, hostile: Connection) -> None:
        super().__init__(kept_requests=0)
        self._hostile = hostile

    def address(self) -> str:
        return self.api_base

    def on_request(self, connection: Any, request: Received) -> None:
        if not attack_in(request):
            super().on_request(connection, request)
            return
        send_handle(self._hostile, connection.transport.get_extra_info("socket").fileno(), 0)
        self._hostile.send(request)
        connection.serving = False
        connection.abort()  # of this process's part


@contextmanager
def _hostile_model(honest: Connection) -> Iterator[None]:
    def take() -> None:
        with contextlib.suppress(EOFError):
            while True:
                taken = socket.socket(fileno=recv_handle(honest))
                threading.Thread(target=_play, args=(taken, honest.recv()), daemon=True).start()

    threading.Thread(target=take, daemon=True).start()
    yield


def _play(connection: socket.socket, request: Received) -> None:
    """Send an attack; the connection ends with it."""
    with connection, contextlib.suppress(OSError):
        connection.setblocking(True)
        for delay_s, piece in steps_of(behave(request), request, 0.0):
            time.sleep(delay_s)
            if not isinstance(piece, bytes) or not piece:
                return
            connection.sendall(piece)
        connection.recv(1)  # until the client leaves


@contextmanager
def models() -> Iterator[str]:
    """Address of both."""
    here, there = multiprocessing.get_context("spawn").Pipe()
    with Remote("hostile-model", _hostile_model, there), Remote("honest-model", _HonestModel, here) as honest:
        yield str(honest.call("address"))
