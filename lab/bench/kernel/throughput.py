"""Throughput of our kernel: a ball between two actors, questions and answers, one sender to many."""

from __future__ import annotations

from collections.abc import Callable

from actors.kernel import Actor, ActorSpec, ActorSystem
from lab.bench.kernel.message import Answer, Ping, Question
from lab.bench.measure import Figures, Finish, Stopwatch, settle
from messages.base import Address

PING = Ping()


def running_system(*specs: ActorSpec) -> ActorSystem:
    """A system as the agent has it after its start, with what lives by then frozen."""
    system = ActorSystem()
    for spec in specs:
        system.register(spec)
    system.start()
    settle()
    return system


class Player(Actor):
    """Half of a ping-pong: sends the ball to the other one until it has been sent often enough."""

    def __init__(self, other: Address, come: Callable[[], None]) -> None:
        super().__init__()
        self._other = other
        self._come = come

    def handle(self, message: Ping) -> None:
        """Send the message back, one lower."""
        if message.n <= 0:
            self._come()
        else:
            self.tell(self._other, Ping(n=message.n - 1))


def ping_pong(hops: int) -> Figures:
    """One message between two actors."""
    finish = Finish(2)
    others = {"a": Address("player", "b"), "b": Address("player", "a")}
    system = running_system(ActorSpec("player", lambda key: Player(others[key], finish.come)))
    system.tell(others["a"], Ping(n=0))
    watch = Stopwatch()
    system.tell(others["b"], Ping(n=hops))
    finish.wait()
    elapsed = watch.read()
    system.stop()
    return elapsed.per_message(hops)


class Server(Actor):
    """Responder to questions."""

    def handle(self, message: Question) -> None:
        """Answer at once."""
        self.tell(message.reply_to, Answer(n=message.n))


class Client(Actor):
    """Asker of the next question when the last one has been answered."""

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
    """Questions by `clients` actors at once, each waiting for its answer before it asks again."""
    finish = Finish(clients)

    def client(key: str) -> Client:
        return Client(Address("server", str(int(key) % servers)), questions, finish.come)

    system = running_system(ActorSpec("server", lambda _key: Server()), ActorSpec("client", client))
    watch = Stopwatch()
    for number in range(clients):
        system.tell(Address("client", str(number)), PING)
    finish.wait()
    elapsed = watch.read()
    system.stop()
    round_trips = clients * questions
    return {**elapsed.per_message(2 * round_trips), "round_trips_per_s": round_trips / elapsed.wall_s}


class Counter(Actor):
    """Counter of messages; reports when it has had its first and its last."""

    def __init__(self, last: int, first: Callable[[], None], come: Callable[[], None]) -> None:
        super().__init__()
        self._first, self._come = first, come
        self._last = last
        self._count = -1  # the first message only wakes it

    def handle(self, _message: Ping) -> None:
        """Count it."""
        self._count += 1
        if self._count == self._last:
            self._come()
        elif self._count == 0:
            self._first()


def fan_out(actors: int, messages: int) -> Figures:
    """One thread tells each of `actors` living actors in turn, `messages` times over."""
    awake, finish = Finish(actors), Finish(actors)
    system = running_system(ActorSpec("counter", lambda _key: Counter(messages, awake.come, finish.come)))
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
