"""Streams of the library's kind: a stream of answers to read, and a stream of requests to write."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from actors.mcp.sieve import refusal_of


class Stream:
    """Common part of the streams given to the library."""

    async def __aenter__(self) -> Self:
        """This stream."""
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Close the stream."""
        await self.aclose()

    async def aclose(self) -> None:
        """Leave the connection to its owner."""


class Incoming(Stream):
    """Stream of answers, read by the library."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[SessionMessage | None] = asyncio.Queue()

    def put(self, message: SessionMessage | None) -> None:
        """Add an answer; None for the end."""
        self._queue.put_nowait(message)

    def __aiter__(self) -> Self:
        """This stream."""
        return self

    async def __anext__(self) -> SessionMessage:
        """The next answer."""
        message = await self._queue.get()
        if message is None:
            self._queue.put_nowait(None)
            raise StopAsyncIteration
        return message

    receive = __anext__


def parse(line: bytes) -> SessionMessage | None:
    """The answer in a line, or an error in place of a malformed answer; None if the id is malformed, too."""
    for text in (line, refusal_of(line)):
        try:
            return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
        except ValueError:
            continue
    return None
