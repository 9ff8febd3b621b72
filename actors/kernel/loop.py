"""An asyncio loop in a thread of its own, for actors with a network client or a server."""

from __future__ import annotations

import asyncio
import logging
import selectors
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from actors.kernel.failure import summary
from actors.kernel.thread import KernelThread
from actors.linux.thread_name import name_thread
from actors.linux.transports import abort_transports

if TYPE_CHECKING:
    from actors.kernel.actor import Actor, Host, MakeQuestion
    from messages.base import Address, Message

log = logging.getLogger(__name__)
T = TypeVar("T")
Answer = TypeVar("Answer", bound="Message")
Job = tuple[Callable[..., object], tuple[object, ...]]
"""Function, and its arguments."""

CANCEL_S = 2.0
"""Seconds for cancelled tasks to end, and as many for the threads of the loop's executor."""


class LoopEndedError(CancelledError):
    """A loop has ended without `stop` and runs no more; for its actor this is a crash."""


class LoopHungError(Exception):
    """A loop does not come back from its present work; for its actor this is a crash."""


class LoopThread:
    """Event loop in a thread, for an actor that must not wait; coroutines send results as messages.

    Jobs of other threads wait in a queue and begin in order. A single wake-up serves all jobs queued before the loop
    looks, since waking the loop is a system call and hands over the interpreter's lock.

    The system watches an actor's loop from start to stop: a loop that ends by itself, or does not come back, is a crash
    of the actor.
    """

    def __init__(self, name: str, owner: Actor | None = None) -> None:
        """A loop at rest.

        Args:
            name: Name of the loop's thread.
            owner: The actor that owns the loop; None for code outside actors.
        """
        self.name = name
        self.owner = owner
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._accepting = False
        self._jobs: deque[Job] = deque()
        """Jobs to be called on the loop. Changed under the lock only; while any are queued, the loop has been woken
        already."""
        self._end: LoopEndedError | None = None
        """Reason of an end without `stop`; None before."""

    @property
    def ident(self) -> int:
        """Number of the loop's thread; 0 before the start."""
        return (self._thread.ident or 0) if self._thread is not None else 0

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The running loop.

        Raises:
            RuntimeError: the loop was not started, or was stopped.
        """
        if self._loop is None or not self._accepting:
            raise RuntimeError(f"loop {self.name!r} is not running")
        return self._loop

    def start(self) -> None:
        """Start the thread; returns when the loop runs.

        Raises:
            RuntimeError: the loop was started before.
            OSError: the machine gives no more files or threads.
        """
        if self._thread is not None:
            raise RuntimeError(f"loop {self.name!r} was already started")
        running = threading.Event()
        # A user's processes share one number of epoll's registrations, which a command may use up; poll(2) keeps none.
        loop = self._loop = asyncio.SelectorEventLoop(selectors.PollSelector())
        self._thread = KernelThread(target=self._run, args=(loop,), name=self.name, daemon=True)
        loop.call_soon(running.set)
        self._accepting = True
        try:
            self._thread.start()
        except RuntimeError:  # there is nothing to be stopped, and the next start begins anew
            self._accepting, self._loop, self._thread = False, None, None
            loop.close()
            raise
        running.wait()
        if self.owner is not None:
            self.owner.mailbox.system.watchdog.watch(self)

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run `coroutine` on the loop; an exception in the coroutine is logged and set in the future.

        A loop that has stopped, or is stopping, runs no coroutine: the future is cancelled.

        Raises:
            LoopEndedError: the loop has ended without `stop`.
        """
        submission = _Submission(coroutine, self)
        try:
            is_taken = self._put(submission, ())
        except LoopEndedError:
            submission.abandon()
            raise
        if is_taken:
            submission.future.add_done_callback(self._report)
        else:
            submission.abandon()
        return submission.future

    def submit_answer(self, coroutine: Coroutine[Any, Any, Answer], failure: Message) -> Future[Answer]:
        """Run `coroutine` on the loop, and tell the owner the result; no message after a cancellation.

        Args:
            coroutine: Returns the message for the owner.
            failure: Message in place of the result after an exception, which is logged as by `submit`.

        Raises:
            LoopEndedError: the loop has ended without `stop`.
        """
        owner = self.owner
        assert owner is not None

        def tell(done: Future[Answer]) -> None:
            if not done.cancelled():
                owner.tell(owner.address, failure if done.exception() is not None else done.result())

        future = self.submit(coroutine)
        future.add_done_callback(tell)
        return future

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Call `function(*args)` on the loop soon; nothing when the loop was stopped.

        Raises:
            LoopEndedError: the loop has ended without `stop`.
        """
        self._put(function, args)

    def _put(self, function: Callable[..., object], args: tuple[object, ...]) -> bool:
        """Have `function(*args)` called on the loop after all that was put before; False when the loop was stopped.

        Raises:
            LoopEndedError: the loop has ended without `stop`.
        """
        with self._lock:
            if self._end is not None:
                raise self._end.with_traceback(None)
            if self._loop is None or not self._accepting:
                return False
            self._jobs.append((function, args))
            if len(self._jobs) == 1:
                self._loop.call_soon_threadsafe(self._begin_jobs, self._loop)
            return True

    def _take_jobs(self) -> deque[Job]:
        """All queued jobs; the next job put in wakes the loop again."""
        with self._lock:
            jobs, self._jobs = self._jobs, deque()
        return jobs

    def _begin_jobs(self, loop: asyncio.AbstractEventLoop) -> None:
        """Call the queued jobs; a failure is logged by the loop, and the other jobs are called all the same."""
        jobs = self._take_jobs()
        try:
            while jobs:
                function, args = jobs.popleft()
                try:
                    copy_context().run(function, *args)  # what one of them sets there is not seen by the next
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:  # noqa: BLE001 - logged by the loop, as of any callback of its own
                    loop.call_exception_handler(
                        {"message": f"{function!r} failed, called on loop {self.name}", "exception": error}
                    )
        finally:
            _abandon(jobs)  # Only an exit leaves any; it ends the loop.

    def end(self, last: Coroutine[Any, Any, object] | None, timeout_s: float, unfinished: str) -> None:
        """Run a last coroutine, such as the closing of connections, and stop.

        Args:
            last: None for a stop without a last coroutine.
            timeout_s: Time for the coroutine; afterwards the coroutine is cancelled.
            unfinished: Warning to log if the coroutine does not end in time.
        """
        try:
            if last is not None:
                self.submit(last).result(timeout_s)
        except (TimeoutError, CancelledError):
            log.warning(unfinished)
        finally:
            self.stop()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Cancel running work, close the loop and join the thread; no effect if repeated or called on the loop."""
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
        name_thread(self.name)
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
        _abandon(self._take_jobs())
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


