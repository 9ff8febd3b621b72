"""Table of running commands, on the shell's event loop: begins, kills, and answers each command exactly once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from actors.kernel import LoopEndedError, LoopThread
from actors.shell.command import Command, aborted_result
from actors.shell.door_cache import DoorCache
from actors.shell.process import Process
from actors.shell.starting import Starter
from actors.shell.workplace import Workplace
from messages.base import RequestId, Window
from messages.shell import BashRefused, BashResult, RunBash

log = logging.getLogger(__name__)

Reply = Callable[[RunBash, BashResult | BashRefused], None]
"""Told of every command's end, exactly once each."""


class Runner:
    """Commands under way: each command put in or begun has exactly one reply, even after failures.

    All methods are for the loop's thread, except `put` and `abandon`.
    """

    def __init__(self, starter: Starter, reply: Reply, doors: DoorCache | None = None) -> None:
        """Begin without commands.

        Args:
            starter: Starts the commands' processes.
            reply: Called at the end of each command.
            doors: Has the control sockets of the windows; None without control sockets.
        """
        self._starter = starter
        self._reply = reply
        self._doors = doors
        self._put: dict[RequestId, RunBash] = {}
        """Commands that the loop is still to begin."""
        self._begun: dict[RequestId, tuple[RunBash, Command, asyncio.Task[BashResult | BashRefused]]] = {}

    @property
    def running(self) -> int:
        """Number of running commands; for any thread."""
        return len(self._begun)

    def put(self, loop: LoopThread, request: RunBash, timeout_s: float) -> None:
        """Have a command begun on a loop; for a loop that hangs or ends before, `abandon` replies. For any thread."""
        self._put[request.request_id] = request
        with suppress(LoopEndedError):  # The actor crashes for that, too, before its next message.
            loop.call(self._begin_put, request, timeout_s)

    def _begin_put(self, request: RunBash, timeout_s: float) -> None:
        if self._put.pop(request.request_id, None) is not None:
            self.begin(request, timeout_s)

    def begin(self, request: RunBash, timeout_s: float) -> None:
        """Start a command; the reply comes at the end."""

        async def open_door() -> str:
            return await self._doors.door(request, timeout_s) if self._doors is not None else ""

        async def start(door: str) -> tuple[Workplace, Process]:
            return await self._starter.start(request, timeout_s, door)

        command = Command(request, timeout_s, open_door, start)
        task = asyncio.get_running_loop().create_task(command.run())
        self._begun[request.request_id] = (request, command, task)
        task.add_done_callback(lambda task: self._end(request, task))

    def cancel(self, request_id: RequestId) -> None:
        """Kill a command; no effect on an ended command."""
        if request_id in self._begun:
            _, command, _ = self._begun[request_id]
            command.abort()

    def hold(self, window: Window, holds: bool) -> None:
        """Stop the clocks of a window's running commands, or let the clocks go on."""
        for request, command, _ in self._begun.values():
            if request.window == window:
                command.hold(holds=holds)

    async def close(self) -> None:
        """Kill all commands and wait until all are dead and answered."""
        tasks = []
        for _, command, task in self._begun.values():
            command.abort()
            tasks.append(task)
        if tasks:
            await asyncio.wait(tasks)

    def abandon(self) -> None:
        """Reply for commands that `close` did not bring to an end; for any thread, once the loop has stopped."""
        for request_id in tuple(self._put):
            if (unbegun := self._put.pop(request_id, None)) is not None:
                self._reply(unbegun, aborted_result(unbegun))
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
