"""Connections of a pool: words that a server says unasked answer no call, and the kernel watches the other end."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import socket
import sys
import threading
from pathlib import Path
from typing import IO

import aiohttp
import pytest

import actors
from actors.http_client.clean_connector import DEAD_S, CleanConnector
from actors.http_client.connections import Connections, read_whole
from tests.patience import PATIENCE_S


class Talker:
    """A server that answers each call with its body, and says something more on the first connection when told to."""

    def __init__(self, more: bytes) -> None:
        self.more = more
        self.accepted = 0
        self.may_talk = threading.Event()
        self.has_talked = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:  # closed: the test is over
                return
            self.accepted += 1
            threading.Thread(target=self._serve, args=(connection, self.accepted == 1), daemon=True).start()

    def _serve(self, connection: socket.socket, is_first: bool) -> None:
        with connection, connection.makefile("rb") as asked, contextlib.suppress(ConnectionError):
            while head := _head(asked):
                length = next(int(line[15:]) for line in head if line.lower().startswith(b"content-length"))
                connection.sendall(reply(asked.read(length)))
                if is_first and self.may_talk.wait(PATIENCE_S) and not self.has_talked.is_set():
                    connection.sendall(self.more)
                    self.has_talked.set()

    def close(self) -> None:
        self._listening.close()


def _head(asked: IO[bytes]) -> list[bytes]:
    """The lines of a request's head; none where the client has gone."""
    lines = []
    while (line := asked.readline()) not in {b"", b"\r\n"}:
        lines.append(line)
    return lines


def reply(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize("is_read", [True, False], ids=["read by aiohttp", "still in the socket"])
@pytest.mark.parametrize(
    "more", [reply(b'"first"'), b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", b"x"]
)
def test_what_a_server_says_between_two_calls_is_not_the_answer_to_the_second(more: bytes, is_read: bool) -> None:
    talker = Talker(more)

    async def main() -> None:
        connections = Connections()

        async def call(body: bytes) -> bytes:
            async with connections.post(talker.address, body, {}) as response:
                assert response.status == 200
                return await read_whole(response)

        try:
            async with asyncio.timeout(PATIENCE_S):
                assert await call(b'"first"') == b'"first"'
                talker.may_talk.set()
                talker.has_talked.wait(PATIENCE_S)  # on the loop's thread, so that nothing is read meanwhile
                if is_read:
                    await asyncio.sleep(0.05)
                assert [await call(b'"second"'), await call(b'"third"')] == [b'"second"', b'"third"']
        finally:
            await connections.close()

    asyncio.run(main())
    talker.close()

    assert talker.accepted == 2


def test_a_connection_on_which_nothing_is_said_serves_on() -> None:
    talker = Talker(b"")
    talker.has_talked.set()

    async def main() -> None:
        connections = Connections()
        try:
            async with asyncio.timeout(PATIENCE_S):
                talker.may_talk.set()
                for number in range(5):
                    async with connections.post(talker.address, b"%d" % number, {}) as response:
                        assert await read_whole(response) == b"%d" % number
        finally:
            await connections.close()

    asyncio.run(main())
    talker.close()

    assert talker.accepted == 1


@pytest.mark.req("X-258")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems lack some of the options")
def test_the_kernel_ends_a_connection_whose_other_machine_has_been_gone_for_half_a_minute() -> None:
    def serve() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
            while connection.recv(4096):
                pass

    async def options() -> list[int]:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with aiohttp.ClientSession(connector=CleanConnector()) as session, session.get(url) as response:
            assert response.connection is not None
            assert response.connection.transport is not None
            end = response.connection.transport.get_extra_info("socket")
            tcp = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
            values = [end.getsockopt(socket.IPPROTO_TCP, option) for option in tcp]
            return [end.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE), *values]

    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=serve)
        serving.start()
        watch = asyncio.run(asyncio.wait_for(options(), PATIENCE_S))
        serving.join(PATIENCE_S)

    is_watched, quiet_s, between_s, probes, most_ms = watch
    assert is_watched
    assert quiet_s <= DEAD_S == between_s * probes == most_ms / 1000


def test_no_session_of_an_actor_takes_what_was_said_to_another() -> None:
    """Each keeps its connections in a `CleanConnector`, or keeps none."""
    found = []
    for source in sorted(Path(actors.__file__).parent.rglob("*.py")):
        for call in ast.walk(ast.parse(source.read_text())):
            if not isinstance(call, ast.Call):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
            if name == "ClientSession" and "connector" not in given:
                found.append(f"{source}:{call.lineno}: without a connector")
            if name == "TCPConnector" and given.get("force_close") != "True":
                found.append(f"{source}:{call.lineno}: keeps connections")

    assert found == []
