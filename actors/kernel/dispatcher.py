"""The worker threads that all actors share."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from actors.kernel.thread import KernelThread

if TYPE_CHECKING:
    from actors.kernel.mailbox import Mailbox

log = logging.getLogger(__name__)

SPARES = 64
"""Most threads beyond the wanted ones, for waits that go on at the same time."""


class ReadyQueue(Protocol):
    """Mailboxes that wait to be run, as `queue.SimpleQueue` keeps them; another one decides who comes next."""

    def put(self, mailbox: Mailbox | None, /) -> None:
        """Have it run, or (None) a thread end."""

    def get(self) -> Mailbox | None:
        """The next one; waits for it."""

    def get_nowait(self) -> Mailbox | None:
        """The next one.

        Raises:
            queue.Empty: none waits.
        """


class Worker(KernelThread):
    """One thread of the pool, with what it is doing now."""

    def __init__(self, dispatcher: Dispatcher, number: int, *, inline: bool = False) -> None:
        super().__init__(name=f"worker-{number}", daemon=True)
        self.dispatcher = dispatcher
        self.inline = inline
        """Stands for the caller's own thread and is never started."""
        self.mailbox: Mailbox | None = None
        self.since = 0.0
        """When somebody first saw it at the batch in hand, in that looker's seconds; 0.0 until somebody looks.

        Whoever watches sets it, each batch clears it: a look at the clock for every batch would cost a tenth of it.
        """
        self.runs = 0
        """Batches that it has handled."""

    def run(self) -> None:
        """Run mailboxes until told to end."""
        self.dispatcher.work(self)


class Blocking:
    """Context manager around a wait: lends this worker's turn to a spare one."""

    __slots__ = ("_dispatcher",)

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    def __enter__(self) -> None:
        """The wait begins."""
        self._dispatcher.wait_begins()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The wait is over."""
        self._dispatcher.wait_ends()


class Dispatcher:
    """Thread pool for scheduled mailboxes: `workers` threads; more only while some of them wait for the disk.

    Under the interpreter's lock a second running worker makes fan-out a third slower (the two take the lock from each
    other, and batches stay short), so one runs, and spares exist to cover waits.
    """

    def __init__(self, run: Callable[[Mailbox, Worker], None], workers: int = 1, spares: int = SPARES) -> None:
        if workers < 0:
            raise ValueError(f"workers {workers} must be >= 0")
        self._run_mailbox = run
        self._ready: ReadyQueue = queue.SimpleQueue()
        self.put: Callable[[Mailbox], None] = self._ready.put
        """Have a mailbox run; the caller has its turn, which goes with it."""
        self._target = workers
        self._limit = workers + spares
        self._lock = threading.Lock()
        self._waiting = 0
        self._parked = 0
        self._unpark = threading.Semaphore(0)
        self._threads: list[Worker] = []
        self._excess = False
        """Whether more threads run than are wanted."""
        self._closing = False
        self._inline = Worker(self, 0, inline=True)
        self.blocking = Blocking(self)

    def take_from(self, ready: ReadyQueue) -> None:
        """Let `ready` decide which mailbox runs next; only before anything runs."""
        self._ready = ready
        self.put = ready.put

    @property
    def workers(self) -> tuple[Worker, ...]:
        """The threads there are, spares included."""
        with self._lock:
            return tuple(self._threads)

    def start(self) -> None:
        """Start the threads."""
        with self._lock:
            while len(self._threads) < self._target:
                self._add_worker()

    def work(self, worker: Worker) -> None:
        """Run mailboxes in this thread until the pool closes (a worker's main loop)."""
        take, run = self._ready.get, self._run_mailbox
        while (mailbox := take()) is not None:
            worker.mailbox = mailbox
            try:
                run(mailbox, worker)
            except BaseException:
                log.critical("the kernel failed while running %s; the worker goes on", mailbox.address, exc_info=True)
            worker.mailbox = None
            if self._excess:
                self._park()

    def runs(self) -> int:
        """Batches that were handled so far; it grows before a batch's actor is let go."""
        with self._lock:
            return self._inline.runs + sum(worker.runs for worker in self._threads)

    def run_ready(self) -> bool:
        """Run one scheduled mailbox in the calling thread (for systems without workers); False if there was none."""
        try:
            mailbox = self._ready.get_nowait()
        except queue.Empty:
            return False
        if mailbox is not None:
            self._run_mailbox(mailbox, self._inline)
        return True

    def close(self, timeout_s: float = 5.0) -> None:
        """End all threads after what they have in hand; waits at most `timeout_s` seconds for them all."""
        with self._lock:
            self._closing = True
            threads = tuple(self._threads)
        for _ in threads:
            self._ready.put(None)
            self._unpark.release()
        deadline = time.monotonic() + timeout_s
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
                if thread.is_alive() and (mailbox := thread.mailbox) is not None:
                    log.error("%s is left behind: still running %s", thread.name, mailbox.address)

    def wait_begins(self) -> None:
        """One worker is about to wait; see that as many others can run as are wanted."""
        if self._is_mine(threading.current_thread()):
            self.lend(1)

    def wait_ends(self) -> None:
        """One worker runs again; one of those in excess parks itself when it next has nothing in hand."""
        if self._is_mine(threading.current_thread()):
            self.lend(-1)

    def lend(self, count: int) -> None:
        """Count `count` more workers as waiting (1 or -1), and see that as many others can run as are wanted."""
        with self._lock:
            self._waiting += count
            if self._running() < self._target and not self._closing:
                if self._parked:
                    self._parked -= 1
                    self._unpark.release()
                elif len(self._threads) < self._limit:
                    self._add_spare()
            self._excess = self._running() > self._target

    def _is_mine(self, thread: threading.Thread) -> bool:
        return isinstance(thread, Worker) and thread.dispatcher is self

    def _running(self) -> int:
        return len(self._threads) - self._waiting - self._parked

    def _park(self) -> None:
        with self._lock:
            if self._closing or self._running() <= self._target:
                return
            self._parked += 1
            self._excess = self._running() > self._target
        self._unpark.acquire()

    def _add_worker(self) -> None:
        worker = Worker(self, len(self._threads) + 1)
        worker.start()
        self._threads.append(worker)

    def _add_spare(self) -> None:
        try:
            self._add_worker()
        except RuntimeError as error:  # the machine gives no more threads: the wait is not covered, that is all
            log.warning("no spare worker: %s", error)
