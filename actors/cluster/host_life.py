"""One life of a host as the head sees the host: link, lease, ledger and the two driving threads.

A host cannot call the head, so the head calls the host: one thread brings items for the host, the other waits in the
host for the host's items. Either call renews the lease.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol

import msgspec

from actors.cluster.lease import LEASE_S, Grant
from actors.cluster.ledger import Ledger, WindowMessage
from actors.cluster.link import Link
from actors.cluster.pool import HostGoneError, HostSlowError, RemoteHost
from actors.cluster.wire import Codec, Handled, HeadFrame, LogLine, frame_bytes, host_frame
from actors.kernel import ActorSystem
from messages.base import Address
from messages.discord import UserMessageLogged

log = logging.getLogger(__name__)

PULL_S = 1.0
"""Seconds of a call's wait in the host for items; the lease is renewed at least as often."""
PUSH_LOOK_S = 0.25
"""Seconds until a host receives a change of topics' followers."""
CALL_S = 3.0
"""Seconds beyond its planned wait after which a call has failed, and is repeated."""
PAUSE_S = 0.1
"""Between a failed call and the next."""
DEAF_CALLS = 10
"""Unanswered calls after which a host without a lease counts as never started."""


class Stage(Enum):
    """Stage in a host's life."""

    STARTING = "starting"
    RUNNING = "running"
    LOST = "lost"
    """The host has ended, or the lease runs out; the host's windows wait for the end of the lease."""


class LifeOwner(Protocol):
    """Owner of a life, notified of the life's events."""

    def on_running(self, life: HostLife) -> None:
        """The host is ready for windows."""

    def on_lost(self, life: HostLife, reason: str) -> None:
        """The host gets no more windows, and its windows move when the lease is over; called once."""


