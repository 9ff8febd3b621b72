"""Cost of supervision: the same workers and mailboxes with and without it.

Both sides: the kernel's dispatcher, a dictionary from addresses to mailboxes, a mailbox of a deque and a turn, batches
of the same length, and the same actors, which stand in a ring and hand balls on (with a sender outside, the rate would
hang on how that thread and the workers take turns). Only the supervised side survives exceptions and tries messages
again, retires, passivates, knows edges and dead letters, speaks pykka's envelopes, and counts for drain and watchdog.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from actors.kernel import Actor, ActorSpec
from actors.kernel.dispatcher import Dispatcher, Worker
from actors.kernel.runner import BATCH, LOOKS_AT_CLOCK, SLICE_S
from lab.bench.kernel.message import Ping
from lab.bench.kernel.throughput import running_system
from lab.bench.measure import Elapsed, Figures, Finish, Stopwatch, settle
from messages.base import Address

Tell = Callable[[Address, Ping], None]


class Runner(Actor):
    """Hands a ball on to the next in the ring until it has gone far enough."""

    def __init__(self, tell: Tell, onward: Address, come: Callable[[], None]) -> None:
        super().__init__()
        self._tell = tell
        self._onward = onward
        self._come = come

    def handle(self, message: Ping) -> None:
        """Hand it on, one lower."""
        if message.n:
            self._tell(self._onward, Ping(n=message.n - 1))
        else:
            self._come()


class BareMailbox:
    """A mailbox that nobody watches over."""

    __slots__ = ("address", "handle", "queue", "turn")

    def __init__(self, address: Address, handle: Callable[[Ping], None]) -> None:
        self.address = address
        self.handle = handle
        self.queue: deque[Ping] = deque()
        self.turn: list[None] = [None]

    def take_turn(self) -> bool:
        """Whether the turn was free; it is the caller's from here on."""
        try:
            self.turn.pop()
        except IndexError:
            return False
        return True


class BarePool:
    """The kernel's workers with mailboxes and without supervision: an exception would leave its mailbox stuck."""

    def __init__(self) -> None:
        self.mailboxes: dict[Address, BareMailbox] = {}
        run: Any = self._run  # the dispatcher only passes on what it is given
        self._dispatcher = Dispatcher(run)
        self._put: Callable[[Any], None] = self._dispatcher.put
        self.start, self.close = self._dispatcher.start, self._dispatcher.close

    def tell(self, to: Address, message: Ping) -> None:
        """Put `message` into the mailbox of `to`."""
        mailbox = self.mailboxes[to]
        mailbox.queue.append(message)
        if mailbox.turn and mailbox.take_turn():
            self._put(mailbox)

    def _run(self, mailbox: BareMailbox, _worker: Worker) -> None:
        queue, handle, left, until = mailbox.queue, mailbox.handle, BATCH, 0.0
        while queue:
            handle(queue.popleft())
            left -= 1
            if queue:
                if not until:
                    until = time.perf_counter() + SLICE_S
                elif not left or (not left % LOOKS_AT_CLOCK and time.perf_counter() > until):
                    break
        if not queue:
            mailbox.turn.append(None)
            if not queue or not mailbox.take_turn():
                return
        self._put(mailbox)


def ring(actors: int) -> list[Address]:
    """The addresses of those who stand in it."""
    return [Address("runner", str(number)) for number in range(actors)]


def onward(address: Address, actors: int) -> Address:
    """Who stands behind `address` in the ring."""
    return Address("runner", str((int(address.key) + 1) % actors))


def throw(tell: Tell, addresses: list[Address], hops: int, balls: int, finish: Finish) -> Elapsed:
    """Throw `balls` into a ring at equal distances, each for its share of `hops`; how long they went round."""
    settle()
    watch = Stopwatch()
    for ball in range(balls):
        tell(addresses[ball * len(addresses) // balls], Ping(n=hops // balls))
    finish.wait()
    return watch.read()


def supervised(actors: int, hops: int, balls: int) -> Figures:
    """The kernel as it is."""
    finish, addresses = Finish(balls), ring(actors)
    awake = Finish(actors)
    come = [awake.come]

    def build(key: str) -> Runner:
        return Runner(system.tell, onward(Address("runner", key), actors), lambda: come[0]())

    system = running_system(ActorSpec("runner", build))
    for address in addresses:
        system.tell(address, Ping(n=0))
    awake.wait()
    come[0] = finish.come
    elapsed = throw(system.tell, addresses, hops, balls, finish)
    system.stop()
    return elapsed.per_message(hops)


def unsupervised(actors: int, hops: int, balls: int) -> Figures:
    """The same workers, mailboxes and batches with nothing that could restart an actor."""
    finish, addresses = Finish(balls), ring(actors)
    pool = BarePool()
    for address in addresses:
        runner = Runner(pool.tell, onward(address, actors), finish.come)
        pool.mailboxes[address] = BareMailbox(address, runner.handle)
    pool.start()
    elapsed = throw(pool.tell, addresses, hops, balls, finish)
    pool.close()
    return elapsed.per_message(hops)
