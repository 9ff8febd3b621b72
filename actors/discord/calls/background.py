"""Background tasks: held while they run, their errors logged, cut off together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class BackgroundTasks:
    """The tasks that a part has running beside what goes on; lives on the loop.

    asyncio holds tasks weakly and tells their errors when they are collected, if ever; here neither gets lost.
    """

    def __init__(self) -> None:
        self._running: dict[asyncio.Task[None], str] = {}

    def spawn(self, work: Coroutine[Any, Any, None], what: str) -> asyncio.Task[None]:
        """Run `work`, until it ends or is cut off.

        Args:
            work: Task body; exceptions are logged.
            what: Label for the log, without words that people wrote.
        """
        task = asyncio.get_running_loop().create_task(work)
        self._running[task] = what
        task.add_done_callback(self._report)
        return task

    @property
    def are_running(self) -> bool:
        """True if a task runs; for any thread."""
        return bool(self._running)

    def cancel(self) -> None:
        """Cut off what runs."""
        for task in self._running:
            task.cancel()

    def _report(self, task: asyncio.Task[None]) -> None:
        what = self._running.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("%s failed", what, exc_info=error)
