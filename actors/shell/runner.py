"""The commands that run now, on the shell's event loop."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

from actors.shell.command import Command, aborted_result
from actors.shell.launch import bash_launch, command_environment
from actors.shell.process import BashProcess
from actors.shell.workplace import Workplace, Workplaces
from messages.base import RequestId
from messages.shell import BashRefused, BashResult, RunBash

log = logging.getLogger(__name__)

Reply = Callable[[RunBash, BashResult | BashRefused], None]
"""Told of every command's end, exactly once each."""


class Runner:
    """Starts commands and answers for them: whatever happens, each that was begun has one reply.

    All methods are for the loop's thread, except `abandon`.
    """

    def __init__(self, *, bash: str, data_root: Path, places: Workplaces, reply: Reply) -> None:
        self._bash = bash
        self._data_root = data_root.absolute()
        self._places = places
        self._reply = reply
        self._begun: dict[RequestId, tuple[RunBash, Command, asyncio.Task[BashResult | BashRefused]]] = {}

    def begin(self, request: RunBash, timeout_s: float) -> None:
        """Start a command; its reply comes when it has ended."""

        def start(place: Workplace) -> BashProcess:
            environment = command_environment(os.environ, place=place, window=request.window, data_root=self._data_root)
            return BashProcess(bash_launch(self._bash, request.command, place, environment))

        command = Command(request, timeout_s, start)
        task = asyncio.get_running_loop().create_task(command.run(lambda: self._places.open(request.window)))
        self._begun[request.request_id] = (request, command, task)
        task.add_done_callback(lambda task: self._end(request, task))

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