class _Submission(Generic[T]):
    """Coroutine on its way to a loop, with its caller's future; calling the object on the loop begins the coroutine."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], loop: LoopThread) -> None:
        self.future: Future[T] = Future()
        self._coroutine = coroutine
        self._loop = loop

    def __call__(self) -> None:
        """Begin the coroutine, unless its future was cancelled."""
        if self.future.cancelled():
            self._coroutine.close()
            return
        task = asyncio.get_running_loop().create_task(self._coroutine)
        task.add_done_callback(self._settle)

        def cancel(future: Future[T]) -> None:
            if future.cancelled() and not task.done():
                with suppress(LoopEndedError):
                    self._loop.call(task.cancel)

        self.future.add_done_callback(cancel)

    def abandon(self) -> None:
        """Cancel the future; the coroutine will not be run."""
        self._coroutine.close()
        self.future.cancel()

    def _settle(self, task: asyncio.Task[T]) -> None:
        if task.cancelled():
            self.future.cancel()
        if not self.future.set_running_or_notify_cancel():
            return
        if (error := task.exception()) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result())


def _abandon(jobs: deque[Job]) -> None:
    """Cancel the futures of `jobs`, as the jobs will not run."""
    for function, _ in jobs:
        if isinstance(function, _Submission):
            function.abandon()


def ask_future(host: Host, to: Address, make: MakeQuestion) -> asyncio.Future[Any]:
    """Ask another actor from a coroutine; a cancelled future withdraws the question.

    Args:
        host: The asking actor; its mailbox gets the answer.
        to: Address of the actor asked.
        make: Builds the question.

    Returns:
        Future of the answer, on the running loop, without a deadline.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(answer: Any) -> None:
        if not future.done():
            future.set_result(answer)

    def pass_on(answer: Any) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, answer)

    request_id = host.ask(to, make, None, pass_on)
    future.add_done_callback(lambda _: host.withdraw(request_id))
    return future


async def ask_from_loop(host: Host, to: Address, make: MakeQuestion, timeout_s: float) -> Any:
    """Ask another actor and return its answer.

    Args:
        host: The asking actor; its mailbox gets the answer.
        to: Address of the actor asked.
        make: Builds the question.
        timeout_s: Longest wait in seconds.

    Raises:
        TimeoutError: no answer within `timeout_s`.
    """
    return await asyncio.wait_for(ask_future(host, to, make), timeout_s)
