"""Transport to a program: a single connection of a Unix socket, the program's stdin and stdout."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from mcp.shared.message import SessionMessage

from actors.http_client.pacing import Pace
from actors.mcp.errors import SessionOverError
from actors.mcp.sieve import Sieve, lines
from actors.mcp.streams import Incoming, Stream, parse

READ_BYTES = 64 * 1024
MOST_REPLIES = 64
"""Refusals waiting for a server that does not read; further refusals are dropped."""
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Rendezvous:
    """Listening socket for a program."""

    def __init__(self, path: Path) -> None:
        """Listen.

        Args:
            path: Path in a private folder of the agent.

        Raises:
            OSError: no socket can be made.
        """
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        try:
            self._listener.bind(str(path))
            self._listener.listen(1)
        except OSError:
            self._listener.close()
            raise

    async def accept(self) -> Connection:
        """Connection of the program."""
        connection, _ = await asyncio.get_running_loop().sock_accept(self._listener)
        try:
            return await asyncio.open_unix_connection(sock=connection, limit=READ_BYTES)
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Stop listening; a repeated call has no effect."""
        self._listener.close()
        self.path.unlink(missing_ok=True)


class Outgoing(Stream):
    """Stream of requests, written by the library."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def send(self, item: SessionMessage, /) -> None:
        """Send a request; waits for as long as the program does not read."""
        await self.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    async def write(self, line: bytes) -> None:
        """Send a line."""
        self._writer.write(line + b"\n")
        await self._writer.drain()


Streams = tuple[Incoming, Outgoing]


@asynccontextmanager
async def program_streams(
    connection: Connection, pace: Pace, change: Callable[[], None], end: Callable[[str], None]
) -> AsyncIterator[Streams]:
    """Streams of the library over a connection.

    Args:
        connection: The program's.
        pace: Shared by all servers.
        change: Called at the notice that the server has other tools now.
        end: Called with the reason when the connection has ended; empty for an end without a known one.
    """
    reader, writer = connection
    incoming, outgoing = Incoming(), Outgoing(writer)
    replies: asyncio.Queue[bytes] = asyncio.Queue(MOST_REPLIES)

    def reply(line: bytes) -> None:
        with suppress(asyncio.QueueFull):
            replies.put_nowait(line)

    async def answer() -> None:
        with suppress(OSError):
            while True:
                await outgoing.write(await replies.get())

    async def receive() -> None:
        reason = await _receive(reader, pace, Sieve(reply, change), incoming)
        end(reason)
        incoming.put(None)

    tasks = [asyncio.create_task(answer()), asyncio.create_task(receive())]
    try:
        yield incoming, outgoing
    finally:
        for task in tasks:
            task.cancel()
        writer.close()
        await asyncio.wait(tasks)


async def _receive(reader: asyncio.StreamReader, pace: Pace, sieve: Sieve, incoming: Incoming) -> str:
    """Pass answers on until the connection ends; the reason, empty for an end without a known reason."""
    try:
        async for line in lines(_pieces(reader), pace):
            if sieve.passes(line) and (message := parse(line)) is not None:
                incoming.put(message)
    except SessionOverError as error:
        return str(error)
    except OSError:
        return ""
    return ""


async def _pieces(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while piece := await reader.read(READ_BYTES):
        yield piece
