"""Clocks and timers of actors, supplied by the kernel, so a test can drive them."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from actors.kernel.thread import KernelThread

log = logging.getLogger(__name__)

MICROSECONDS = 1_000_000
"""Microseconds in a second."""
LEAST_CLEARED = 1024
"""Cancelled timers left in the heap until their time; above this number, cancelled timers are removed."""


def boot_seconds() -> float:
    """Monotonic seconds, counted during the machine's sleep as well if the system can."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def slept_seconds() -> float:
    """Seconds that the monotonic clock has missed in the machine's sleep so far, as far as the system counts them."""
    return boot_seconds() - time.monotonic()


class Timer:
    """A single action at a single time; comparable by time, then by order of setting."""

    __slots__ = ("_on_cancel", "_order", "action", "due")

    def __init__(
        self, due: float, order: int, action: Callable[[], object], on_cancel: Callable[[], None] | None = None
    ) -> None:
        self.due = due
        self._order = order
        self.action: Callable[[], object] | None = action
        self._on_cancel = on_cancel

    def __lt__(self, other: Timer) -> bool:
        """True if this timer fires before `other`."""
        return (self.due, self._order) < (other.due, other._order)

    def cancel(self) -> None:
        """Make the timer never fire; no effect after firing."""
        if self.action is None:
            return
        self.action = None
        if self._on_cancel is not None:
            self._on_cancel()

    def fire(self) -> None:
        """Act once, unless cancelled."""
        action, self.action = self.action, None
        if action is not None:
            action()


class Clock(ABC):
    """Time source, and its timers."""

    @abstractmethod
    def now(self) -> datetime:
        """Wall clock, aware UTC; may jump."""

    @abstractmethod
    def monotonic(self) -> float:
        """Seconds since some point; never goes back."""

    @abstractmethod
    def call_later(self, delay_s: float, action: Callable[[], object]) -> Timer:
        """Set a timer to run `action` in `delay_s` seconds; `action` must be quick and must not raise."""

    @abstractmethod
    def close(self) -> None:
        """Close the clock: no timer fires any more."""


class SystemClock(Clock):
    """The machine's clock; a single thread fires the timers."""

    def __init__(self) -> None:
        self._timers: list[Timer] = []
        self._cancelled = 0
        """Approximate number of cancelled timers in the heap: cancelling takes no lock, and a count changed by two
        threads at once may miss a timer."""
        self._on_cancel = self._note_cancelled  # One for all: a bound method made for each takes as much as its timer.
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def now(self) -> datetime:
        """Wall clock, aware UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds of the machine's steady clock."""
        return time.monotonic()

    def call_later(self, delay_s: float, action: Callable[[], object]) -> Timer:
        """A timer on the clock's own thread, started with the first timer."""
        timer = Timer(time.monotonic() + max(0.0, delay_s), next(self._order), action, self._on_cancel)
        with self._changed:
            if self._cancelled > LEAST_CLEARED and self._cancelled > len(self._timers) / 2:
                self._drop_cancelled()
            if self._thread is None and not self._closed:
                self._thread = KernelThread(target=self._run, name="kernel-timers", daemon=True)
                self._thread.start()
            heapq.heappush(self._timers, timer)
            if self._timers[0] is timer:
                self._changed.notify()
        return timer

    def close(self) -> None:
        """End the thread; remaining timers never fire."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(5)

    def _note_cancelled(self) -> None:
        self._cancelled += 1

    def _drop_cancelled(self) -> None:
        """Keep only live timers: a deadline of half an hour is cancelled within seconds, as a rule."""
        self._timers = [timer for timer in self._timers if timer.action is not None]
        heapq.heapify(self._timers)
        self._cancelled = 0

    def _run(self) -> None:
        while (timer := self._next_due()) is not None:
            try:
                timer.fire()
            except BaseException:
                log.exception("a timer's action failed")  # even an exit: without this thread no timer fires any more

    def _next_due(self) -> Timer | None:
        """The next timer when its time has come; None when the clock is closed."""
        with self._changed:
            while not self._closed:
                while self._timers and self._timers[0].action is None:
                    heapq.heappop(self._timers)
                    self._cancelled -= 1
                wait_s = self._timers[0].due - time.monotonic() if self._timers else None
                if wait_s is not None and wait_s <= 0:
                    return heapq.heappop(self._timers)
                self._changed.wait(wait_s)
        return None


class ManualClock(Clock):
    """A clock that stands still until a test moves the time; timers fire in the mover's thread."""

    def __init__(self, start: datetime = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)) -> None:
        self._now = start
        self._elapsed_us = 0
        self._timers: list[tuple[int, int, Timer]] = []
        self._order = itertools.count()
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The time set plus all advances."""
        return self._now

    def monotonic(self) -> float:
        """Seconds advanced so far."""
        return self._elapsed_us / MICROSECONDS

    def call_later(self, delay_s: float, action: Callable[[], object]) -> Timer:
        """Set a timer for `advance` to fire; any thread may call."""
        # A delay that rounds to nothing moves the clock too, or an action that waits for the rest waits for ever.
        due_us = self._elapsed_us + max(round(delay_s * MICROSECONDS), int(delay_s > 0))
        order = next(self._order)
        timer = Timer(due_us / MICROSECONDS, order, action)
        with self._lock:
            heapq.heappush(self._timers, (due_us, order, timer))
        return timer

    @property
    def next_due_s(self) -> float | None:
        """Seconds until the next live timer; None without a live timer."""
        due_us = self._next_due_us()
        return None if due_us is None else max(0, due_us - self._elapsed_us) / MICROSECONDS

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass, firing due timers in order of time; counted in whole microseconds."""
        end_us = self._elapsed_us + round(seconds * MICROSECONDS)
        while (due_us := self._next_due_us()) is not None and due_us <= end_us:
            self._move_to(max(due_us, self._elapsed_us))
            with self._lock:
                timer = heapq.heappop(self._timers)[-1]
            timer.fire()
        self._move_to(end_us)

    def stall(self, seconds: float) -> None:
        """Let `seconds` pass without firing timers; due timers fire late, at the next `advance`."""
        self._move_to(self._elapsed_us + round(seconds * MICROSECONDS))

    def jump(self, by: timedelta) -> None:
        """Set the wall clock off without letting time pass, as an operator or NTP would."""
        self._now += by

    def close(self) -> None:
        """Forget all timers."""
        with self._lock:
            self._timers.clear()

    def _next_due_us(self) -> int | None:
        with self._lock:
            while self._timers and self._timers[0][-1].action is None:
                heapq.heappop(self._timers)
            return self._timers[0][0] if self._timers else None

    def _move_to(self, elapsed_us: int) -> None:
        self._now += timedelta(microseconds=elapsed_us - self._elapsed_us)
        self._elapsed_us = elapsed_us
