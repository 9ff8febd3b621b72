"""Connections in memory between protocols of asyncio: bytes arrive some time later, in their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lab.simulation.chance import Chance

Factory = Callable[[], asyncio.Protocol]


class Wire:
    """Network of one process: listening servers by port; gone with the process."""

    def __init__(self, loop: asyncio.AbstractEventLoop, chance: Chance) -> None:
        """A network without servers.

        Args:
            loop: Loop of all protocols.
            chance: Draws delays.
        """
        self._loop, self._chance = loop, chance
        self.servers: dict[int, Factory] = {}

    def listen(self, factory: Factory, port: int) -> Listening:
        """Serve connections to a port."""
        self.servers[port] = factory
        return Listening(self, port)

    def connect(self, factory: Factory, port: int) -> tuple[End, asyncio.Protocol]:
        """Connect a new protocol to the server of a port.

        Raises:
            ConnectionRefusedError: no server listens there.
        """
        if (server := self.servers.get(port)) is None:
            raise ConnectionRefusedError(f"port {port}: no server listens")
        client, other = factory(), server()
        near, far = End(self._loop, self._chance, client), End(self._loop, self._chance, other)
        near.peer, far.peer = far, near
        self._loop.call_soon(other.connection_made, far)
        self._loop.call_soon(client.connection_made, near)
        return near, client


class End(asyncio.Transport):
    """Transport of one end of a connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop, chance: Chance, protocol: asyncio.Protocol) -> None:
        """An end whose `peer` is still to be set.

        Args:
            loop: The loop.
            chance: Draws delays.
            protocol: Protocol of this end.
        """
        super().__init__()
        self._loop, self._chance, self._protocol = loop, chance, protocol
        self.peer: End
        self._is_closing = self._is_lost = False
        self._arrives_at = 0.0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes."""
        if not self._is_closing:
            self._send(self.peer._receive, bytes(data))

    def writelines(self, list_of_data: Any) -> None:
        """Send all pieces as one."""
        self.write(b"".join(list_of_data))

    def close(self) -> None:
        """Close both ends, behind the bytes under way."""
        if not self._is_closing:
            self._is_closing = True
            self._send(self.peer._lose, None)
            self._loop.call_soon(self._lose, None)

    def abort(self) -> None:
        """Reset both ends."""
        self.close()

    def is_closing(self) -> bool:
        """True once closed."""
        return self._is_closing

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Addresses on loopback, and no socket."""
        return ("127.0.0.1", 1) if name in ("peername", "sockname") else default

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Hand the connection over."""
        assert isinstance(protocol, asyncio.Protocol)
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Protocol of this end."""
        return self._protocol

    def get_write_buffer_size(self) -> int:
        """Report an empty buffer."""
        return 0

    def pause_reading(self) -> None:
        """Bytes come all the same: messages here are small."""

    def resume_reading(self) -> None:
        """As above."""

    def is_reading(self) -> bool:
        """True until closed."""
        return not self._is_closing

    def can_write_eof(self) -> bool:
        """False: ends are closed only."""
        return False

    def _send(self, receive: Callable[..., None], *what: object) -> None:
        """Have the peer receive data behind all earlier data."""
        self._arrives_at = max(self._arrives_at, self._loop.time() + self._chance.draw_skewed(0.0005, 0.05))
        self._loop.call_at(self._arrives_at, receive, *what)

    def _receive(self, data: bytes) -> None:
        if not self._is_lost:
            self._protocol.data_received(data)

    def _lose(self, error: Exception | None) -> None:
        if not self._is_lost:
            self._is_closing = self._is_lost = True
            self._protocol.connection_lost(error)


class Listening:
    """Server of a port; as `asyncio.Server`, as far as HTTP servers use one."""

    def __init__(self, wire: Wire, port: int) -> None:
        self._wire, self._port = wire, port
        self.sockets = (self,)

    def getsockname(self) -> tuple[str, int]:
        """Address of the server."""
        return "127.0.0.1", self._port

    def fileno(self) -> int:
        """No descriptor."""
        return -1

    def close(self) -> None:
        """Listen no more."""
        self._wire.servers.pop(self._port, None)

    async def wait_closed(self) -> None:
        """Return at once."""