class HostLife:
    """Driver of one life; the lock is around link and ledger, and taken inside of the owner's."""

    def __init__(
        self,
        name: str,
        epoch: str,
        system: ActorSystem,
        codec: Codec,
        owner: LifeOwner,
        lease_s: float = LEASE_S,
    ) -> None:
        """Create the life of a host to be started.

        Args:
            name: Of the host; no other life has had it.
            epoch: Name of the life.
            system: The head's.
            codec: The head's.
            owner: Owner to notify of events.
            lease_s: Length of its lease.
        """
        monotonic = system.clock.monotonic
        self.name, self.epoch = name, epoch
        self.stage = Stage.STARTING
        self.grant = Grant(monotonic, lease_s, lease_s / 10)
        self.ledger = Ledger(monotonic)
        self.windows: set[str] = set()
        """Keys of all windows for which the host ever received a message."""
        self.live = 0
        """Number of windows in memory, as reported by the host."""
        self.pid = 0
        """Process id on the host's machine."""
        self._system, self._codec, self._owner = system, codec, owner
        self._link = Link(monotonic)
        self._lock = threading.Condition(threading.Lock())
        self._arrivals = threading.Lock()
        """Lock around arriving items, to deliver messages in order."""
        self._is_idle = False
        """True while the pushing thread waits for items to bring to the host."""
        self._remote: RemoteHost | None = None
        self._topics: dict[str, tuple[Address, ...]] = {}
        self._topics_number = 0
        self._is_over = False

    def drive(self, remote: RemoteHost) -> None:
        """Begin to drive the process of the host's actors.

        Raises:
            HostSlowError: the machine gives no more threads; the life is over.
        """
        self._remote = remote
        try:
            for act in (self._push_all, self._pull_all):
                threading.Thread(target=self._until_lost, args=(act,), name=f"cluster {self.name}", daemon=True).start()
        except RuntimeError as error:
            self.stop()
            raise HostSlowError(f"no thread can be started for its calls: {error}") from error

    @property
    def remote(self) -> RemoteHost | None:
        """The host's process; None before the start."""
        return self._remote

    @property
    def is_settled(self) -> bool:
        """True if no message to the host is open, and no window of the host is busy."""
        with self._lock:
            return self.ledger.is_settled and not self._link.unacknowledged

    def put(self, data: bytes, message: WindowMessage | None) -> None:
        """Send the host a message as soon as possible; never waits.

        Args:
            data: A message as the codec writes it.
            message: The same message, if addressed to a window.
        """
        with self._lock:
            number = self._link.put(data)
            if message is not None:
                self.ledger.tell(number, message)
            if self._is_idle:
                self._lock.notify()

    def take_over(self) -> tuple[list[WindowMessage], set[str]]:
        """Messages owed to the host's windows, and keys of windows with work; for a lost host."""
        with self._lock:
            return list(self.ledger.owed()), self.ledger.busy | self.ledger.unfinished

    def stop(self) -> None:
        """Stop driving the host; no frame from the host is taken from now on."""
        with self._lock:
            self._is_over = True
            self._lock.notify_all()

    # the two threads

    def _until_lost(self, act: Callable[[RemoteHost], None]) -> None:
        failures: int | None = 0
        while failures is not None:
            failures = self.drive_once(act, failures)

    def drive_once(self, act: Callable[[RemoteHost], None], failures: int) -> int | None:
        """Make one call; return the number of failed calls in a row, or None once the life has ended."""
        remote = self._remote
        assert remote is not None
        if self._has_ended():
            return None
        try:
            act(remote)
        except HostGoneError as error:
            self._owner.on_lost(self, str(error) or "its process ended")
            return None
        except (HostSlowError, ValueError) as error:
            self._have_again()
            if not self.grant.left_s and (self.grant.until or failures >= DEAF_CALLS):
                self._owner.on_lost(self, f"its lease ran out: {error}")
                return None
            with self._lock:
                self._lock.wait_for(lambda: self._is_over, PAUSE_S)
            return failures + 1
        except Exception:
            if not self._has_ended():  # else what carried its calls was taken down
                log.exception("host %s: the link failed inside the agent", self.name)
                self._owner.on_lost(self, "the link failed inside the agent")
            return None
        return 0

    def _has_ended(self) -> bool:
        return self._is_over

    def _have_again(self) -> None:
        with self._lock:
            self._link.rewind()
            self._topics = {}

    def _push_all(self, remote: RemoteHost) -> None:
        """Bring waiting items to the host, but no item before the lease began."""
        with self._lock:
            self._is_idle = True
            self._lock.wait_for(lambda: self._is_over or bool(self.grant.until and self._link.has_batch()), PUSH_LOOK_S)
            self._is_idle = False
            if self._is_over or not self.grant.until:
                return
            if (gather_s := self._link.gather_s()) and self._link.has_batch():
                self._lock.wait_for(lambda: not self._link.gather_s(), gather_s)
            topics = self._system.topics.all()
            is_news = topics != self._topics
            self._topics_number += is_news
            first, items = self._link.batch()
            if not items and not is_news:
                return
            ack = self._link.ack
        frame = HeadFrame(
            epoch=self.epoch,
            lease_until=self.grant.until,
            ack=ack,
            first=first,
            items=items,
            topics=[(topic, list(addresses)) for topic, addresses in topics.items()] if is_news else None,
            topics_number=self._topics_number,
        )
        answer = remote.exchange(frame_bytes(frame), 0.0, CALL_S)
        if is_news:
            self._topics = topics
        self._hear(answer)

    def _pull_all(self, remote: RemoteHost) -> None:
        """Wait in the host for the host's items."""
        frame = HeadFrame(epoch=self.epoch, lease_until=self.grant.until, ack=self._link.ack, first=0, items=[])
        wait_s = PULL_S if self.grant.until else 0.0
        self._hear(remote.exchange(frame_bytes(frame), wait_s, wait_s + CALL_S))

    def _hear(self, data: bytes) -> None:
        frame = host_frame(data)
        with self._arrivals:
            with self._lock:
                if self._is_over or frame.epoch != self.epoch:
                    return
                self.grant.hear(frame.reading)
                self.live, self.pid = frame.live, frame.pid
                self._link.acknowledge(frame.ack)
                new = self._link.receive(frame.first, frame.items)
                if self._link.has_batch():
                    self._lock.notify()
            for _number, item in new:  # outside of the lock, which whoever is told may want
                self._take(item)
        if self.stage is Stage.STARTING:
            self._owner.on_running(self)

    def _take(self, item: bytes) -> None:
        """Take an item of the host; an unreadable item is dropped, and takes no item behind it along."""
        try:
            to, message = self._codec.decode(item)
        except msgspec.MsgspecError:
            log.exception("an item of host %s cannot be read", self.name)
            return
        self._say(to, message)

    def _say(self, to: Address, message: Any) -> None:
        """Tell the head's actors the host's message, or record the host's own reports."""
        match message:
            case Handled():
                with self._lock:
                    self.ledger.settle(message.numbers, message.busy, message.quiet, message.unfinished)
            case LogLine():
                logging.getLogger(message.name).log(
                    message.level, "[%s] %s", self.name, message.text, extra={"is_from_host": True}
                )
            case _:
                if isinstance(message, UserMessageLogged):
                    with self._lock:
                        self.ledger.hear(message)
                self._system.tell(to, message)
