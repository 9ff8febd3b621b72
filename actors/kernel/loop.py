"""An asyncio loop in a thread of its own, for actors that own a network client or a server."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, TypeVar

from actors.kernel.failure import summary
from actors.kernel.thread import KernelThread
from actors.linux.selector import OverflowSelector
from actors.linux.transports import abort_transports

if TYPE_CHECKING:
    from actors.kernel.actor import Actor

log = logging.getLogger(__name__)
T = TypeVar("T")

CANCEL_S = 2.0
"""Seconds that tasks get to end when they are cancelled, and as many for the threads of the loop's executor."""


class LoopEndedError(CancelledError):
    """A loop that nobody stopped has ended, so that nothing can be run on it; for its actor this is a crash."""


class LoopHungError(Exception):
    """A loop does not come back from what it is at; for its actor this is a crash."""


class LoopThread:
    """Event loop in a thread, for an actor that must not wait; results come back as messages that coroutines send.

    A loop that an actor owns is watched by the system from its start to its stop: one that ends by itself, or does not
    come back, is a crash of that actor.
    """

    def __init__(self, name: str, owner: Actor | None = None) -> None:
        """A loop at rest.

        Args:
            name: Of its thread.
            owner: The actor whose loop it is; None for code that is no actor.
        """
        self.name = name
        self.owner = owner
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._accepting = False
        self._end: LoopEndedError | None = None
        """Why it ended, if nobody stopped it."""

    @property
    def ident(self) -> int:
        """Number of its thread; 0 before the start."""
        return (self._thread.ident or 0) if self._thread is not None else 0

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop.

        Raises:
            RuntimeError: it was not started, or was stopped.
        """
        if self._loop is None or not self._accepting:
            raise RuntimeError(f"loop {self.name!r} is not running")
        return self._loop

    def start(self) -> None:
        """Start the thread; returns when the loop runs.

        Raises:
            RuntimeError: it was started before.
            OSError: the machine gives no more files or threads.
        """
        if self._thread is not None:
            raise RuntimeError(f"loop {self.name!r} was already started")
        running = threading.Event()
        loop = self._loop = asyncio.SelectorEventLoop(OverflowSelector())
        self._thread = KernelThread(target=self._run, args=(loop,), name=self.name, daemon=True)
        loop.call_soon(running.set)
        self._accepting = True
        try:
            self._thread.start()
        except RuntimeError:
            self._accepting = False
            loop.close()
            raise
        running.wait()
        if self.owner is not None:
            self.owner.mailbox.system.watchdog.watch(self)

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run `coroutine` on the loop; an exception that it raises is logged and is in the future.

        A loop that has stopped, or is stopping, runs nothing: the future is cancelled.

        Raises:
            LoopEndedError: nobody stopped it, and it has ended.
        """
        with self._lock:
            if self._end is not None:
                coroutine.close()
                raise self._end.with_traceback(None)
            if self._loop is None or not self._accepting:
                coroutine.close()
                refused: Future[T] = Future()
                refused.cancel()
                return refused
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        future.add_done_callback(self._report)
        return future

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Call `function(*args)` on the loop soon; nothing when the loop was stopped.

        Raises:
            LoopEndedError: nobody stopped it, and it has ended.
        """
        with self._lock:
            if self._end is not None:
                raise self._end.with_traceback(None)
            if self._loop is not None and self._accepting:
                self._loop.call_soon_threadsafe(function, *args)

    def stop(self, timeout_s: float = 5.0) -> None:
        """Cancel what runs, close the loop and join the thread; again, or from the loop itself, nothing more."""
        thread, loop = self._thread, self._loop
        if thread is None or loop is None:
            return
        if self.owner is not None:
            self.owner.mailbox.system.watchdog.unwatch(self)
        with self._lock:
            self._end = None
            if self._accepting:
                self._accepting = False
                loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(timeout_s)
            if thread.is_alive():
                log.warning("loop %s did not end within %.1f s", self.name, timeout_s)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        fault: BaseException | None = None
        try:
            loop.run_forever()
        except BaseException as error:  # noqa: BLE001 - even an exit ends this thread only: its actor is told
            fault = error
        with self._lock:
            abandoned, self._accepting = self._accepting, False
            if abandoned:
                cause = "" if fault is None else f" with {summary(fault)}"
                self._end = LoopEndedError(f"loop {self.name} ended by itself{cause}")
        if abandoned:
            log.critical("%s", self._end, exc_info=fault)
            if self.owner is not None:
                self.owner.fail(LoopEndedError(str(self._end)))
        self._close(loop)

    def _close(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            if tasks:
                _, pending = loop.run_until_complete(asyncio.wait(tasks, timeout=CANCEL_S))
                if pending:
                    log.warning("loop %s: %d tasks did not end when cancelled", self.name, len(pending))
            loop.run_until_complete(loop.shutdown_asyncgens())
            executor_ends = asyncio.ensure_future(loop.shutdown_default_executor(), loop=loop)
            loop.run_until_complete(asyncio.wait({executor_ends}, timeout=CANCEL_S))
            loop.run_until_complete(abort_transports())
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    def _report(self, future: Future[Any]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            log.error("loop %s: a coroutine failed", self.name, exc_info=error)
