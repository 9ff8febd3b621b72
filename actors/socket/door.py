"""Listening socket and its connections; everything here runs on the actor's loop."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field

from actors.socket.connection import Connection, LineTooLongError, peer_uid
from actors.socket.wire import LONGEST_LINE_BYTES, Request, RequestError, RequestName, failure, parse, success

log = logging.getLogger(__name__)

IN_FLIGHT = 8
"""Concurrent requests of a socket, and read but unanswered requests of a connection."""
UNREAD_CONNECTIONS = 2
"""Connections of a socket with a request read before there is room; all other requests stay with the kernel."""
CONNECTIONS = 16
"""Connections served at a time by a socket; further connections wait."""
BACKLOG = 100
"""Most waiting connections; beyond, a program with a time-out, such as the skills' scripts, fails at once."""
NO_FILES_PAUSE_S = 1.0
"""Before the next try when the process may open no more files."""
FAULT_PAUSE_S = 0.02
"""Pause of a connection after a faulty line, so a flood of faulty lines costs the agent little."""

CarryOut = Callable[[Request], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of a socket's patience with clients."""

    silence_s: float = 120.0
    """A connection without a whole line for so long is closed."""
    unread_s: float = 60.0
    """Seconds after which a client is cut off for not reading its answers."""
    unread_bytes: int = 16 * 1024 * 1024
    """Limit of unread answers of a socket's clients; beyond it, the client with most unread bytes is cut off."""


USUAL_PATIENCE = Patience()


@dataclass(slots=True)
class Tally:
    """Counts of all doors since the actor started."""

    most_connections: int
    """Most connections of all sockets together, besides a guaranteed connection for each."""
    patience: Patience = USUAL_PATIENCE
    connections: int = 0
    """Open now."""
    requests: int = 0
    faults: int = 0
    strangers: int = 0
    """Number of connections of other users, closed unheard."""
    full: set[Door] = field(default_factory=set)
    """Sockets that accept no client until a client leaves, at any socket."""


class Door:
    """Server of a socket: reads requests, has them carried out, answers; a client can only slow down its own socket.

    A request is read only when there is room and its client still waits. A request sent to an actor keeps its room
    until the answer, even if the client leaves: so a client cannot get more concurrent work by reconnecting.
    """

    def __init__(self, carry_out: CarryOut, allowed_uids: frozenset[int], tally: Tally) -> None:
        """Begin without listening.

        Args:
            carry_out: Gives a request's result in a form fit for JSON, or raises RequestError.
            allowed_uids: Uids of processes that may connect. A sandbox's user namespace does not change the uids: the
                kernel gives a peer's uid as this process sees it, the uid at the sandbox's start.
            tally: Shared by all sockets.
        """
        self._carry_out = carry_out
        self._allowed_uids = allowed_uids
        self._tally = tally
        self._room = asyncio.Semaphore(IN_FLIGHT)
        self._waiting_room = asyncio.Semaphore(UNREAD_CONNECTIONS)
        self._listener: socket.socket | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections: set[Connection] = set()

    @property
    def busy(self) -> bool:
        """True if a client is connected."""
        return bool(self._connections)

    def listen(self, listener: socket.socket) -> None:
        """Accept from now on connections to the bound `listener`, now owned by this object.

        Raises:
            OSError: the socket cannot listen.
        """
        self._listener = listener
        listener.listen(BACKLOG)
        self._resume()

    def close(self) -> None:
        """Stop accepting and cut all connections."""
        listener, self._listener = self._listener, None
        if listener is not None:
            asyncio.get_running_loop().remove_reader(listener.fileno())
            listener.close()
        self._tally.full.discard(self)
        for task in self._tasks:
            task.cancel()

    # connections

    def _may_accept(self) -> bool:
        if not self._connections:
            return True
        return len(self._connections) < CONNECTIONS and self._tally.connections < self._tally.most_connections

    def _resume(self) -> None:
        """Accept the next client; later, if the connections are at their limit."""
        if self._listener is not None and self._may_accept():
            self._tally.full.discard(self)
            asyncio.get_running_loop().add_reader(self._listener.fileno(), self._accept, self._listener)

    def _pause(self, listener: socket.socket) -> None:
        asyncio.get_running_loop().remove_reader(listener.fileno())

    def _accept(self, listener: socket.socket) -> None:
        """Let a client in; asyncio's own servers take a hundred at a time, so a flood of clients would delay all."""
        if not self._may_accept():
            self._pause(listener)
            self._tally.full.add(self)
            return
        try:
            accepted, _ = listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError as error:
            log.warning("a control socket takes no connections for a while: %s", error.strerror)
            self._pause(listener)
            asyncio.get_running_loop().call_later(NO_FILES_PAUSE_S, self._resume)
            return
        uid = peer_uid(accepted)
        if uid not in self._allowed_uids:
            self._tally.strangers += 1
            log.warning("a process of uid %d connected to a control socket and was turned away", uid)
            accepted.close()
            return
        accepted.setblocking(False)
        connection = Connection(accepted)
        self._connections.add(connection)
        self._tally.connections += 1
        # Not the task's own last act, for one that is cancelled before it began does nothing.
        self._run(self._serve(connection)).add_done_callback(lambda _task: self._leave(connection))

    def _leave(self, connection: Connection) -> None:
        connection.close()
        self._connections.discard(connection)
        self._tally.connections -= 1
        for door in tuple(self._tally.full):
            door._resume()

    # requests

    async def _serve(self, connection: Connection) -> None:
        """Answer requests until the client ends or goes too far."""
        answering: set[asyncio.Task[None]] = set()
        places = asyncio.Semaphore(IN_FLIGHT)
        has_request = False
        try:
            while line := await self._next_line(connection, places):
                has_request = True
                task = self._run(self._answer(line, connection))
                task.add_done_callback(lambda _task: places.release())
                task.add_done_callback(answering.discard)
                answering.add(task)
                await asyncio.sleep(0)  # a client that sends fast must not keep the loop to itself
        finally:
            if answering:
                await asyncio.wait(answering)
        if not has_request:
            await asyncio.sleep(FAULT_PAUSE_S)  # connecting in vain shall cost the client more than the agent

    async def _next_line(self, connection: Connection, places: asyncio.Semaphore) -> bytes:
        """Request's line, once there is room to carry it out; the room and a place are taken. Empty at the end."""
        await places.acquire()
        silent_until = asyncio.get_running_loop().time() + self._tally.patience.silence_s
        try:
            while not connection.is_over:
                async with asyncio.timeout_at(silent_until):
                    await connection.readable()
                async with self._waiting_room:
                    if line := connection.take():
                        await self._room.acquire()
                        return line
        except LineTooLongError:
            self._tally.faults += 1
            reason = f"a line may have at most {LONGEST_LINE_BYTES} bytes; this one has more"
            await self._send(connection, failure(None, reason))
        except TimeoutError:
            pass  # nobody is left who would read a sentence about it
        return b""

    async def _answer(self, line: bytes, connection: Connection) -> None:
        name: RequestName = None
        try:
            try:
                if connection.is_gone:
                    return
                self._tally.requests += 1
                request = parse(line)
                name = request.id
                answer = success(name, await self._carry_out(request))
            finally:
                self._room.release()
        except RequestError as error:
            self._tally.faults += 1
            await asyncio.sleep(FAULT_PAUSE_S)
            await self._send(connection, failure(name if error.name is None else error.name, str(error)))
        except BaseException:
            connection.cut()  # rather than leave the client waiting for an answer
            raise
        else:
            await self._send(connection, answer)

    async def _send(self, connection: Connection, line: bytes) -> None:
        while sum(each.unread_bytes for each in self._connections) + len(line) > self._tally.patience.unread_bytes:
            deafest = max(self._connections, key=lambda each: each.unread_bytes)
            deafest.cut()
            await asyncio.sleep(0)
        await connection.write(line, self._tally.patience.unread_s)

    def _run(self, coroutine: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._forget_task)
        return task

    def _forget_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a request through a control socket failed", exc_info=error)
