"""Crash storm and restart latency: the cost of crashes, and any messages lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from actors.kernel import Actor, ActorSpec, ActorSystem
from domain.policy.restarts import RestartPolicy
from lab.bench.kernel.message import Ping
from lab.bench.measure import US, Figures, Finish, Stopwatch, percentile, settle
from messages.base import Address

AT_ONCE = RestartPolicy(intensity=1_000_000, window_s=0.001, min_backoff_s=0, max_backoff_s=0)
"""Restarts without a wait and without an end; the record of recent crashes stays as short as a real policy's."""


class Misfortune(Exception):  # noqa: N818 - what befalls an actor here is no error of anybody's
    """Exception with which the benchmark's actors crash."""


class Phoenix(Actor):
    """Actor that crashes over every message once, and records the message's arrival in the next life."""

    def __init__(self, crashed_at: dict[int, float], waits: list[float], come: Callable[[], None]) -> None:
        super().__init__()
        self._crashed_at = crashed_at
        self._waits = waits
        self._come = come

    def handle(self, message: Ping) -> None:
        """Crash, or be the next life."""
        now = time.perf_counter()
        crashed_at = self._crashed_at.pop(message.n, None)
        if crashed_at is not None:
            self._waits.append(now - crashed_at)
            self._come()
            return
        self._crashed_at[message.n] = time.perf_counter()
        raise Misfortune


def restart_latency(restarts: int) -> Figures:
    """From the raise in a handler to the next incarnation's handling of the same message; no backoff, no log."""
    finish = Finish(restarts)
    waits: list[float] = []
    crashed_at: dict[int, float] = {}
    system = ActorSystem()
    system.register(ActorSpec("phoenix", lambda _key: Phoenix(crashed_at, waits, finish.arrive), policy=AT_ONCE))
    system.start()
    settle()
    for number in range(restarts):
        system.tell(Address("phoenix"), Ping(n=number))
    finish.wait()
    system.stop()
    return {"restarts": len(waits), "p50_us": percentile(waits, 0.5) * US, "p99_us": percentile(waits, 0.99) * US}


def draw(number: int) -> int:
    """The same number from 0 to 999 for a message every time, as good as chance (Knuth's multiplicative hash)."""
    return (number * 2_654_435_761 % 2**32) * 1000 >> 32


def is_poison(number: int) -> bool:
    """True for a message that fails at every try: one in a thousand."""
    return draw(number) == 0


def fails_once(number: int) -> bool:
    """True for a message that fails at the first try only: one in a hundred."""
    return 1 <= draw(number) <= 10


class Ledger:
    """Account of every message of a storm."""

    def __init__(self, messages: int) -> None:
        self.handled = bytearray(messages)
        """Number of times that each message was handled to the end, or to the effect before a crash."""
        self.to_crash = {number for number in range(messages) if fails_once(number)}
        self.out_of_order = 0
        self.buried: list[int] = []
        self.finish = Finish(messages)
        self.lock = Lock()

    def bury(self, message: object) -> None:
        """A message became a dead letter."""
        if isinstance(message, Ping):
            with self.lock:
                self.buried.append(message.n)
            self.finish.arrive()


class Unlucky(Actor):
    """Actor that crashes over poison before an effect, and over messages failing once after the effect."""

    def __init__(self, ledger: Ledger, last: dict[str, int]) -> None:
        super().__init__()
        self._ledger = ledger
        self._last = last

    def handle(self, message: Ping) -> None:
        """Have an effect, if all goes well."""
        number, ledger = message.n, self._ledger
        if is_poison(number):
            raise Misfortune
        key = self.address.key
        if number < self._last.get(key, -1):
            ledger.out_of_order += 1
        self._last[key] = number
        ledger.handled[number] += 1
        if number in ledger.to_crash:
            ledger.to_crash.discard(number)
            raise Misfortune
        ledger.finish.arrive()


def crash_storm(messages: int, actors: int) -> Figures:
    """One thread tells `actors` actors in turn while 0.1 % of the messages are poison and 1 % fail once.

    Only a message whose handler crashed after the effect may be handled twice; any other message handled twice is
    doubled, and any message neither handled nor a dead letter is lost.
    """
    ledger = Ledger(messages)
    last: dict[str, int] = {}
    system = ActorSystem(on_dead_letter=lambda letter: ledger.bury(letter.message))
    system.register(ActorSpec("unlucky", lambda _key: Unlucky(ledger, last), policy=AT_ONCE))
    system.start()
    settle()
    addresses = [Address("unlucky", str(number)) for number in range(actors)]
    watch = Stopwatch()
    for number in range(messages):
        system.tell(addresses[number % actors], Ping(n=number))
    ledger.finish.wait()
    elapsed = watch.read()
    drained = system.drain(10).quiet
    restarts = sum(system.supervisor.restarts().values())
    system.stop()
    return {**elapsed.per_message(messages), "restarts": restarts, "drained": drained, **outcome(ledger)}


def outcome(ledger: Ledger) -> Figures:
    """Counts of lost, doubled and overtaken messages; `unburied`: poison that is no dead letter, or the reverse."""
    numbers = range(len(ledger.handled))
    poison = {number for number in numbers if is_poison(number)}
    allowed = [0 if number in poison else 2 if fails_once(number) else 1 for number in numbers]
    buried = set(ledger.buried)
    return {
        "lost": sum(not ledger.handled[number] and number not in buried for number in numbers),
        "doubled": sum(ledger.handled[number] > allowed[number] for number in numbers)
        + len(ledger.buried)
        - len(buried),
        "poison": len(poison),
        "unburied": len(poison ^ buried),
        "out_of_order": ledger.out_of_order,
    }
