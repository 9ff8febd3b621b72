"""Connections in memory: bytes arrive in their order, and an end that is closed closes the other."""

from __future__ import annotations

import asyncio

import pytest

from actors.kernel import ManualClock
from lab.simulation.chance import Chance
from lab.simulation.loop import SteppedLoopThread
from lab.simulation.wire import Wire

PORT = 8100


class Recorder(asyncio.Protocol):
    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.is_lost = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received.append(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True


@pytest.mark.parametrize("seed", range(20))
def test_bytes_arrive_in_order_before_the_end_of_their_connection(seed: int) -> None:
    loop = SteppedLoopThread(ManualClock(), pytest.fail)
    loop.start()
    wire, server, client = Wire(loop.stepped, Chance(seed)), Recorder(), Recorder()
    wire.listen(lambda: server, PORT)
    wire.connect(lambda: client, PORT)
    loop.run_until(lambda: not loop.stepped.is_ready, 1.0)
    pieces = [str(number).encode() for number in range(10)]
    for piece in pieces:
        client.transport.write(piece)
    client.transport.close()
    client.transport.write(b"nothing")
    loop.run_until(lambda: server.is_lost, 10.0)
    assert server.received == pieces
    assert client.is_lost


def test_a_port_without_a_server_refuses_connections() -> None:
    loop = SteppedLoopThread(ManualClock(), pytest.fail)
    wire = Wire(loop.stepped, Chance(1))
    wire.listen(Recorder, PORT).close()
    with pytest.raises(ConnectionRefusedError):
        wire.connect(Recorder, PORT)
