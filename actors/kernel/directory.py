"""Directory of mailboxes by address, changed without losing or reordering messages, and of followers by topic."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import pykka
from pykka._envelope import Envelope
from pykka.messages import _ActorStop

from actors.kernel.actor import Outage, Overdue
from actors.kernel.dead_letters import LEFT_OVER
from actors.kernel.liveness import Probe
from actors.kernel.mailbox import Mailbox
from messages.base import Address, Message

if TYPE_CHECKING:
    from actors.kernel.spec import ActorSpec
    from actors.kernel.system import ActorSystem

NO_SUCH_ACTOR = "no such actor"
ACTOR_STOPPED = "actor stopped"


class Topics:
    """Followers by topic: addresses that get the messages published there. Reading needs no lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._followers: dict[str, tuple[Address, ...]] = {}

    def of(self, topic: str) -> tuple[Address, ...]:
        """Followers of `topic`, in the order in which they began."""
        return self._followers.get(topic, ())

    def follow(self, topic: str, address: Address) -> None:
        """Send messages published on `topic` to `address` from now on; a repeated call has no effect."""
        with self._lock:
            before = self.of(topic)
            if address not in before:
                self._followers[topic] = (*before, address)

    def all(self) -> dict[str, tuple[Address, ...]]:
        """Followers of all topics now, by topic."""
        with self._lock:
            return dict(self._followers)

    def replace(self, followers: dict[str, tuple[Address, ...]]) -> None:
        """Replace all followers by `followers`: another process decides on the list."""
        with self._lock:
            self._followers = followers

    def leave(self, address: Address, topic: str | None = None) -> None:
        """Tell `address` no more of `topic`, or of anything."""
        if not self._followers:
            return
        with self._lock:
            for name in list(self._followers) if topic is None else [topic]:
                left = tuple(each for each in self.of(name) if each != address)
                if left:
                    self._followers[name] = left
                else:
                    self._followers.pop(name, None)


class Directory:
    """The mailboxes by address. Reading `mailboxes` needs no lock; every change is made under a lock."""

    def __init__(self, system: ActorSystem, specs: dict[str, ActorSpec]) -> None:
        self._system = system
        self._specs = specs
        self._lock = threading.RLock()
        self.mailboxes: dict[Address, Mailbox] = {}
        self.closed = False

    def all(self) -> list[Mailbox]:
        """Every mailbox there is, in no order."""
        with self._lock:
            return list(self.mailboxes.values())

    def close(self) -> None:
        """Let no more actors be activated."""
        with self._lock:
            self.closed = True

    def add(self, address: Address, spec: ActorSpec) -> Mailbox:
        """Make a mailbox for `address`; the caller holds its turn and must schedule it."""
        with self._lock:
            mailbox = self.mailboxes[address] = self._new_mailbox(address, spec)
            return mailbox

    def activate(self, address: Address, spec: ActorSpec) -> None:
        """Start an actor, unless a message has activated the actor before: an address has a single actor."""
        with self._lock:
            if address not in self.mailboxes:
                self._system.schedule(self.add(address, spec))

    def tell_absent(self, to: Address, message: Message) -> str:
        """Tell an address that had no mailbox a moment ago, activating its actor.

        Returns:
            Reason of a failure; empty if told.
        """
        with self._lock:
            mailbox = self.mailboxes.get(to)
            if mailbox is not None:
                self._system.post(mailbox, message)
                return ""
            spec = self._specs.get(to.kind)
            if spec is None:
                return NO_SUCH_ACTOR
            if self.closed:
                return LEFT_OVER
            if spec.core:
                return ACTOR_STOPPED
            mailbox = self._new_mailbox(to, spec)
            mailbox.queue.append(message)
            self.mailboxes[to] = mailbox
            self._system.schedule(mailbox)
            return ""

    def retire(self, mailbox: Mailbox) -> None:
        """Take `mailbox` out of the directory; the caller has its turn and never gives the turn back.

        Messages still in the mailbox move into its successor before any thread can find the successor, so a sender's
        later messages stay behind the sender's earlier messages.
        """
        with self._lock:
            mailbox.retired = True
            if self.mailboxes.get(mailbox.address) is mailbox:
                del self.mailboxes[mailbox.address]
                left = None if self._is_last(mailbox) else deque(_take_unsettled(mailbox))
                if left:
                    successor = self._new_mailbox(mailbox.address, mailbox.spec)
                    successor.queue = left
                    self.mailboxes[mailbox.address] = successor
                    self._system.schedule(successor)
        self.carry_over(mailbox)

    def carry_over(self, mailbox: Mailbox) -> None:
        """Pass late messages of a retired mailbox to the present mailbox of its address, or to the dead letters."""
        with self._lock:
            left = _take_unsettled(mailbox)
            if not self._is_last(mailbox):
                for item in left:
                    self._system.tell(mailbox.address, item)
                return
        reason = LEFT_OVER if self.closed else ACTOR_STOPPED
        for item in left:
            self._system.bury(mailbox.address, item, reason)

    def _is_last(self, mailbox: Mailbox) -> bool:
        """True if no other mailbox will take the place of `mailbox`."""
        return self.closed or mailbox.spec.core

    def _new_mailbox(self, address: Address, spec: ActorSpec) -> Mailbox:
        mailbox = Mailbox(self._system, address, spec)
        mailbox.last_used = self._system.runner.tick
        return mailbox


def _take_unsettled(mailbox: Mailbox) -> list[Any]:
    """Take the messages still to be handled out of a mailbox; callers waiting for an answer get an error."""
    left: list[Any] = []
    while True:
        try:
            item = mailbox.queue.popleft()
        except IndexError:
            return left
        if not _is_settled(item, mailbox.address):
            left.append(item)


def _is_settled(item: Any, address: Address) -> bool:
    """True if `item` came through pykka's reference and needs no handling after the end of its actor."""
    if not isinstance(item, Envelope):
        return False
    if isinstance(item.message, Outage | Overdue | Probe):  # they were for the actor that is gone
        return True
    if isinstance(item.message, _ActorStop):
        if item.reply_to is not None:
            item.reply_to.set(None)
        return True
    if item.reply_to is not None:
        item.reply_to.set_exception((pykka.ActorDeadError, pykka.ActorDeadError(f"{address} stopped"), None))
        return True
    return False
