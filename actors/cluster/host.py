"""Host: an actor system that runs windows, their model calls and commands, with all else on the head."""

from __future__ import annotations

import dataclasses
import logging
import os
import threading
from collections.abc import Callable
from enum import Enum
from typing import Any

import msgspec

from actors.cluster.lease import Lease
from actors.cluster.link import Link
from actors.cluster.wire import CONTROL, Codec, Handled, HostFrame, LogLine, frame_bytes, head_frame
from actors.kernel import Actor, ActorSpec, ActorSystem, DeadLetter, Then
from messages.base import CONTEXT_KIND, Address, Message

log = logging.getLogger(__name__)

MOST_LINES = 1000
"""Log lines that may wait for transfer to the head."""


class Work(Enum):
    """State of a window's work."""

    IN_PROGRESS = "in progress"
    NONE = "none"
    UNFINISHED = "unfinished"
    """The window goes on by itself at a later time."""


class HostSystem:
    """One life of a host: the link to the head, and the actors behind the link.

    The carrier of frames calls `exchange` from any thread, and from two at once: one brings the head's frames, the
    other waits for answers.
    """

    def __init__(self, system: ActorSystem, codec: Codec, lease: Lease, epoch: str) -> None:
        """Create a host without any messages.

        Args:
            system: System of the host's actors, not started.
            codec: Translates for this side.
            lease: Lease required for every write.
            epoch: Name of this life.
        """
        self.system = system
        self._codec = codec
        self._lease = lease
        self._epoch = epoch
        self._link = Link(system.clock.monotonic)
        self._lock = threading.Condition(threading.Lock())
        """Lock around the link and the link's messages."""
        self._topics_number = 0
        self._idle = 0
        """Calls that wait for items to report; an abandoned call may wait beside the next."""
        self._arrivals = threading.Lock()
        """Lock around arriving items, to deliver messages in order."""
        self._open: dict[int, tuple[int, Message]] = {}
        """By the identity of a message waiting in a window's mailbox: the message's number on the link."""
        self._handled: list[int] = []
        self._works: dict[str, Work] = {}
        """State of each window's work, by the window's key; none for a window without work."""
        self._changed: dict[str, Work] = {}
        """States of windows' work, unknown to the head so far."""
        self._live: set[str] = set()
        """Keys of windows in memory."""
        system.reach_elsewhere(self._say)

    def wrap_spec(self, spec: ActorSpec) -> ActorSpec:
        """Kind of the windows, as registered here: handled messages are reported to the head."""

        def build(key: str) -> Actor:
            return self._wrap_actor(key, spec.build(key))

        return dataclasses.replace(spec, build=build)

    def settle_dead(self, letter: DeadLetter) -> None:
        """Settle a dead letter too: no actor will handle the message."""
        if letter.address.kind == CONTEXT_KIND and not self.system.closing:
            self._settle(letter.address.key, letter.message, None)

    def report(self, level: int, name: str, text: str) -> None:
        """Have a line of this host's log stand in the head's."""
        item = self._codec.encode(CONTROL, LogLine(level, name, text))
        with self._lock:
            if self._link.unacknowledged < MOST_LINES:
                self._put(item)

    def exchange(self, data: bytes, wait_s: float) -> bytes:
        """Take the head's frame, and answer.

        Args:
            data: A `HeadFrame`.
            wait_s: Seconds to wait for items to report; 0 to report none.

        Raises:
            ValueError: the frame is for another life, or no frame at all.
        """
        frame = head_frame(data)
        if frame.epoch != self._epoch:
            raise ValueError(f"frame for {frame.epoch!r}: this is {self._epoch!r}")
        self._lease.renew(frame.lease_until)
        if frame.topics is not None:
            self._take_topics(frame.topics_number, frame.topics)
        self._take(frame.ack, frame.first, frame.items)
        return frame_bytes(self._answer(wait_s))

    def _take_topics(self, number: int, topics: list[tuple[str, list[Address]]]) -> None:
        """Replace the followers of all topics, unless a newer list came before."""
        with self._lock:
            if number > self._topics_number:
                self._topics_number = number
                self.system.topics.replace({topic: tuple(addresses) for topic, addresses in topics})

    def _take(self, ack: int, first: int, items: list[bytes]) -> None:
        with self._arrivals:
            with self._lock:
                self._link.acknowledge(ack)
                new = self._link.receive(first, items)
            for number, item in new:
                self._deliver(number, item)

    def _deliver(self, number: int, item: bytes) -> None:
        try:
            to, message = self._codec.decode(item)
        except msgspec.MsgspecError:
            log.exception("an item from the head cannot be read")
            with self._lock:
                self._handled.append(number)
            return
        if to.kind == CONTEXT_KIND:
            self._open[id(message)] = (number, message)
        self.system.tell(to, message)

    def _answer(self, wait_s: float) -> HostFrame:
        with self._lock:
            if wait_s and not self._has_news():
                self._idle += 1
                self._lock.wait_for(self._has_news, wait_s)
                self._idle -= 1
            first, items = 0, list[bytes]()
            if wait_s:
                if (gather_s := self._link.gather_s()) and self._has_news():
                    self._lock.wait_for(lambda: not self._link.gather_s(), gather_s)
                self._note_handled()
                first, items = self._link.batch()
            return HostFrame(
                self._epoch, self._lease.read(), self._link.ack, first, items, len(self._live), os.getpid()
            )

    def _has_news(self) -> bool:
        return bool(self._handled or self._changed) or self._link.has_batch()

    def _note_handled(self) -> None:
        """Report handled messages, after all items of the meantime."""
        if not (self._handled or self._changed):
            return
        handled, self._handled = self._handled, []
        changed, self._changed = self._changed, {}
        busy, quiet, unfinished = ([key for key, state in changed.items() if state is each] for each in Work)
        self._link.put(self._codec.encode(CONTROL, Handled(handled, busy, quiet, unfinished)))

    # what the actors say, and do

    def _say(self, to: Address, message: Message) -> bool:
        """Take a message for an actor elsewhere; the kernel's hook, in the teller's thread."""
        try:
            item = self._codec.encode(to, message)
        except (TypeError, ValueError, msgspec.MsgspecError):
            log.exception("%s to %s cannot be written", type(message).__name__, to)
            return False
        with self._lock:
            self._put(item)
        return True

    def _put(self, item: bytes) -> None:
        self._link.put(item)
        if self._idle:
            self._lock.notify_all()

    def _wrap_actor(self, key: str, actor: Actor) -> Actor:
        """Wrap `actor` to record each handled message, and the state of the actor's work since.

        Answers to the actor's questions are messages, too. A restarted actor may be busy before the next message.
        """
        handle: Callable[[Any], None] = actor.handle
        on_start, on_stop, go_on = actor.on_start, actor.on_stop, actor.go_on

        def start_and_note() -> None:
            on_start()
            self._settle(key, None, _work_of(actor))

        def handle_and_note(message: Any) -> None:
            handle(message)
            self._settle(key, message, _work_of(actor))

        def go_on_and_note(then: Then, answer: Message | None) -> None:
            go_on(then, answer)
            self._settle(key, answer, _work_of(actor))

        def stop_and_note() -> None:
            self._live.discard(key)
            on_stop()

        self._live.add(key)
        actor.on_start = start_and_note  # type: ignore[method-assign]
        actor.handle = handle_and_note  # type: ignore[method-assign]
        actor.go_on = go_on_and_note  # type: ignore[method-assign]
        actor.on_stop = stop_and_note  # type: ignore[method-assign]
        return actor

    def _settle(self, key: str, message: object, work: Work | None) -> None:
        entry = self._open.pop(id(message), None)
        is_news = work is not None and work is not self._works.get(key, Work.NONE)
        if entry is None and not is_news:
            return
        with self._lock:
            if entry is not None:
                self._handled.append(entry[0])
            if work is not None and is_news:
                self._works[key] = self._changed[key] = work
                if work is Work.NONE:
                    del self._works[key]
            if self._idle:
                self._lock.notify_all()


def _work_of(actor: Actor) -> Work:
    if actor.in_progress:
        return Work.IN_PROGRESS
    return Work.UNFINISHED if actor.is_unfinished else Work.NONE
