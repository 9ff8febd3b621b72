"""One listening socket and the connections that came in through it; everything here runs on the actor's loop."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from actors.socket.wire import LONGEST_LINE_BYTES, Request, RequestError, failure, parse, success

log = logging.getLogger(__name__)

IN_FLIGHT = 8
"""Requests of one door that are carried out at a time, and of one connection that are read and not yet answered."""
CONNECTIONS = 16
"""Served at a time by one door; further ones wait."""
BACKLOG = 100
"""Of waiting connections; a program with a time-out, such as the skills' scripts, fails at once beyond it."""
NO_FILES_PAUSE_S = 1.0
"""Before the next try when the process may open no more files."""
SILENCE_S = 120.0
"""A connection that sends no whole line for so long is closed."""
UNREAD_S = 60.0
"""A client that does not read its answers for so long is cut off."""
FAULT_PAUSE_S = 0.02
"""What a faulty line costs its connection, so that a flood of them costs the agent little."""
_CREDENTIALS = struct.Struct("3i")

CarryOut = Callable[[Request], Awaitable[object]]


@dataclass(slots=True)
class Tally:
    """Counts of all doors since the actor started."""

    requests: int = 0
    faults: int = 0
    strangers: int = 0
    """Connections of other users, which were closed unheard."""


class Door:
    """Server of one socket: reads requests, has them carried out, answers; a client can only slow down its own door."""

    def __init__(self, carry_out: CarryOut, allowed_uids: frozenset[int], tally: Tally) -> None:
        """A door that does not listen yet.

        Args:
            carry_out: Gives a request's result as JSON can say it, or raises RequestError.
            allowed_uids: Of processes that may connect. A sandbox's user namespace changes nothing about them: the
                kernel gives a peer's uid as this process sees it, which is the uid that the sandbox was started with.
            tally: Shared by all doors.
        """
        self._carry_out = carry_out
        self._allowed_uids = allowed_uids
        self._tally = tally
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._listener: socket.socket | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections = 0

    @property
    def busy(self) -> bool:
        """Whether anybody is connected."""
        return self._connections > 0

    def listen(self, listener: socket.socket) -> None:
        """Accept from now on what connects to the bound `listener`, which is this door's from now on.

        Raises:
            OSError: the socket cannot listen.
        """
        self._listener = listener
        listener.listen(BACKLOG)
        self._resume()

    def close(self) -> None:
        """Accept nothing more and cut all connections."""
        listener, self._listener = self._listener, None
        if listener is not None:
            asyncio.get_running_loop().remove_reader(listener.fileno())
            listener.close()
        for task in self._tasks:
            task.cancel()

    def _resume(self) -> None:
        """Accept when somebody connects; later, if as many are connected as may be."""
        if self._listener is not None and self._connections < CONNECTIONS:
            asyncio.get_running_loop().add_reader(self._listener.fileno(), self._accept, self._listener)

    def _pause(self, listener: socket.socket) -> None:
        asyncio.get_running_loop().remove_reader(listener.fileno())

    def _accept(self, listener: socket.socket) -> None:
        """Let one client in; asyncio's own servers take a hundred at a time, which lets a flood of them delay all."""
        try:
            connection, _ = listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            log.warning("a control socket takes no connections for a while: %s", error.strerror)
            self._pause(listener)
            asyncio.get_running_loop().call_later(NO_FILES_PAUSE_S, self._resume)
            return
        uid = peer_uid(connection)
        if uid not in self._allowed_uids:
            self._tally.strangers += 1
            log.warning("a process of uid %d connected to a control socket and was turned away", uid)
            connection.close()
            return
        self._connections += 1
        if self._connections >= CONNECTIONS:
            self._pause(listener)
        # Closing again is nothing; but a task that is cancelled before it began has closed nothing.
        self._run(self._serve(connection)).add_done_callback(lambda _task: connection.close())

    async def _serve(self, connection: socket.socket) -> None:
        try:
            # The limit is one less than the longest line because asyncio counts without the newline.
            reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_LINE_BYTES - 1)
        except BaseException:
            self._leave()
            raise
        pen = _Pen(writer)
        try:
            if not await self._hear(reader, pen):
                await asyncio.sleep(FAULT_PAUSE_S)  # connecting in vain shall cost the client more than the agent
        finally:
            try:
                await pen.put_away()
            finally:
                self._leave()

    def _leave(self) -> None:
        self._connections -= 1
        self._resume()

    async def _hear(self, reader: asyncio.StreamReader, pen: _Pen) -> bool:
        """Answer requests until the client ends or goes too far; whether there was any."""
        answering: set[asyncio.Task[None]] = set()
        places = asyncio.Semaphore(IN_FLIGHT)
        heard = False
        while line := await self._next_line(reader, pen):
            heard = True
            await places.acquire()
            task = self._run(self._answer(line, pen))
            task.add_done_callback(lambda _task: places.release())
            task.add_done_callback(answering.discard)
            answering.add(task)
            await asyncio.sleep(0)  # a client that sends fast must not keep the loop to itself
        if answering:
            await asyncio.wait(answering)
        return heard

    async def _next_line(self, reader: asyncio.StreamReader, pen: _Pen) -> bytes:
        """One request's line; empty at the end."""
        try:
            async with asyncio.timeout(SILENCE_S):
                return await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            return error.partial
        except asyncio.LimitOverrunError:
            self._tally.faults += 1
            await pen.write(failure(None, f"a line may have at most {LONGEST_LINE_BYTES} bytes; this one has more"))
        except (TimeoutError, ConnectionError):
            pass  # nobody is left who would read a sentence about it
        return b""

    async def _answer(self, line: bytes, pen: _Pen) -> None:
        self._tally.requests += 1
        try:
            request = parse(line)
        except RequestError as error:
            await self._refuse(pen, error.name, error)
            return
        try:
            async with self._slots:
                answer = success(request.id, await self._carry_out(request))
        except RequestError as error:
            await self._refuse(pen, request.id, error)
        except BaseException:
            pen.cut()  # rather than leave the client waiting for an answer
            raise
        else:
            await pen.write(answer)

    async def _refuse(self, pen: _Pen, name: str | int | None, error: RequestError) -> None:
        self._tally.faults += 1
        await asyncio.sleep(FAULT_PAUSE_S)
        await pen.write(failure(name, str(error)))

    def _run(self, coroutine: Awaitable[None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a request through a control socket failed", exc_info=error)


class _Pen:
    """Writer of whole lines to one client, one after the other."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._turn = asyncio.Lock()

    async def write(self, line: bytes) -> None:
        """Write `line`; a client that has gone, or does not read, is cut off."""
        async with self._turn:
            if self._writer.is_closing():
                return
            self._writer.write(line)
            try:
                async with asyncio.timeout(UNREAD_S):
                    await self._writer.drain()
            except (TimeoutError, ConnectionError):
                self.cut()

    async def put_away(self) -> None:
        """End the connection when the client has read everything, or does not any more."""
        self._writer.close()
        try:
            async with asyncio.timeout(UNREAD_S):
                await self._writer.wait_closed()
        except (TimeoutError, ConnectionError):
            return
        finally:
            self.cut()

    def cut(self) -> None:
        """End the connection at once."""
        self._writer.transport.abort()


def peer_uid(connection: socket.socket) -> int:
    """The uid of the process that connected, as this process's user namespace knows it."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _pid, uid, _gid = _CREDENTIALS.unpack(raw)
    return int(uid)
