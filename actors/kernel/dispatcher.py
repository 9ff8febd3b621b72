"""Worker threads shared by all actors."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from actors.kernel.thread import Blocking, KernelThread, Pool, Wait
from actors.linux.thread_name import name_thread

if TYPE_CHECKING:
    from actors.kernel.mailbox import Mailbox, ReadyQueue

log = logging.getLogger(__name__)

_FAILED = "the kernel failed while running %s; the worker goes on"
_ONE_OF_CORE: Any = "one of core"
"""Marker in the ready queue: the core actor that has waited longest, if any core actor still waits."""
STRETCH = 32
"""Turns of other actors after which waiting core actors have theirs. A core turn after each of the other turns would be
a fifth slower at 500 windows: an actor with few messages at a time handles few at a time, and wakes threads for
each.
"""


class Worker(KernelThread):
    """A thread of the pool, with its present batch."""

    def __init__(self, dispatcher: Dispatcher, number: int, *, inline: bool = False) -> None:
        super().__init__(name=f"worker-{number}", daemon=True)
        self.dispatcher = dispatcher
        self.inline = inline
        """Stands for the caller's own thread and is never started."""
        self.mailbox: Mailbox | None = None
        self.since: tuple[int, float] | None = None
        """Number of a batch, and when the watchdog first saw the worker at this batch, in the watchdog's seconds; None
        while idle.

        The watchdog sets the field: a look at the clock for every batch would cost a tenth of it.
        """
        self.runs = 0
        """Number of batches handled so far."""
        self.others = 0
        """For an inline worker: turns since core actors had theirs."""

    def run(self) -> None:
        """Run mailboxes until told to end."""
        name_thread(self.name)
        self.dispatcher.work(self)


