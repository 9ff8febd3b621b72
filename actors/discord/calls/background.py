"""Background tasks: held while running, with logged errors and a common end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class BackgroundTasks:
    """Tasks of a part beside its main work; lives on the loop.

    asyncio holds tasks weakly and reports their errors on collection, if ever; here neither a task nor an error gets
    lost.
    """

    def __init__(self) -> None:
        self._running: dict[asyncio.Task[None], str] = {}

    def spawn(self, work: Coroutine[Any, Any, None], what: str) -> asyncio.Task[None]:
        """Run `work` until its end or cancellation.

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
        """Cancel all running tasks."""
        for task in self._running:
            task.cancel()

    def _report(self, task: asyncio.Task[None]) -> None:
        what = self._running.pop(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("%s failed", what, exc_info=error)
