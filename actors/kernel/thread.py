"""Threads: the kernel's own, and the threads of a bulkhead, for waits that may never end."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")

_AT_ONCE = 16

SPARES = 512
"""Simultaneous waits, each with a stand-in thread (some 50 KB while the thread lasts)."""


class KernelThread(threading.Thread):
    """Daemon thread to be ended by its starter: a test fails if a thread outlives its owner."""


@dataclass(slots=True)
class _Lane:
    """Order of the jobs of a key."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held until a job's thread ends, also when the caller no longer waits."""
    callers: int = 0
    hangs: bool = False
    """True if the job with the turn was given up."""


class Bulkhead:
    """Blocking jobs in threads, a lane for each window: a hung job holds up only its own lane; lives on one loop.

    A lane runs a job at a time, in the order of asking; all lanes together run a few. A job that outlives its deadline
    is given up: its place is free for other jobs, and its lane refuses new jobs until the thread ends, if ever. So each
    lane loses at most a single thread. asyncio's own executor is no place for such jobs: the executor has few threads,
    host names are looked up there, and the process would wait for the jobs at its end.
    """

    def __init__(self, name: str, at_once: int = _AT_ONCE) -> None:
        """Begin without jobs.

        Args:
            name: Name prefix of the threads.
            at_once: Most jobs that run and are waited for.
        """
        self._name = name
        self._places = asyncio.Semaphore(at_once)
        self._lanes: dict[str, _Lane] = {}

    async def run(self, key: str, deadline_s: float, function: Callable[..., T], *args: object) -> T:
        """Result of `function(*args)`, run in a thread.

        Args:
            key: Of the lane.
            deadline_s: For waiting and running together.
            function: Called once, or never if its turn doesn't come in time.
            args: Arguments of the function.

        Raises:
            TimeoutError: it took too long, or an earlier job of its lane did and still runs.
            OSError: the machine gives no more threads.
            Exception: whatever `function` raises.
        """
        lane = self._lanes.setdefault(key, _Lane())
        if lane.hangs:
            raise TimeoutError("an earlier call still hangs")
        lane.callers += 1
        try:
            async with asyncio.timeout(deadline_s):
                return await self._in_turn(key, lane, lambda: function(*args))
        except TimeoutError as error:
            # One of the function's own has words of its own; the loop's has none.
            raise TimeoutError(str(error) or f"it took longer than {deadline_s:g} s") from error
        finally:
            lane.callers -= 1
            self._discard(key, lane)

    async def _in_turn(self, key: str, lane: _Lane, job: Callable[[], T]) -> T:
        await lane.turn.acquire()
        try:
            await self._places.acquire()
        except BaseException:
            lane.turn.release()
            raise
        try:
            return await self._run_job(key, lane, job)
        finally:
            self._places.release()

    async def _run_job(self, key: str, lane: _Lane, job: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        result: asyncio.Future[T] = loop.create_future()

        def end(value: Any, error: BaseException | None) -> None:
            lane.hangs = False
            lane.turn.release()
            self._discard(key, lane)
            if not result.done():
                result.set_result(value) if error is None else result.set_exception(error)

        def work() -> None:
            value, fault = None, None
            try:
                value = job()
            except BaseException as error:  # noqa: BLE001 - it is raised where the job was asked for
                fault = error
            with contextlib.suppress(RuntimeError):  # a closed loop: no caller waits any more
                loop.call_soon_threadsafe(end, value, fault)

        try:
            threading.Thread(target=work, name=f"{self._name}-{key}", daemon=True).start()
        except BaseException as error:
            lane.turn.release()
            if isinstance(error, RuntimeError):
                raise OSError(errno.EAGAIN, f"no thread can be started for it: {error}") from error
            raise
        try:
            return await result
        except asyncio.CancelledError:
            lane.hangs = result.cancelled()  # else it ended at the same moment
            raise

    def _discard(self, key: str, lane: _Lane) -> None:
        """Forget an idle lane."""
        if not lane.callers and not lane.turn.locked() and self._lanes.get(key) is lane:
            del self._lanes[key]


class Blocking:
    """Context manager around a wait."""

    __slots__ = ("_begin", "_end")

    def __init__(self, begin: Callable[[], None], end: Callable[[], None]) -> None:
        self._begin, self._end = begin, end

    def __enter__(self) -> None:
        """The wait begins."""
        self._begin()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The wait is over."""
        self._end()


class Wait:
    """State of a thread's wait."""

    __slots__ = ("depth", "is_lent", "is_seen")

    def __init__(self) -> None:
        self.depth = 1
        """Depth of nesting."""
        self.is_seen = False
        """True if the wait was there when the lender last looked."""
        self.is_lent = False
        """True if another thread stands in for the waiting thread."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Sizes and times of a pool of worker threads."""

    workers: int = 1
    """Threads; 0 for no thread."""
    spares: int = SPARES
    most_parked: int = 64
    """Threads kept after waits are over, for the next waits."""
    slice_s: float = 0.005
    """Seconds, from its second message on, after which a busy actor yields in any case."""
    lend_s: float = 0.002
    """Seconds of waiting after which another thread stands in: most waits end sooner than a thread wakes."""

    def __post_init__(self) -> None:
        if self.workers < 0:
            raise ValueError(f"workers {self.workers} must be >= 0")
