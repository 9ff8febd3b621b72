"""Workloads on the project's kernel: questions and answers, one sender to many, idle actors; crashes, churn."""

from __future__ import annotations

from collections.abc import Callable

from actors.kernel import Actor, ActorSpec, ActorSystem
from lab.bench.kernel.churn import churn
from lab.bench.kernel.faults import crash_storm, restart_latency
from lab.bench.kernel.message import Answer, Ping, Question
from lab.bench.measure import Figures, Finish, Stopwatch, rss_bytes, settle
from messages.base import Address

__all__ = ["churn", "crash_storm", "fan_out", "idle_bytes", "request_reply", "restart_latency"]
PING = Ping()


def start_system(*specs: ActorSpec) -> ActorSystem:
    """A system as the agent has it after start-up, with the existing objects frozen."""
    system = ActorSystem()
    for spec in specs:
        system.register(spec)
    system.start()
    settle()
    return system


class Server(Actor):
    """Responder to questions."""

    def handle(self, message: Question) -> None:
        """Answer at once."""
        self.tell(message.reply_to, Answer(n=message.n))


class Client(Actor):
    """Client that asks the next question after each answer."""

    def __init__(self, server: Address, questions: int, come: Callable[[], None]) -> None:
        super().__init__()
        self._server = server
        self._left = questions
        self._come = come

    def handle(self, _message: Answer | Ping) -> None:
        """Ask, or be done."""
        if self._left == 0:
            self._come()
            return
        self._left -= 1
        self.tell(self._server, Question(n=self._left, reply_to=self.address))


def request_reply(clients: int, servers: int, questions: int) -> Figures:
    """Questions by `clients` actors at once, each waiting for its answer before asking again."""
    finish = Finish(clients)

    def client(key: str) -> Client:
        return Client(Address("server", str(int(key) % servers)), questions, finish.arrive)

    system = start_system(ActorSpec("server", lambda _key: Server()), ActorSpec("client", client))
    watch = Stopwatch()
    for number in range(clients):
        system.tell(Address("client", str(number)), PING)
    finish.wait()
    elapsed = watch.read()
    system.stop()
    round_trips = clients * questions
    return {**elapsed.per_message(2 * round_trips), "round_trips_per_s": round_trips / elapsed.wall_s}


class Counter(Actor):
    """Counter of messages; reports the first and the last."""

    def __init__(self, last: int, first: Callable[[], None], come: Callable[[], None]) -> None:
        super().__init__()
        self._first, self._come = first, come
        self._last = last
        self._count = -1  # the first message only wakes it

    def handle(self, _message: Ping) -> None:
        """Count a message."""
        self._count += 1
        if self._count == self._last:
            self._come()
        elif self._count == 0:
            self._first()


def fan_out(actors: int, messages: int) -> Figures:
    """One thread tells each of `actors` living actors in turn, `messages` times over."""
    awake, finish = Finish(actors), Finish(actors)
    system = start_system(ActorSpec("counter", lambda _key: Counter(messages, awake.arrive, finish.arrive)))
    addresses = [Address("counter", str(number)) for number in range(actors)]
    tell = system.tell
    for address in addresses:
        tell(address, PING)
    awake.wait()
    watch = Stopwatch()
    for _ in range(messages):
        for address in addresses:
            tell(address, PING)
    finish.wait()
    elapsed = watch.read()
    system.stop()
    return elapsed.per_message(actors * messages)


def idle_bytes(actors: int) -> Figures:
    """Resident memory of waiting supervised actors after one message each, addresses included."""
    awake = Finish(actors)
    system = start_system(ActorSpec("counter", lambda _key: Counter(1, awake.arrive, awake.arrive)))
    before = rss_bytes()
    for number in range(actors):
        system.tell(Address("counter", str(number)), PING)
    awake.wait()
    settle()
    return {"actors": actors, "bytes": (rss_bytes() - before) / actors}
