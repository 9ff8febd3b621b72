"""Connection to a client: whole lines in and out, with at most the memory of a line each way."""

from __future__ import annotations

import asyncio
import select
import socket
import struct

from actors.socket.wire import LONGEST_LINE_BYTES

_CREDENTIALS = struct.Struct("3i")
_NEWLINE = b"\n"


class LineTooLongError(Exception):
    """A client's line exceeds the longest permitted length."""


class Connection:
    """One accepted socket. Data from the client stays with the kernel until `take`.

    asyncio's streams would read on by themselves, up to half a megabyte for each connection.
    """

    def __init__(self, accepted: socket.socket) -> None:
        """Take over `accepted`, a non-blocking socket."""
        self._socket = accepted
        self._begun = bytearray()
        """Data taken from the kernel and not yet returned as lines."""
        self._writing = asyncio.Lock()
        self._fate = select.poll()
        self._fate.register(accepted, 0)
        self.has_ended = False
        """True if the client has sent its last data."""
        self.unread_bytes = 0
        """Bytes of answers that the client has yet to read."""

    @property
    def is_gone(self) -> bool:
        """True if no client is left to read an answer; a client that only stopped sending still reads."""
        return self._socket.fileno() < 0 or bool(self._fate.poll(0))

    @property
    def is_over(self) -> bool:
        """True if `take` has no more data."""
        return self.has_ended and not self._begun

    async def readable(self) -> None:
        """Wait until `take` has new data."""
        if _NEWLINE in self._begun or self.has_ended:
            return
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()
        loop.add_reader(self._socket, arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_reader(self._socket)

    def take(self) -> bytes:
        """Next whole line, or the last line; empty if the line has not come yet, or if no more lines will come.

        Raises:
            LineTooLongError: the line has more than the most bytes allowed.
        """
        if _NEWLINE not in self._begun and not self.has_ended:
            self._receive()
        length = self._begun.find(_NEWLINE) + 1 or (len(self._begun) if self.has_ended else 0)
        line = bytes(self._begun[:length])
        del self._begun[:length]
        if len(line) > LONGEST_LINE_BYTES or (not line and len(self._begun) >= LONGEST_LINE_BYTES):
            raise LineTooLongError
        return line

    async def write(self, line: bytes, patience_s: float) -> None:
        """Send a line after earlier unsent lines; a client that has gone, or reads too slowly, is cut off."""
        self.unread_bytes += len(line)
        try:
            async with self._writing, asyncio.timeout(patience_s):
                await asyncio.get_running_loop().sock_sendall(self._socket, line)
        except (TimeoutError, OSError):
            self.cut()
        finally:
            self.unread_bytes -= len(line)

    def cut(self) -> None:
        """End the connection at once; pending reads and writes end too."""
        self.has_ended = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it has ended already

    def close(self) -> None:
        """Close the descriptor; answers held by the kernel are still delivered. Idempotent."""
        self._socket.close()

    def _receive(self) -> None:
        try:
            piece = self._socket.recv(LONGEST_LINE_BYTES + 1 - len(self._begun))
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            piece = b""
        self._begun += piece
        self.has_ended = not piece


def peer_uid(accepted: socket.socket) -> int:
    """Uid of the connected process, as this process's user namespace knows the uid."""
    raw = accepted.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _pid, uid, _gid = _CREDENTIALS.unpack(raw)
    return int(uid)
