"""Programs that serve other actors, each in a separate sandbox: their start, and words about their end."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Callable
from contextlib import closing

from actors.shell.job import Ending
from actors.shell.process import Process
from actors.shell.refused import RefusedError
from actors.shell.starting import Starter
from domain.text.output_tail import OutputTail
from messages.base import RequestId
from messages.shell import StartServer

log = logging.getLogger(__name__)

MOST_SERVERS = 100
LAST_WORDS_S = 0.2
"""Seconds of reading the pipe of stderr after the end."""
_MOST_LINES = 5
_MOST_CHARS = 500
STOPPED = "it was stopped"
_SHIM = """import os, socket, sys
door = socket.socket(socket.AF_UNIX)
try:
    door.connect(os.environ.pop("AGENT_SOCKET"))
    os.dup2(door.fileno(), 0)
    os.dup2(door.fileno(), 1)
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    sys.exit(f"{sys.argv[1]}: {error.strerror}")
"""


def server_command(command: tuple[str, ...]) -> str:
    """Command for bash to run a program with the socket of `AGENT_SOCKET` as stdin and stdout."""
    return shlex.join(("python3", "-I", "-S", "-c", _SHIM, *command))


class Servers:
    """Servers under way: each begun server has exactly one reply, even after failures. For the loop's thread."""

    def __init__(self, starter: Starter, reply: Callable[[StartServer, str], None]) -> None:
        """No server yet.

        Args:
            starter: Starts their processes.
            reply: Hears the end of each, in words.
        """
        self._starter = starter
        self._reply = reply
        self._begun: dict[RequestId, tuple[asyncio.Task[str], asyncio.Event]] = {}

    def begin(self, request: StartServer) -> None:
        """Start a server; the reply comes at the end."""
        if request.request_id in self._begun:
            return
        stop = asyncio.Event()
        task = asyncio.get_running_loop().create_task(self._run(request, stop))
        self._begun[request.request_id] = (task, stop)
        task.add_done_callback(lambda task: self._end(request, task))

    def stop(self, request_id: RequestId) -> None:
        """Kill a server; no effect on an ended server."""
        if request_id in self._begun:
            self._begun[request_id][1].set()

    async def close(self) -> None:
        """Kill all servers and wait for their death."""
        for _, stop in self._begun.values():
            stop.set()
        if tasks := [task for task, _ in self._begun.values()]:
            await asyncio.wait(tasks)

    async def _run(self, request: StartServer, stop: asyncio.Event) -> str:
        if len(self._begun) > MOST_SERVERS:
            return f"{MOST_SERVERS} servers run already"
        try:
            process = await self._starter.start_server(request, server_command(request.command))
        except RefusedError as error:
            return str(error)
        tail = OutputTail()
        with closing(process):
            await _attend(process, stop, tail)
            process.close()
            return _describe_end(process.ending, tail, was_stopped=stop.is_set())

    def _end(self, request: StartServer, task: asyncio.Task[str]) -> None:
        self._begun.pop(request.request_id, None)
        if task.cancelled():
            self._reply(request, STOPPED)
        elif (error := task.exception()) is not None:
            log.error("running a server failed", exc_info=error)
            self._reply(request, "it could not be run")
        else:
            self._reply(request, task.result())


async def _attend(process: Process, stop: asyncio.Event, tail: OutputTail) -> None:
    """Wait for the end, without any process of the server left alive; `tail` then has its output on stderr."""
    reading = asyncio.create_task(process.read(tail.feed))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((process.exited, stopping), return_when=asyncio.FIRST_COMPLETED)
        await process.kill()
        await asyncio.wait({reading}, timeout=LAST_WORDS_S)
    finally:
        reading.cancel()
        stopping.cancel()
        await asyncio.wait((reading, stopping))


def _describe_end(ending: Ending, tail: OutputTail, *, was_stopped: bool) -> str:
    """Words about the end of a server."""
    words = "\n".join(tail.excerpt().text.strip().splitlines()[-_MOST_LINES:])[-_MOST_CHARS:]
    if ending.fault:
        how = f"its sandbox cannot be started: {ending.fault}"
    elif ending.exceeded:
        how = f"it was killed: {ending.exceeded}"
    elif was_stopped:
        return STOPPED
    else:
        how = f"it ended with exit code {ending.exit_code}"
    return f"{how}: {words}" if words else how
