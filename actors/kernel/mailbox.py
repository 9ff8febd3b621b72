"""Mailbox of an address, emptied by the actor of the address."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from actors.kernel.actor import Actor
    from actors.kernel.spec import ActorSpec
    from actors.kernel.system import ActorSystem
    from messages.base import Address


class ReadyQueue(Protocol):
    """Queue of mailboxes waiting to run, like `queue.SimpleQueue`; a replacement decides on the order."""

    def put(self, mailbox: Mailbox | None, /) -> None:
        """Add a mailbox to be run, or None to end a thread."""

    def get(self) -> Mailbox | None:
        """Take the next mailbox; wait for a mailbox if the queue is empty."""

    def get_nowait(self) -> Mailbox | None:
        """Take the next mailbox without waiting.

        Raises:
            queue.Empty: no mailbox waits.
        """


class Trouble:
    """Crash record of an actor; most actors have none."""

    __slots__ = ("attempts", "crashes", "gave_up", "resting")

    def __init__(self) -> None:
        self.attempts = 0
        """Failures of the message at the head of the mailbox."""
        self.crashes: tuple[float, ...] = ()
        """Recent crashes, in the clock's monotonic seconds, oldest first."""
        self.resting = False
        """Waiting for a restart: scheduled by a timer, not by messages."""
        self.gave_up = False
        """True if the rest is the long rest, after too many crashes."""


class Mailbox:
    """The mailbox of an address: outlives its actor's crashes, and is itself the pykka inbox and stop flag.

    The holder of the turn runs the actor or keeps the actor from running, so an actor handles a single message at a
    time. Adding to `queue`, looking at `turn` and popping `turn` are single operations under the interpreter's lock, so
    senders need no further lock. (A `threading.Lock` in place of `turn` did the same and cost a third of all the time
    of a message.)
    """

    __slots__ = (
        "actor",
        "address",
        "last_used",
        "leaving",
        "make_ready",
        "queue",
        "retired",
        "spec",
        "stopped",
        "system",
        "trouble",
        "turn",
    )

    def __init__(self, system: ActorSystem, address: Address, spec: ActorSpec) -> None:
        self.system = system
        self.address = address
        self.spec = spec
        self.make_ready = system.dispatcher.put_core if spec.core else system.dispatcher.put
        """Schedule the mailbox passed as argument; the caller holds the turn."""
        self.queue: deque[Any] = deque()
        self.turn: list[None] = []
        """A single item while the turn is free, else empty; at first the maker holds the turn."""
        self.actor: Actor | None = None
        self.retired = False
        """No longer in the directory; late messages are carried over."""
        self.leaving = False
        """True if asked to leave memory unless a message is in the mailbox."""
        self.stopped = False
        """True if the actor was stopped on purpose or gave up for good."""
        self.last_used = 0
        """The sweeper's tick at the last run."""
        self.trouble: Trouble | None = None

    def take_turn(self) -> bool:
        """True if the turn was free; the caller holds the turn from here on."""
        try:
            self.turn.pop()
        except IndexError:
            return False
        return True

    def put(self, item: Any) -> None:
        """Add to the mailbox and have a worker come by (pykka's inbox protocol)."""
        self.system.post(self, item)

    def put_first(self, item: Any) -> None:
        """Add an urgent item before all waiting items."""
        self.queue.appendleft(item)
        self.system.settle(self)

    def get(self) -> Any:
        """The oldest item, taken out (pykka's inbox protocol)."""
        return self.queue.popleft()

    def empty(self) -> bool:
        """True if no item waits (pykka's inbox protocol)."""
        return not self.queue

    def is_set(self) -> bool:
        """True if the actor was stopped (pykka's stop flag)."""
        return self.stopped

    def set(self) -> None:
        """Mark the actor as stopped (pykka's stop flag)."""
        self.stopped = True

    @property
    def resting(self) -> bool:
        """True if the actor crashed and a timer will restart the actor."""
        return self.trouble is not None and self.trouble.resting

    @property
    def gave_up(self) -> bool:
        """True if the actor crashed too often and takes no message for now."""
        return self.trouble is not None and self.trouble.resting and self.trouble.gave_up

    def holds_work(self) -> bool:
        """True if a message waits here or is being handled, or if the actor has work in progress outside."""
        return bool(self.queue) or self.is_at_work() or (not self.turn and not self.resting)

    def has_questions(self) -> bool:
        """True if the actor waits for an answer of another; for any thread."""
        questions = getattr(self.actor, "questions", None) or {}
        return any(each.message is not None for each in tuple(questions.values()))

    def is_at_work(self) -> bool:
        """True if the actor has work in progress outside; for any thread, also while the actor leaves memory."""
        actor = self.actor
        try:
            return actor is not None and actor.in_progress
        except AttributeError:
            if self.actor is actor:
                raise
            return False  # it left between the two looks, and knows nothing any more
