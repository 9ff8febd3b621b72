"""Requests, answers, and connections that serve again; against a server of bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp
import pytest

from actors.http_client.bounded_answers import BeyondBoundError
from actors.http_client.connections import MOST_ERROR_BYTES, Connections, headers_of, read_whole
from tests.patience import PATIENCE_S

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def reply(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    head = "\r\n".join((f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers))
    return f"{head}\r\n\r\n".encode() + body


class Server:
    """A server that says the next of its replies to each request, and keeps what was asked, and over how many calls."""

    def __init__(self, *replies: bytes, closes: bool = False) -> None:
        self.replies = list(replies)
        self.closes = closes
        self.asked: list[bytes] = []
        self.accepted = 0
        self.has_been_asked_twice = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
                )
                self.asked.append(head + await reader.readexactly(length))
                if len(self.asked) == 2:
                    self.has_been_asked_twice.set()
                writer.write(self.replies.pop(0))
                await writer.drain()
                if self.closes:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            return  # the client has gone
        finally:
            writer.close()


def run(server: Server, act: Callable[[Connections, str], Awaitable[None]]) -> None:
    async def main() -> None:
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        connections = Connections()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await act(connections, f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1")
        finally:
            await connections.close()
            listening.close()

    asyncio.run(main())


def test_json_is_sent_with_the_callers_headers_over_one_connection() -> None:
    server = Server(reply(b"one", "200 OK", "X-Kind: first"), reply(b"two"))

    async def act(connections: Connections, address: str) -> None:
        for expected in (b"one", b"two"):
            async with connections.post(address, b'{"a":1}', {"Authorization": "Bearer key"}) as response:
                assert await read_whole(response) == expected
                assert headers_of(response).get("x-kind") == ("first" if expected == b"one" else None)

    run(server, act)

    assert server.accepted == 1
    first = server.asked[0].lower()
    assert first.startswith(b"post /v1 ")
    assert first.endswith(b'\r\n\r\n{"a":1}')
    for line in (b"content-type: application/json", b"accept-encoding: identity", b"authorization: bearer key"):
        assert b"\r\n" + line + b"\r\n" in first


def test_no_redirection_is_followed_and_no_cookie_kept() -> None:
    server = Server(reply(b"", "307 Temporary Redirect", "Location: /elsewhere", "Set-Cookie: a=b"), reply(b"there"))

    async def act(connections: Connections, address: str) -> None:
        async with connections.post(address, b"{}", {}) as response:
            assert response.status == 307
        async with connections.post(address, b"{}", {}) as response:
            assert await read_whole(response) == b"there"

    run(server, act)

    assert all(asked.startswith(b"POST /v1 ") and b"cookie" not in asked.lower() for asked in server.asked)


def test_a_connection_that_was_closed_while_it_lay_here_costs_nothing() -> None:
    server = Server(reply(b"one"), reply(b"two"), closes=True)

    async def act(connections: Connections, address: str) -> None:
        for expected in (b"one", b"two"):
            async with connections.post(address, b"{}", {}) as response:
                assert await read_whole(response) == expected

    run(server, act)

    assert len(server.asked) == server.accepted == 2


def test_a_first_connection_that_is_closed_without_an_answer_is_an_error_and_not_tried_twice() -> None:
    server = Server(b"", closes=True)

    async def act(connections: Connections, address: str) -> None:
        with pytest.raises(aiohttp.ServerDisconnectedError):
            async with connections.post(address, b"{}", {}):
                pass

    run(server, act)

    assert len(server.asked) == 1


def test_a_call_that_is_cut_by_the_end_is_not_made_again() -> None:
    server = Server(reply(b"one"), b"")

    async def act(connections: Connections, address: str) -> None:
        async def call() -> bytes:
            async with connections.post(address, b"{}", {}) as response:
                return await read_whole(response)

        assert await call() == b"one"
        held = asyncio.create_task(call())  # over a connection that has lain here
        await server.has_been_asked_twice.wait()
        await connections.close()

        for cut in (held, call()):
            with pytest.raises(aiohttp.ClientConnectionError):
                await cut

    run(server, act)

    assert len(server.asked) == 2


def test_an_answer_is_read_up_to_its_bound_and_no_further() -> None:
    server = Server(reply(b"x" * 100), reply(b"x" * 101))

    async def act(connections: Connections, address: str) -> None:
        async with connections.post(address, b"{}", {}) as response:
            assert len(await read_whole(response, 100)) == 100
        async with connections.post(address, b"{}", {}) as response:
            with pytest.raises(BeyondBoundError, match="an answer of more than 100 bytes"):
                await read_whole(response, 100)

    run(server, act)


def test_of_a_refusal_only_the_beginning_is_read() -> None:
    size = 64 * MOST_ERROR_BYTES
    server = Server(reply(b"x" * size, "500 Internal Server Error"))

    async def act(connections: Connections, address: str) -> None:
        async with connections.post(address, b"{}", {}) as response:
            assert MOST_ERROR_BYTES < len(await read_whole(response, 10)) < size

    run(server, act)
