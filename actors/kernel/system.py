"""The actor system: a directory of addresses, a worker pool, a supervisor and a clock."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pykka
from pykka._envelope import Envelope

from actors.kernel.clock import Clock, SystemClock
from actors.kernel.dead_letters import DeadLetter, DeadLetters
from actors.kernel.directory import Directory, Topics
from actors.kernel.dispatcher import Dispatcher
from actors.kernel.edge import EDGE_KIND, Edge
from actors.kernel.ending import DrainReport, drain, stop
from actors.kernel.ids import IdSource, random_ids, random_token
from actors.kernel.mailbox import Mailbox, ReadyQueue
from actors.kernel.passivation import Sweeper
from actors.kernel.runner import Runner
from actors.kernel.spec import ActorSpec
from actors.kernel.supervisor import Supervisor
from actors.kernel.thread import Pool
from actors.kernel.watchdog import LIMIT_S, Watchdog
from messages.base import Address, Message
from messages.status import ActorGaveUp

Tap = Callable[[Address, Message], None]
"""Called with a message and its receiver."""

log = logging.getLogger(__name__)

START_S = 30.0
"""Longest wait of `start` for a core actor's first start, in seconds, before the next actor's."""
START_LOOK_S = 0.1
"""Seconds between two looks at whether `start` is called off meanwhile."""


class ActorSystem:
    """Container of actors, made once by the process; every thread may tell, only its owner stops the system."""

    def __init__(
        self,
        *,
        workers: int | Pool = 1,
        clock: Clock | None = None,
        ids: IdSource | None = None,
        stuck_s: float = LIMIT_S,
        on_escalation: Callable[[ActorGaveUp], None] = lambda _event: None,
        on_dead_letter: Callable[[DeadLetter], None] = lambda _letter: None,
    ) -> None:
        """A system at rest.

        Args:
            workers: Threads, or the pool of threads; 0 for none, then `run` handles messages in the caller's thread.
            clock: Time and timers; the machine's by default.
            ids: Gives ids, also the source of tokens; random by default.
            stuck_s: Seconds after which a hanging handler is named in the log.
            on_escalation: Called when a core actor gave up; must not block.
            on_dead_letter: Called for every dead letter before it is forgotten elsewhere; must not block.
        """
        self.clock = clock or SystemClock()
        self.new_id = ids or random_ids()
        self.new_token = random_token if ids is None else lambda: ids() + ids()
        self.dead_letters = DeadLetters()
        self.supervisor = Supervisor(self, on_escalation)
        pool = workers if isinstance(workers, Pool) else Pool(workers)
        self.runner = Runner(self, pool.slice_s)
        self.dispatcher = Dispatcher(self.runner.run, pool)
        self.watchdog = Watchdog(self, stuck_s)
        self._sweeper = Sweeper(self)
        self._on_dead_letter = on_dead_letter
        self._specs: dict[str, ActorSpec] = {}
        self._edges: dict[Address, Edge] = {}
        self._untried: dict[Address, threading.Event] = {}
        self._directory = Directory(self, self._specs)
        self.topics = Topics()
        self._elsewhere: Callable[[Address, Message], bool] | None = None
        self._started = False
        self._taps: tuple[Tap, ...] = ()
        self._tapping = threading.Lock()
        self._mailboxes = self._directory.mailboxes  # for the hot path: one attribute instead of two

    # the owner's side

    def register(self, spec: ActorSpec) -> None:
        """Make a kind of actor known; core actors only before `start`."""
        if spec.kind in self._specs or spec.kind == EDGE_KIND:
            raise ValueError(f"kind {spec.kind!r} is registered already")
        if spec.core and self._started:
            raise ValueError(f"kind {spec.kind!r}: a core actor must be registered before the system starts")
        self._specs[spec.kind] = spec

    def reach_elsewhere(self, route: Callable[[Address, Message], bool]) -> None:
        """Let `route` take messages to an address that is no edge here and of a kind that is not registered.

        Args:
            route: True if the message is taken, for handling in another process; called in the sender's thread, must
                neither wait nor raise.
        """
        self._elsewhere = route

    def order_by(self, ready: ReadyQueue) -> None:
        """Let `ready` alone decide on the next mailbox to run; only before the first mailbox."""
        self.dispatcher.take_from(ready)

    def start(self, is_called_off: Callable[[], bool] = lambda: False) -> None:
        """Start the workers and the core actors: slow actors, then all as registered, then actors that start last.

        With workers, an actor is started once the previous actor has started, or has crashed in trying; behind a slow
        actor at once. Its mailbox exists from the beginning. This returns once all have been tried.

        Args:
            is_called_off: Asked now and then; after its first True no further core actor is started.
        """
        self._started = True
        self.dispatcher.start()
        if self.dispatcher.workers:
            self.watchdog.start()
        core = [(spec, self._directory.add(Address(spec.kind), spec)) for spec in self._specs.values() if spec.core]
        slow: list[Address] = []
        for spec, mailbox in sorted(core, key=lambda each: (each[0].starts_last, not each[0].is_slow_to_start)):
            while spec.starts_last and slow:
                self._wait_until_tried(slow.pop(), is_called_off)
            if is_called_off():
                self.retire(mailbox)
                continue
            self._untried[mailbox.address] = threading.Event()
            self.schedule(mailbox)
            if spec.is_slow_to_start:
                slow.append(mailbox.address)
            else:
                self._wait_until_tried(mailbox.address, is_called_off)
        for address in slow:
            self._wait_until_tried(address, is_called_off)
        for spec in self._specs.values():
            if spec.is_eager and not spec.core and not is_called_off():
                self._directory.activate(Address(spec.kind), spec)
        self._sweeper.start(self._specs.values())

    def _wait_until_tried(self, address: Address, is_called_off: Callable[[], bool]) -> None:
        """Return when a core actor was started, or crashed in trying, or takes too long; at once without workers."""
        tried = self._untried.get(address)
        if tried is not None and self.dispatcher.workers and not _is_set_in_time(tried, is_called_off):
            log.warning("%s has not started within %g s", address, START_S)

    def edge(self, key: str) -> Edge:
        """An address for code outside actors; valid until `Edge.close`.

        Raises:
            ValueError: the key is in use.
        """
        edge = Edge(self, Address(EDGE_KIND, key))
        if self._edges.setdefault(edge.address, edge) is not edge:
            raise ValueError(f"edge {key!r} exists already")
        return edge

    def close_edge(self, edge: Edge) -> None:
        """Forget `edge`: later messages to its address become dead letters."""
        self._edges.pop(edge.address, None)
        self.topics.leave(edge.address)

    def run(self) -> None:
        """Handle messages in this thread until no message is left (for systems without workers)."""
        while self.dispatcher.run_ready():
            continue

    def drain(self, deadline_s: float) -> DrainReport:
        """Wait until no actor holds work, at most `deadline_s` seconds; the feeders of the system must have stopped."""
        return drain(self, deadline_s)

    def stop(self, timeout_s: float = 10.0) -> None:
        """Stop all actors, those activated on demand first, both in reverse order of their kinds; then the threads.

        Messages told before are handled if there is time; what is left in mailboxes goes to the dead letters. No actor
        is restarted any more.
        """
        stop(self, list(self._specs.values()), time.monotonic() + timeout_s)

    def mailboxes(self) -> list[Mailbox]:
        """Every mailbox there is, in no order."""
        return self._directory.all()

    def __iter__(self) -> Iterator[Address]:
        """Addresses with a mailbox now."""
        return iter([mailbox.address for mailbox in self.mailboxes()])

    # the senders' side

    def tell(self, to: Address, message: Message) -> None:
        """Put `message` into the mailbox of `to`, activating its actor; never raises and never waits.

        A message to an address without an actor is a dead letter.
        """
        mailbox = self._mailboxes.get(to)
        if mailbox is None:
            self._tell_absent(to, message)
            return
        mailbox.queue.append(message)
        turn = mailbox.turn
        if turn:
            try:
                turn.pop()
            except IndexError:
                return  # the holder of the turn sees the message
            mailbox.make_ready(mailbox)
        elif mailbox.retired:
            self._directory.carry_over(mailbox)

    def overhear(self, tap: Tap) -> None:
        """Call `tap` with every message before its delivery, from now on until `untap` removes the tap.

        A tap is called in the sender's thread and must neither wait nor raise. The wrapper is installed only while
        there are taps, so `tell` has no overhead without taps.
        """
        with self._tapping:
            self._taps = (*self._taps, tap)
            self.__dict__["tell"] = self._tell_overheard

    @property
    def tap_count(self) -> int:
        """Number of taps on this system."""
        return len(self._taps)

    def untap(self, tap: Tap) -> None:
        """Remove `tap`; no effect if missing."""
        with self._tapping:
            self._taps = tuple(each for each in self._taps if each is not tap)
            if not self._taps:
                self.__dict__.pop("tell", None)

    def _tell_overheard(self, to: Address, message: Message) -> None:
        for tap in self._taps:
            try:
                tap(to, message)
            except Exception:
                self.untap(tap)
                log.exception("a tap of messages failed and was removed")
        type(self).tell(self, to, message)

    def ref(self, address: Address) -> pykka.ActorRef[Any]:
        """A pykka reference to the present actor at `address`, for code that uses pykka.

        Raises:
            pykka.ActorDeadError: no actor lives there.
        """
        mailbox = self._mailboxes.get(address)
        actor = mailbox.actor if mailbox is not None else None
        if actor is None:
            raise pykka.ActorDeadError(f"{address} has no living actor")
        return actor.actor_ref

    # the kernel's own side

    @property
    def closing(self) -> bool:
        """True while the system is being stopped: no actor is activated or restarted."""
        return self._directory.closed

    def schedule(self, mailbox: Mailbox) -> None:
        """Have `mailbox` run; the caller has its turn and hands the turn over."""
        mailbox.make_ready(mailbox)

    def post(self, mailbox: Mailbox, item: Any) -> None:
        """Put `item` into a particular mailbox, or into its successor; `tell` does the same without this call."""
        mailbox.queue.append(item)
        self.settle(mailbox)

    def settle(self, mailbox: Mailbox) -> None:
        """Have messages in `mailbox` handled: there, or in the mailbox's successor."""
        if mailbox.take_turn():
            self.schedule(mailbox)
        elif mailbox.retired:
            self._directory.carry_over(mailbox)

    def retire(self, mailbox: Mailbox) -> None:
        """Take `mailbox` out of the directory; the caller has its turn and never gives the turn back."""
        self.topics.leave(mailbox.address)
        self._directory.retire(mailbox)

    def close_directory(self) -> None:
        """Begin the end: from now on no actor is activated or restarted."""
        self._directory.close()

    def was_tried(self, mailbox: Mailbox) -> None:
        """The actor of `mailbox` has been started, or has crashed in trying."""
        if self._untried and (tried := self._untried.pop(mailbox.address, None)) is not None:
            tried.set()

    def bury(
        self, address: Address, message: Any, reason: str, traceback: str = "", error: BaseException | None = None
    ) -> None:
        """Make a message a dead letter, and answer the caller waiting through pykka's reference."""
        if isinstance(message, Envelope):
            if message.reply_to is not None and error is not None:
                message.reply_to.set_exception((type(error), error, error.__traceback__))
            message = message.message
        letter = DeadLetter(address=address, message=message, reason=reason, traceback=traceback, at=self.clock.now())
        self.dead_letters.add(letter)
        try:
            self._on_dead_letter(letter)
        except Exception:
            log.exception("a dead letter to %s could not be passed on", address)

    def _tell_absent(self, to: Address, message: Message) -> None:
        """Tell an address without a mailbox: an edge, an actor to activate, another process, or the dead letters."""
        edge = self._edges.get(to)
        if edge is not None:
            edge.put(message)
            return
        if self._elsewhere is not None and to.kind not in self._specs and self._elsewhere(to, message):
            return
        reason = self._directory.tell_absent(to, message)
        if reason:
            self.bury(to, message, reason)


def _is_set_in_time(tried: threading.Event, is_called_off: Callable[[], bool]) -> bool:
    """True if an actor was started, or the start was called off, within `START_S`."""
    deadline = time.monotonic() + START_S
    while not tried.wait(START_LOOK_S):
        if is_called_off():
            return True
        if time.monotonic() >= deadline:
            return False
    return True
