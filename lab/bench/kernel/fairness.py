"""Fairness: how long quiet actors wait, alone and beside one that is never done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from actors.kernel import Actor, ActorSpec, ActorSystem
from lab.bench.kernel.message import Ping, Stamped
from lab.bench.kernel.throughput import running_system
from lab.bench.measure import US, Figures, Finish, percentile
from messages.base import Address

FLOODER = Address("flooder")


class Hearer(Actor):
    """Notes how long each message was under way."""

    def __init__(self, waits: list[float], come: Callable[[], None]) -> None:
        super().__init__()
        self._waits = waits
        self._come = come

    def handle(self, message: Stamped) -> None:
        """Note it."""
        self._waits.append(time.perf_counter() - message.told_at)
        self._come()


class Flooder(Actor):
    """Actor that always fills the actor's own mailbox."""

    def handle(self, message: Ping) -> None:
        """Have one more."""
        self.tell(self.address, message)


def fairness(quiet: int, messages: int, pause_ms: float, backlog: int) -> Figures:
    """From tell to handler for quiet actors, one told every `pause_ms`, alone and beside a flooder.

    Args:
        quiet: Number of quiet actors.
        messages: Total of messages to quiet actors, in turn.
        pause_ms: Milliseconds between two messages.
        backlog: Messages always in the flooder's mailbox; the flooder sends itself one message for each handled
            message.
    """
    alone = _quiet_waits(quiet, messages, pause_ms / 1000, 0)
    beside = _quiet_waits(quiet, messages, pause_ms / 1000, backlog)
    figures: Figures = {"messages": messages}
    for name, waits in (("alone", alone), ("beside", beside)):
        figures |= {f"{rank}_{name}_us": percentile(waits, share) * US for rank, share in (("p50", 0.5), ("p99", 0.99))}
    return figures


def _quiet_waits(quiet: int, messages: int, pause_s: float, backlog: int) -> list[float]:
    waits: list[float] = []
    finish = Finish(messages)
    hearers = ActorSpec("hearer", lambda _key: Hearer(waits, finish.come))
    system = running_system(hearers, ActorSpec("flooder", lambda _key: Flooder()))
    for _ in range(backlog):
        system.tell(FLOODER, Ping())
    _tell_quiet(system, [Address("hearer", str(number)) for number in range(quiet)], messages, pause_s)
    finish.wait()
    system.stop(0.2)  # the flooder is never done
    return waits


def _tell_quiet(system: ActorSystem, addresses: list[Address], messages: int, pause_s: float) -> None:
    pause = threading.Event()
    for number in range(messages):
        pause.wait(pause_s)
        system.tell(addresses[number % len(addresses)], Stamped(told_at=time.perf_counter()))