class Dispatcher:
    """Thread pool for scheduled mailboxes: `workers` threads; more only while some workers wait for the disk.

    Under the interpreter's lock a second running worker makes fan-out a third slower: the two take the lock from each
    other, and batches stay short. So a single worker runs, and spares exist to cover waits. Waking a thread costs more
    than most waits last, so a wait is covered once the wait has lasted for `lend_s`. A single thread looks after all
    waits, and rests without waits. At the limit of waits, mailboxes of kinds of actors with an earlier wait are put off
    until a wait is over; all other mailboxes go on. A kind waiting for the first time at the limit gets a thread beyond
    the limit, so a worker always runs; the limit of these extra threads is the same again.

    With many mailboxes ready, core actors have their turns after each `STRETCH` of the rest, and then as many at most.
    So an actor that everyone waits for does not wait behind everyone, and an actor that is never done takes half of the
    turns.
    """

    def __init__(self, run: Callable[[Mailbox, Worker], None], pool: Pool) -> None:
        """A pool at rest, of the given size; `run` runs a mailbox in a worker."""
        self._run_mailbox = run
        self._ready: ReadyQueue = queue.SimpleQueue()
        self.put: Callable[[Mailbox], None] = self._ready.put
        """Have a mailbox run; the caller has its turn and hands the turn over."""
        self.put_core: Callable[[Mailbox], None] = self._put_core
        """The same for a core actor's."""
        self._core: deque[Mailbox] = deque()
        """Waiting mailboxes of core actors; for each the ready queue holds at least an `_ONE_OF_CORE`."""
        self._pool = pool
        self._target = pool.workers
        self._spares = pool.spares
        self._lock = threading.Lock()
        self._absent: dict[threading.Thread, int] = {}
        """Thread with a stand-in allowed, as the thread waits or its handler hangs -> number of reasons."""
        self._waits: dict[threading.Thread, Wait] = {}
        """Present waits by thread, covered or not."""
        self._waits_ever = 0
        self._lender: KernelThread | None = None
        """Thread that has spare workers stand in for long waits."""
        self._is_lender_at_rest = False
        self._call_of_lender = threading.Lock()
        """Held except for a moment, when the lender is called from its rest."""
        self._call_of_lender.acquire()
        self._waiters: set[str] = set()
        """Kinds of actors with any wait so far."""
        self._is_full = False
        """True while the limit of waits is reached."""
        self._put_off: deque[Mailbox] = deque()
        self._put_off_ever = 0
        self._parked = 0
        self._unpark = threading.Semaphore(0)
        self._threads: list[Worker] = []
        self._numbers = itertools.count(1)
        self._excess = False
        """True if more threads run than are wanted."""
        self._runs_of_ended = 0
        self._closing = False
        self._inline = Worker(self, 0, inline=True)
        self.blocking = Blocking(self._wait_begins, self._wait_ends)
        """Around a wait: if the wait lasts, a spare worker has this worker's turn."""

    def take_from(self, ready: ReadyQueue) -> None:
        """Let `ready` decide on the next mailbox to run; only before the first run."""
        self._ready = ready
        self.put = self.put_core = ready.put

    @property
    def workers(self) -> tuple[Worker, ...]:
        """The threads there are, spares included."""
        with self._lock:
            return tuple(self._threads)

    @property
    def is_lender_at_rest(self) -> bool:
        """True while every wait is covered and the lender sleeps until the next wait."""
        return self._is_lender_at_rest

    def start(self) -> None:
        """Start the threads."""
        with self._lock:
            while len(self._threads) < self._target:
                self._add_worker()
            if self._target and self._lender is None:
                self._lender = KernelThread(target=self._look_after_waits, name="kernel-lender", daemon=True)
                self._lender.start()

    def _put_core(self, mailbox: Mailbox) -> None:
        self._core.append(mailbox)
        self._ready.put(_ONE_OF_CORE)

    def work(self, worker: Worker) -> None:
        """Run mailboxes in this thread until the pool closes (a worker's main loop)."""
        take, core, run, others = self._ready.get, self._core, self._run_mailbox, 1
        one_of_core, stretch = _ONE_OF_CORE, STRETCH
        while (mailbox := take()) is not None:
            if mailbox is one_of_core:
                others = 1
                self._run_core(worker, 1)
            else:  # as in `_run`, without the call
                if self._is_full and self._puts_off(mailbox):
                    continue
                worker.mailbox = mailbox
                try:
                    run(mailbox, worker)
                except BaseException:
                    log.critical(_FAILED, mailbox.address, exc_info=True)
                worker.mailbox = None
                if others < stretch:
                    others += 1
                elif core:
                    others = 1
                    self._run_core(worker, stretch)
            if self._put_off:
                self._resume()
            if self._excess and not self._parks(worker):
                return

    def _run(self, mailbox: Mailbox, worker: Worker) -> None:
        """Run a mailbox, unless put off."""
        if self._is_full and self._puts_off(mailbox):
            return
        worker.mailbox = mailbox
        try:
            self._run_mailbox(mailbox, worker)
        except BaseException:
            if worker.inline:
                raise
            log.critical(_FAILED, mailbox.address, exc_info=True)
        finally:
            worker.mailbox = None

    def _run_core(self, worker: Worker, most: int) -> None:
        """Run `most` of the longest-waiting core mailboxes; end early if none waits or another worker takes over."""
        for _ in range(most):
            try:
                mailbox = self._core.popleft()
            except IndexError:
                return
            self._run(mailbox, worker)
            if self._excess:
                return

    def runs(self) -> int:
        """Batches handled so far; the count grows before a batch's actor is released."""
        with self._lock:
            return self._runs_of_ended + self._inline.runs + sum(worker.runs for worker in self._threads)

    def waits(self) -> dict[str, int]:
        """Present waits and hangs, their limit, mailboxes put off now, and mailboxes ever put off."""
        with self._lock:
            return {
                "now": self._waiting,
                "limit": self._spares,
                "put_off": len(self._put_off),
                "put_off_ever": self._put_off_ever,
            }

    def run_ready(self) -> bool:
        """Run a scheduled mailbox in the calling thread (for systems without workers); False without a mailbox."""
        try:
            mailbox = self._ready.get_nowait()
        except queue.Empty:
            return False
        if mailbox is _ONE_OF_CORE:
            self._inline.others = 0
            self._run_core(self._inline, 1)
        elif mailbox is not None:
            self._run(mailbox, self._inline)
            self._inline.others += 1
            if self._inline.others >= STRETCH:
                self._inline.others = 0
                self._run_core(self._inline, STRETCH)
        return True

    def close(self, timeout_s: float = 5.0) -> None:
        """End all threads after their work in hand; waits at most `timeout_s` seconds for all threads together."""
        with self._lock:
            self._closing = True
            threads = tuple(self._threads)
            lender = self._lender
            is_to_wake, self._is_lender_at_rest = self._is_lender_at_rest, False
        self._resume()
        for _ in threads:
            self._ready.put(None)
            self._unpark.release()
        if is_to_wake:
            self._call_of_lender.release()
        deadline = time.monotonic() + timeout_s
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
                if thread.is_alive() and (mailbox := thread.mailbox) is not None:
                    log.error("%s is left behind: still running %s", thread.name, mailbox.address)
        if lender is not None and lender is not threading.current_thread():
            lender.join(max(0.0, deadline - time.monotonic()))

    def _wait_begins(self) -> None:
        """Note the wait of a worker; if the wait lasts, a stand-in keeps the wanted number of workers running."""
        thread = threading.current_thread()
        if not self._is_mine(thread):
            return
        with self._lock:
            if (wait := self._waits.get(thread)) is not None:
                wait.depth += 1
                return
            self._waits[thread] = Wait()
            self._waits_ever += 1
            is_to_wake, self._is_lender_at_rest = self._is_lender_at_rest, False
            mailbox: Mailbox | None = getattr(thread, "mailbox", None)
            if mailbox is not None:
                self._waiters.add(mailbox.spec.kind)
        if is_to_wake:
            self._call_of_lender.release()

    def _wait_ends(self) -> None:
        """Note that a worker runs again; a surplus worker parks when next without a mailbox in hand."""
        thread = threading.current_thread()
        if not self._is_mine(thread):
            return
        with self._lock:
            wait = self._waits[thread]
            wait.depth -= 1
            if wait.depth:
                return
            del self._waits[thread]
            if not wait.is_lent:
                return
            self._take_back(thread)
        if self._put_off:
            self._resume()

    def _look_after_waits(self) -> None:
        """Have others stand in for waits that last, until the pool closes (the lender's main loop)."""
        ever = -1
        while True:
            with self._lock:
                if self._closing:
                    return
                is_at_rest = not self._lend_for_waits() and ever == self._waits_ever
                ever, self._is_lender_at_rest = self._waits_ever, is_at_rest
            self._call_of_lender.acquire(timeout=-1 if is_at_rest else self._pool.lend_s)

    def _lend_for_waits(self) -> bool:
        """Lend for the waits seen at the last look; True if there are newer waits. The caller has the lock."""
        is_more = False
        for thread, wait in self._waits.items():
            if wait.is_lent:
                continue
            if wait.is_seen:
                wait.is_lent = True
                self._lend(thread)
            else:
                wait.is_seen = is_more = True
        return is_more

    def lend(self, thread: threading.Thread) -> None:
        """Add a reason for the absence of `thread`, and keep the wanted number of workers running."""
        with self._lock:
            self._lend(thread)

    def _lend(self, thread: threading.Thread) -> None:
        self._absent[thread] = self._absent.get(thread, 0) + 1
        self._note()  # before a spare worker can take what is to be put off
        if self._running() < self._target and not self._closing:
            if self._parked:
                self._parked -= 1
                self._unpark.release()
            elif len(self._threads) < self._limit(thread):
                self._add_spare()
        self._note()

    def take_back(self, thread: threading.Thread) -> None:
        """Remove a reason for the absence of `thread`; without any reason the thread runs again."""
        with self._lock:
            self._take_back(thread)
        if self._put_off:
            self._resume()

    def _take_back(self, thread: threading.Thread) -> None:
        reasons = self._absent.pop(thread) - 1
        if reasons:
            self._absent[thread] = reasons
        self._note()

    @property
    def _waiting(self) -> int:
        return len(self._absent)

    def _note(self) -> None:
        """Update the flags read by workers; the caller has the lock."""
        self._excess = self._running() > self._target
        self._is_full = self._waiting >= self._spares > 0

    def _limit(self, thread: threading.Thread) -> int:
        """Most threads there may be, once `thread` waits."""
        return self._target + self._spares * (2 if getattr(thread, "mailbox", None) is not None else 1)

    def _puts_off(self, mailbox: Mailbox) -> bool:
        """True if `mailbox` must not run now; the mailbox comes back when a wait is over."""
        with self._lock:
            if self._closing or not self._is_full or mailbox.spec.kind not in self._waiters:
                return False
            if not self._put_off:
                log.warning("%d handlers wait at the same time; others of their kinds wait their turn", self._waiting)
            self._put_off.append(mailbox)
            self._put_off_ever += 1
            return True

    def _resume(self) -> None:
        """Resume put-off mailboxes, up to the number of free waits."""
        with self._lock:
            free = len(self._put_off) if self._closing else self._spares - self._waiting
            for _ in range(min(free, len(self._put_off))):
                (mailbox := self._put_off.popleft()).make_ready(mailbox)

    def _is_mine(self, thread: threading.Thread) -> bool:
        return isinstance(thread, Worker) and thread.dispatcher is self

    def _running(self) -> int:
        return len(self._threads) - self._waiting - self._parked

    def _parks(self, worker: Worker) -> bool:
        """True if `worker` goes on, after a rest if in excess; False if the worker must end."""
        with self._lock:
            if self._closing or self._running() <= self._target:
                return True
            if self._parked >= self._pool.most_parked:
                self._threads.remove(worker)
                self._runs_of_ended += worker.runs
                self._note()
                return False
            self._parked += 1
            self._note()
        self._unpark.acquire()
        return True

    def _add_worker(self) -> None:
        worker = Worker(self, next(self._numbers))
        worker.start()
        self._threads.append(worker)

    def _add_spare(self) -> None:
        try:
            self._add_worker()
        except RuntimeError as error:  # the machine gives no more threads: the wait is not covered, that is all
            log.warning("no spare worker: %s", error)
