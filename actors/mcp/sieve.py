"""Sieve: filters a server's messages, with bounds.

A server sends answers, requests of its own and notifications. The library would begin a task for each, so a server
could make any number of tasks. Only answers pass. The sieve refuses requests, as many as the server takes answers to;
a notification leaves at most a mark.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

import msgspec

from actors.http_client.pacing import Pace
from actors.mcp.errors import SessionOverError
from messages.base import make_ready

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

MOST_MESSAGE_BYTES = 6 * 1024 * 1024
MOST_OTHER_BYTES = 16 * 1024 * 1024
"""Bytes of notifications, requests and other data between two answers; a server that sends more is ended."""
_LINE_BYTES = 200
"""Bytes counted for each message beside its own, since a short message takes as long to look at."""
_LONGEST_ID_BYTES = 100
_CHANGED = ("notifications/tools/list_changed",)
_NOT_SUPPORTED = b'{"code":-32601,"message":"this client serves no requests"}'
_MALFORMED = b'{"code":-32700,"message":"the answer is not a message of the protocol"}'


class _Envelope(msgspec.Struct):
    """Part of a message that tells its kind."""

    method: str = ""
    id: msgspec.Raw = msgspec.Raw(b"")


_DECODER = msgspec.json.Decoder(_Envelope)


class Sieve:
    """Sieve of a connection."""

    def __init__(self, reply: Callable[[bytes], None], change: Callable[[], None]) -> None:
        """Begin without messages.

        Args:
            reply: Sends a line to the server, or drops the line.
            change: Called at the notice of changed tools.
        """
        self._reply = reply
        self._change = change
        self._other_bytes = 0

    def passes(self, line: bytes) -> bool:
        """True if a message is an answer; anything else is dealt with here.

        Raises:
            SessionOverError: too much else has come since the last answer.
        """
        passes = self._is_answer(line)
        self._other_bytes = 0 if passes else self._other_bytes + len(line) + _LINE_BYTES
        if self._other_bytes > MOST_OTHER_BYTES:
            raise SessionOverError(f"it sent more than {MOST_OTHER_BYTES} bytes without an answer")
        return passes

    def _is_answer(self, line: bytes) -> bool:
        try:
            envelope = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return False  # many programs write other things to their stdout
        name = bytes(envelope.id)
        if not envelope.method:
            return 0 < len(name) <= _LONGEST_ID_BYTES and name != b"null"
        if envelope.method in _CHANGED:
            self._change()
        elif 0 < len(name) <= _LONGEST_ID_BYTES:
            outcome = b'"result":{}' if envelope.method == "ping" else b'"error":' + _NOT_SUPPORTED
            self._reply(b'{"jsonrpc":"2.0","id":' + name + b"," + outcome + b"}")
        return False


def refusal_of(line: bytes) -> bytes:
    """Error in the place of a malformed answer, so its request does not wait for another answer."""
    name = bytes(_DECODER.decode(line).id)
    return b'{"jsonrpc":"2.0","id":' + name + b',"error":' + _MALFORMED + b"}"


async def lines(
    source: AsyncIterable[bytes], pace: Pace, most_bytes: int = MOST_MESSAGE_BYTES, *, keeps_empty: bool = False
) -> AsyncIterator[bytes]:
    """Lines of a connection, at a pace that leaves the loop to other work.

    Raises:
        SessionOverError: a line is too long.
    """
    buffer = bytearray()
    async with aclosing(pace.pieces(source)) as pieces:
        async for piece in pieces:
            buffer += piece
            if b"\n" in piece:
                *whole, rest = bytes(buffer).split(b"\n")
                buffer = bytearray(rest)
                for line in whole:
                    if keeps_empty or line.strip():
                        yield line
            if len(buffer) > most_bytes:
                raise SessionOverError(f"it sent a message of more than {most_bytes} bytes, the most that are read")


make_ready(__name__)
