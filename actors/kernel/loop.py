"""An asyncio loop in a thread of its own, for actors that own a network client or a server."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from actors.kernel.thread import KernelThread
from actors.linux.selector import OverflowSelector

log = logging.getLogger(__name__)
T = TypeVar("T")

CANCEL_S = 2.0
"""Seconds that tasks get to end when they are cancelled, and as many for the threads of the loop's executor."""


class LoopThread:
    """Event loop in a thread, for an actor that must not wait; results come back as messages that coroutines send."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._accepting = False

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop.

        Raises:
            RuntimeError: it was not started, or was stopped.
        """
        if self._loop is None or not self._accepting:
            raise RuntimeError(f"loop {self._name!r} is not running")
        return self._loop

    def start(self) -> None:
        """Start the thread; returns when the loop runs.

        Raises:
            RuntimeError: it was started before.
            OSError: the machine gives no more files or threads.
        """
        if self._thread is not None:
            raise RuntimeError(f"loop {self._name!r} was already started")
        running = threading.Event()
        loop = self._loop = asyncio.SelectorEventLoop(OverflowSelector())
        self._thread = KernelThread(target=self._run, args=(loop,), name=self._name, daemon=True)
        loop.call_soon(running.set)
        try:
            self._thread.start()
        except RuntimeError:
            loop.close()
            raise
        self._accepting = True
        running.wait()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run `coroutine` on the loop; an exception that it raises is logged and is in the future.

        A loop that has stopped, or is stopping, runs nothing: the future is cancelled.
        """
        with self._lock:
            if self._loop is None or not self._accepting:
                coroutine.close()
                refused: Future[T] = Future()
                refused.cancel()
                return refused
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        future.add_done_callback(self._report)
        return future

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Call `function(*args)` on the loop soon; nothing when the loop has stopped."""
        with self._lock:
            if self._loop is not None and self._accepting:
                self._loop.call_soon_threadsafe(function, *args)

    def stop(self, timeout_s: float = 5.0) -> None:
        """Cancel what runs, close the loop and join the thread; again, or from the loop itself, nothing more."""
        thread, loop = self._thread, self._loop
        if thread is None or loop is None:
            return
        with self._lock:
            if self._accepting:
                self._accepting = False
                loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(timeout_s)
            if thread.is_alive():
                log.warning("loop %s did not end within %.1f s", self._name, timeout_s)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
        finally:
            with self._lock:
                abandoned, self._accepting = self._accepting, False
            if abandoned:
                log.critical("loop %s ended by itself", self._name)
            self._close(loop)

    def _close(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            if tasks:
                _, pending = loop.run_until_complete(asyncio.wait(tasks, timeout=CANCEL_S))
                if pending:
                    log.warning("loop %s: %d tasks did not end when cancelled", self._name, len(pending))
            loop.run_until_complete(loop.shutdown_asyncgens())
            executor_ends = asyncio.ensure_future(loop.shutdown_default_executor(), loop=loop)
            loop.run_until_complete(asyncio.wait({executor_ends}, timeout=CANCEL_S))
            loop.run_until_complete(_abort_connections(loop))
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    def _report(self, future: Future[Any]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            log.error("loop %s: a coroutine failed", self._name, exc_info=error)


async def _abort_connections(loop: asyncio.AbstractEventLoop) -> None:
    """Give up connections that were closed but have bytes left that nobody takes; asyncio would leave them open."""
    transports: Mapping[int, asyncio.WriteTransport] = getattr(loop, "_transports", {})  # there is no other list
    for transport in list(transports.values()):
        transport.abort()
    await asyncio.sleep(0)
