"""Watchdog over hung handlers and loops: names the actor or loop, and lets other actors go on."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from types import FrameType
from typing import TYPE_CHECKING

from pykka._envelope import Envelope

from actors.kernel.liveness import Liveness, stack
from messages.base import Address

if TYPE_CHECKING:
    from actors.kernel.dispatcher import Worker
    from actors.kernel.loop import LoopThread
    from actors.kernel.system import ActorSystem

log = logging.getLogger(__name__)

LIMIT_S = 10.0
LEND_S = 0.5
"""Seconds after which another worker takes the place of a worker in the same batch; a batch takes milliseconds."""
RUNNER = "actors.kernel.runner"
HAND = "message"
"""Variable of the runner with the message in hand: read from the runner's frame, so no message costs a note."""


@dataclass(frozen=True, slots=True)
class InHand:
    """Present batch of a worker."""

    worker: str
    address: Address
    message_type: str
    """Empty while an actor is started or stopped."""
    seconds: float
    """Seconds since the watchdog first saw the worker at this work; 0 if not yet seen."""
    stack: str
    """Stack as Python prints it, outermost frame first."""

    def __str__(self) -> str:
        """In a single line, e.g. `shell has been handling RunBash for 12.0 s on worker-1`."""
        doing = f"handling {self.message_type}" if self.message_type else "starting or stopping"
        return f"{self.address} has been {doing} for {self.seconds:.1f} s on {self.worker}"


def in_hand(worker: Worker, frame: FrameType | None, seconds: float) -> InHand | None:
    """Present work of `worker` with innermost frame `frame`, since `seconds`; None if the worker waits for work."""
    mailbox = worker.mailbox
    if mailbox is None or frame is None:
        return None
    stack = "".join(traceback.format_stack(frame))
    return InHand(worker.name, mailbox.address, _message_type(frame), seconds, stack)


class Watchdog:
    """Watchdog of workers and loops, on the system's clock; a worker too long in a single batch is stuck.

    A stuck handler cannot be ended. Its worker is soon counted as waiting until the handler comes back, so a spare
    worker takes its place and the other actors go on. After the limit the actor is named, once, and counted. The same
    holds for a loop that does not come back; some time later its actor crashes and gets a new loop.
    """

    def __init__(
        self,
        system: ActorSystem,
        limit_s: float = LIMIT_S,
        now: Callable[[], float] = perf_counter,
        liveness: Liveness | None = None,
    ) -> None:
        """A watchdog that looks on request, or by itself after `start`.

        Args:
            system: System of the workers.
            limit_s: Seconds after which an actor or a loop is named.
            now: Steady seconds; real seconds, for a handler hangs in real time even if the system's clock is a test's.
            liveness: Record of loops and core actors, if another watchdog has a record already.

        Raises:
            ValueError: `limit_s` is not above 0.
        """
        if limit_s <= 0:
            raise ValueError(f"limit_s {limit_s} must be > 0")
        self._system = system
        self._now = now
        self._limit_s = limit_s
        self._lend_s = min(LEND_S, limit_s)
        self.on_look: Callable[[tuple[str, ...]], None] = lambda _late: None
        """Called after each look, a few times a second, with the unresponsive core actors and loops, mostly an empty
        tuple; must not block."""
        self._liveness = liveness or Liveness(system, limit_s)
        self._looked_at = now()
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._lent: dict[Worker, int] = {}
        """Worker with a stand-in -> the number of its batch."""
        self._named: dict[Worker, int] = {}
        """Worker of a named actor -> the number of its batch at the time."""

    @property
    def late(self) -> tuple[str, ...]:
        """Core actors and loops without an answer in time at the last look, e.g. `memory`, `loop discord`."""
        return self._liveness.late

    @property
    def loops(self) -> tuple[str, ...]:
        """Names of the watched loops."""
        return tuple(sorted(loop.name for loop in self._liveness.loops))

    @property
    def liveness(self) -> Liveness:
        """Record of the loops and core actors asked for signs of life."""
        return self._liveness

    def watch(self, loop: LoopThread) -> None:
        """Look after `loop`, a running loop owned by an actor."""
        self._liveness.add(loop)

    def unwatch(self, loop: LoopThread) -> None:
        """Look after `loop` no more, since its owner stops the loop."""
        self._liveness.remove(loop)

    def start(self) -> None:
        """Begin to look; the looks end with the system's clock."""
        self._system.clock.call_later(self._lend_s / 2, self._go_on)

    def counts(self) -> dict[str, int]:
        """Times that an actor was stuck so far, by kind, or a loop, by name; finished hangs stay counted."""
        with self._lock:
            return dict(self._counts)

    def look(self) -> None:
        """Look at every worker, core actor and loop once."""
        workers = self._system.dispatcher.workers
        for worker in workers:
            self._look_at(worker)
        for worker in self._named.keys() - set(workers):
            del self._named[worker]
        now = self._now()
        elapsed_s, self._looked_at = now - self._looked_at, now
        for loop in self._liveness.look(elapsed_s):
            self._name_loop(loop)
        self.on_look(self.late)

    def _go_on(self) -> None:
        try:
            self.look()
        except Exception:
            log.exception("a check of the workers failed; the next one runs as usual")
        self.start()

    def _look_at(self, worker: Worker) -> None:
        batch, since = worker.runs, worker.since
        busy = worker.mailbox is not None
        if worker in self._lent and (not busy or self._lent[worker] != batch):
            del self._lent[worker]
            self._system.dispatcher.take_back(worker)
        if not busy:
            worker.since = None
            return
        if since is None or since[0] != batch:
            worker.since = batch, self._now()
            return
        seconds = self._now() - since[1]
        if seconds >= self._lend_s and worker not in self._lent:
            self._lent[worker] = batch
            self._system.dispatcher.lend(worker)
        if seconds >= self._limit_s and self._named.get(worker) != batch:
            self._name(worker, batch, seconds)

    def _name(self, worker: Worker, batch: int, seconds: float) -> None:
        work = in_hand(worker, sys._current_frames().get(worker.ident or 0), seconds)
        if work is None or worker.runs != batch:  # it has come back just now
            return
        self._named[worker] = batch
        with self._lock:
            self._counts[work.address.kind] += 1
        log.warning("%s; its stack:\n%s", work, work.stack)

    def _name_loop(self, loop: LoopThread) -> None:
        with self._lock:
            self._counts[f"loop {loop.name}"] += 1
        log.warning("loop %s does not respond; its stack:\n%s", loop.name, stack(loop))


def _message_type(frame: FrameType) -> str:
    """The class of the message in hand of the runner's frame, somewhere below `frame`; empty without a message."""
    link: FrameType | None = frame
    while link is not None:
        if link.f_globals.get("__name__") == RUNNER and link.f_locals.get(HAND) is not None:
            message = link.f_locals[HAND]
            return type(message.message if isinstance(message, Envelope) else message).__name__
        link = link.f_back
    return ""
