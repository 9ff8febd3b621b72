from __future__ import annotations

import asyncio
import gc
import socket
import warnings

from actors.linux.transports import abort_transports, stop_accepting


class Stubborn(asyncio.Protocol):
    """Closes with unread bytes left."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"n" * (32 << 20))
        transport.close()


def test_what_was_closed_but_never_read_and_what_is_being_accepted_is_closed() -> None:
    clients: list[socket.socket] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Stubborn, "127.0.0.1", 0)
        address = server.sockets[0].getsockname()
        clients.extend(socket.create_connection(address) for _ in range(8))
        await asyncio.sleep(0.05)
        clients.extend(socket.create_connection(address) for _ in range(8))
        await asyncio.sleep(0)  # these are accepted, and no connections yet
        await stop_accepting(server.sockets)
        await abort_transports()
        server.close()

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        asyncio.run(main())
        gc.collect()

    assert [str(each.message) for each in seen if "transport" in str(each.message)] == []
    assert len(clients) == 16
    for client in clients:
        client.close()


def test_what_is_accepted_while_a_server_closes_is_connected_first() -> None:
    clients: list[socket.socket] = []

    async def main(turns: int) -> None:
        server = await asyncio.get_running_loop().create_server(asyncio.Protocol, "127.0.0.1", 0)
        clients.extend(socket.create_connection(server.sockets[0].getsockname()) for _ in range(8))
        for _ in range(turns):
            await asyncio.sleep(0)
        await stop_accepting(server.sockets)
        server.close()
        await abort_transports()

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for turns in range(5):
            asyncio.run(main(turns))
        gc.collect()

    assert [str(each.message) for each in seen if "unclosed" in str(each.message)] == []
    for client in clients:
        client.close()


def test_a_loop_without_connections_ends_at_once() -> None:
    asyncio.run(asyncio.wait_for(abort_transports(), 1))
