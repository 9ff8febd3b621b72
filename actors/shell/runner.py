"""The commands that run now, on the shell's event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from actors.shell.command import Command, aborted_result
from actors.shell.process import Process
from actors.shell.starting import Starter
from actors.shell.workplace import Workplace
from messages.base import RequestId
from messages.shell import BashRefused, BashResult, RunBash

log = logging.getLogger(__name__)

Reply = Callable[[RunBash, BashResult | BashRefused], None]
"""Told of every command's end, exactly once each."""
AskDoor = Callable[[RunBash], None]
"""Asks for the control socket of the command's window; the answer goes to `Runner.open_door`."""
DOOR_S = 2.0


class Runner:
    """Starts commands and answers for them: whatever happens, each that was begun has one reply.

    All methods are for the loop's thread, except `abandon`.
    """

    def __init__(self, starter: Starter, reply: Reply, ask_door: AskDoor | None = None) -> None:
        self._starter = starter
        self._reply = reply
        self._ask_door = ask_door
        self._begun: dict[RequestId, tuple[RunBash, Command, asyncio.Task[BashResult | BashRefused]]] = {}
        self._doors: dict[RequestId, asyncio.Future[str]] = {}

    @property
    def running(self) -> int:
        """How many commands run now; for any thread."""
        return len(self._begun)

    def begin(self, request: RunBash, timeout_s: float) -> None:
        """Start a command; its reply comes when it has ended."""

        async def start() -> tuple[Workplace, Process]:
            return await self._starter.start(request, timeout_s, await self._door(request))

        command = Command(request, timeout_s, start)
        task = asyncio.get_running_loop().create_task(command.run())
        self._begun[request.request_id] = (request, command, task)
        task.add_done_callback(lambda task: self._end(request, task))

    def open_door(self, request_id: RequestId, path: str) -> None:
        """Take the answer to a question for a door; an empty `path` means that there is none."""
        door = self._doors.get(request_id)
        if door is not None and not door.done():
            door.set_result(path)

    async def _door(self, request: RunBash) -> str:
        """Where the window's control socket is; empty if there is none, or nobody says so in time."""
        if self._ask_door is None:
            return ""
        door = self._doors[request.request_id] = asyncio.get_running_loop().create_future()
        try:
            self._ask_door(request)
            return await asyncio.wait_for(door, DOOR_S)
        except TimeoutError:
            log.warning("a command runs without the control socket: nobody opened it within %g s", DOOR_S)
            return ""
        finally:
            del self._doors[request.request_id]

    def cancel(self, request_id: RequestId) -> None:
        """Kill a command; one that has ended is no matter."""
        if request_id in self._begun:
            _, command, _ = self._begun[request_id]
            command.abort()

    async def close(self) -> None:
        """Kill all commands and wait until they are dead and replied to."""
        tasks = []
        for _, command, task in self._begun.values():
            command.abort()
            tasks.append(task)
        if tasks:
            await asyncio.wait(tasks)

    def abandon(self) -> None:
        """Reply for commands that `close` did not bring to an end; for any thread, once the loop has stopped."""
        while self._begun:
            _, (request, _, _) = self._begun.popitem()
            self._reply(request, aborted_result(request))

    def _end(self, request: RunBash, task: asyncio.Task[BashResult | BashRefused]) -> None:
        if self._begun.pop(request.request_id, None) is None:
            return
        if task.cancelled():
            self._reply(request, aborted_result(request))
        elif (error := task.exception()) is not None:
            log.error("running a command failed", exc_info=error)
            self._reply(request, aborted_result(request))
        else:
            self._reply(request, task.result())
