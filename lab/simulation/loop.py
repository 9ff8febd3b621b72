"""Asyncio on a clock that stands still: the owner of the event loop runs each handle separately."""

from __future__ import annotations

import asyncio
import concurrent.futures
import math
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import TYPE_CHECKING, Any, TypeVar

from actors.kernel import Actor, LoopThread, ManualClock, Timer
from actors.kernel.clock import MICROSECONDS

if TYPE_CHECKING:
    from lab.simulation.wire import Wire

T = TypeVar("T")
MODEL_PORT = 8200
"""Port of the only server outside: the model's."""
_EXACT = 1e-3
"""Tolerance of floats, in microseconds."""
Tell = Callable[[str], None]


class _TimerHandle(asyncio.TimerHandle):
    timer: Timer


class SteppedLoop(asyncio.AbstractEventLoop):
    """Event loop without a thread, sockets or a selector; jobs for threads are done at once, in the caller's.

    What asyncio asks of a loop and is not here raises `NotImplementedError`.
    """

    def __init__(self, clock: ManualClock, report: Tell) -> None:
        """Create an empty loop.

        Args:
            clock: Time, and timers.
            report: Called with unhandled errors.
        """
        self._clock = clock
        self._report = report
        self._ready: deque[asyncio.Handle] = deque()
        self._tasks: dict[asyncio.Task[Any], None] = {}
        self._is_closed = False
        self.wire: Wire | None = None
        """Network of the loop's connections; None for no network."""

    @property
    def is_ready(self) -> bool:
        """True if a step would run a handle."""
        return bool(self._ready)

    def step(self) -> None:
        """Run the handle that has waited longest."""
        handle = self._ready.popleft()
        if handle.cancelled():
            return
        before = events._get_running_loop()
        events._set_running_loop(None)
        events._set_running_loop(self)
        try:
            handle._run()
        finally:
            events._set_running_loop(before)

    def abandon(self) -> None:
        """Forget all work, as a killed process does: no task is told."""
        self._is_closed = True
        self._ready.clear()
        for task in self._tasks:
            task._log_destroy_pending = False  # type: ignore[attr-defined]  # documented nowhere, read by asyncio
        self._tasks.clear()

    # what asyncio and its users ask

    def time(self) -> float:
        """Seconds of the clock."""
        return self._clock.monotonic()

    def is_running(self) -> bool:
        """True until closed: the owner steps the loop."""
        return not self._is_closed

    def is_closed(self) -> bool:
        """True if the loop was abandoned or closed."""
        return self._is_closed

    def close(self) -> None:
        """Run no further handle."""
        self.abandon()

    def get_debug(self) -> bool:
        """Never."""
        return False

    def call_soon(  # type: ignore[override]  # typeshed has type variables for the arguments
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Run a callback behind all waiting handles."""
        handle = asyncio.Handle(callback, args, self, context)
        if not self._is_closed:
            self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """In so many seconds of the clock."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run a callback at the given second of the clock."""
        handle = _TimerHandle(when, callback, args, self, context)
        # The clock counts whole microseconds; rounded down, who waits until `when` would wake before it for ever.
        left_s = when - self.time()
        microseconds = max(math.ceil(left_s * MICROSECONDS - _EXACT), int(left_s > 0))
        handle.timer = self._clock.call_later(microseconds / MICROSECONDS, lambda: self._due(handle))
        return handle

    def _due(self, handle: asyncio.Handle) -> None:
        if not self._is_closed:
            self._ready.append(handle)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        if isinstance(handle, _TimerHandle):
            handle.timer.cancel()

    def create_future(self) -> asyncio.Future[Any]:
        """Of this loop."""
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, T], *, name: str | None = None, context: Context | None = None
    ) -> asyncio.Task[T]:
        """Of this loop."""
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks[task] = None
        task.add_done_callback(lambda done: self._tasks.pop(done, None))
        return task

    def run_in_executor(  # type: ignore[override]
        self, _executor: object, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Done at once."""
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  # it is whoever waits' now
            done.set_exception(error)
        return done

    async def create_server(self, factory: Any, _host: Any = None, port: Any = None, **_how: Any) -> Any:  # type: ignore[override]
        """Listen on the wire."""
        return self._require_wire().listen(factory, port)

    async def create_connection(self, factory: Any, *_where: Any, **_how: Any) -> Any:  # type: ignore[override]
        """Connect to the model's server on the wire."""
        return self._require_wire().connect(factory, MODEL_PORT)

    def remove_reader(self, fd: Any) -> bool:  # noqa: ARG002
        """No socket is read."""
        return False

    def _require_wire(self) -> Wire:
        assert self.wire is not None
        return self.wire

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Report the exception."""
        error = context.get("exception")
        self._report(f"loop: {context.get('message')}: {type(error).__name__}: {error}")

    def cancel_all(self) -> None:
        """Cancel all tasks, in order of their beginning."""
        for task in list(self._tasks):
            task.cancel()


class AwaitedFuture(concurrent.futures.Future[T]):
    """Result of a coroutine; a waiting caller steps the loop meanwhile."""

    def __init__(self, run: Callable[[Callable[[], bool], float], None]) -> None:
        super().__init__()
        self._run = run

    def result(self, timeout: float | None = None) -> T:
        """As in `concurrent.futures`, in the clock's seconds."""
        self._run(self.done, 60.0 if timeout is None else timeout)
        return super().result(0)


class SteppedLoopThread:
    """Stand-in for `actors.kernel.LoopThread`: the loop without the thread."""

    submit_answer = LoopThread.submit_answer
    end = LoopThread.end

    def __init__(self, clock: ManualClock, report: Tell, owner: Actor | None = None) -> None:
        """Create a loop at rest.

        Args:
            clock: As of `SteppedLoop`.
            report: As of `SteppedLoop`.
            owner: As of `LoopThread`.
        """
        self._clock = clock
        self.owner = owner
        self.stepped = SteppedLoop(clock, report)  # type: ignore[abstract]  # what is not here, nobody asks
        self._accepting = False

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop.

        Raises:
            RuntimeError: the loop does not run.
        """
        if not self._accepting:
            raise RuntimeError("the loop is not running")
        return self.stepped

    def start(self) -> None:
        """Allow steps."""
        self._accepting = True

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run `coroutine`; a stopped loop cancels the future."""
        future: AwaitedFuture[T] = AwaitedFuture(self.run_until)
        if not self._accepting:
            coroutine.close()
            future.cancel()
            return future

        def begin() -> None:
            task = self.stepped.create_task(coroutine)
            task.add_done_callback(lambda done: _copy(done, future))

        self.stepped.call_soon(begin)
        return future

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Call `function(*args)` soon; do nothing after the stop."""
        if self._accepting:
            self.stepped.call_soon(function, *args)

    def stop(self, timeout_s: float = 5.0) -> None:
        """Cancel running tasks, and run no more."""
        if self._accepting:
            self._accepting = False
            self.stepped.cancel_all()
            self.run_until(lambda: not (self.stepped._tasks or self.stepped.is_ready), min(timeout_s, 2.0))
            self.stepped.close()

    def run_until(self, is_so: Callable[[], bool], timeout_s: float) -> None:
        """Step the loop, and let time pass while the loop waits, until `is_so` or a timeout."""
        end = self._clock.monotonic() + timeout_s
        while not is_so():
            if self.stepped.is_ready:
                self.stepped.step()
                continue
            wait_s = self._clock.next_due_s
            if wait_s is None or self._clock.monotonic() + wait_s > end:
                return
            self._clock.advance(wait_s)


def _copy(task: asyncio.Task[T], future: concurrent.futures.Future[T]) -> None:
    if future.cancelled():
        return
    if task.cancelled():
        future.cancel()
    elif (error := task.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())
