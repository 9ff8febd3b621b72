"""Peer on plain pykka, with the same workloads: an operating system thread for each actor, and no restarts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pykka

from lab.bench.kernel.faults import Misfortune, fails_once, is_poison
from lab.bench.kernel.message import Ping
from lab.bench.measure import Figures, Finish, Stopwatch, rss_bytes, settle

PING = Ping()


class Threaded(pykka.ThreadingActor):
    """Plain pykka's actor; the actor's thread ends with the process."""

    use_daemon_thread = True


class Server(Threaded):
    """Responder to questions; each message is the asker's reference."""

    def on_receive(self, message: Any) -> None:
        """Answer at once."""
        message.tell(PING)


class Client(Threaded):
    """Client that asks the next question after each answer."""

    def __init__(self, server: pykka.ActorRef[Server], questions: int, come: Callable[[], None]) -> None:
        super().__init__()
        self._server = server
        self._left = questions
        self._come = come

    def on_receive(self, message: Any) -> None:  # noqa: ARG002 - an answer is an answer
        """Ask, or be done."""
        if self._left == 0:
            self._come()
            return
        self._left -= 1
        self._server.tell(self.actor_ref)


def request_reply(clients: int, servers: int, questions: int) -> Figures:
    """Questions by `clients` actors at once, by tells: pykka's own `ask` would block a thread for each."""
    finish = Finish(clients)
    answering = [Server.start() for _ in range(servers)]
    asking = [Client.start(answering[number % servers], questions, finish.arrive) for number in range(clients)]
    settle()
    watch = Stopwatch()
    for client in asking:
        client.tell(PING)
    finish.wait()
    elapsed = watch.read()
    round_trips = clients * questions
    return {**elapsed.per_message(2 * round_trips), "round_trips_per_s": round_trips / elapsed.wall_s}


class Counter(Threaded):
    """Counter of messages; reports the first and the last."""

    def __init__(self, last: int, first: Callable[[], None], come: Callable[[], None]) -> None:
        super().__init__()
        self._first, self._come = first, come
        self._last = last
        self._count = -1

    def on_receive(self, message: Any) -> None:  # noqa: ARG002 - it only counts
        """Count a message."""
        self._count += 1
        if self._count == self._last:
            self._come()
        elif self._count == 0:
            self._first()


def fan_out(actors: int, messages: int) -> Figures:
    """One thread tells each of `actors` living actors in turn, `messages` times over."""
    awake, finish = Finish(actors), Finish(actors)
    refs = [Counter.start(messages, awake.arrive, finish.arrive) for _ in range(actors)]
    for ref in refs:
        ref.tell(PING)
    awake.wait()
    settle()
    watch = Stopwatch()
    for _ in range(messages):
        for ref in refs:
            ref.tell(PING)
    finish.wait()
    return watch.read().per_message(actors * messages)


def idle_bytes(actors: int) -> Figures:
    """Resident memory of waiting actors, after one message each."""
    awake = Finish(actors)
    settle()
    before = rss_bytes()
    refs = [Counter.start(1, awake.arrive, awake.arrive) for _ in range(actors)]
    for ref in refs:
        ref.tell(PING)
    awake.wait()
    settle()
    return {"actors": len(refs), "bytes": (rss_bytes() - before) / actors}


class Unlucky(Threaded):
    """Actor that crashes over poison and over messages failing once."""

    def __init__(self, handled: bytearray) -> None:
        super().__init__()
        self._handled = handled

    def on_receive(self, message: Any) -> None:
        """Have an effect, if all goes well."""
        if is_poison(message.n) or fails_once(message.n):
            raise Misfortune
        self._handled[message.n] += 1


def crash_storm(messages: int, actors: int) -> Figures:
    """The storm; a dead actor's messages are refused or lost, since pykka restarts no actor."""
    handled = bytearray(messages)
    refs = [Unlucky.start(handled) for _ in range(actors)]
    accepted = []
    settle()
    watch = Stopwatch()
    for number in range(messages):
        try:
            refs[number % actors].tell(Ping(n=number))
        except pykka.ActorDeadError:
            continue
        accepted.append(number)
    for ref in refs:
        ref.stop()
    elapsed = watch.read()
    lost_count = sum(not handled[number] and not is_poison(number) for number in accepted)
    figures = elapsed.per_message(messages)
    return {**figures, "accepted": len(accepted), "refused": messages - len(accepted), "lost": lost_count}
