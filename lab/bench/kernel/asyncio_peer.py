"""Peer on asyncio, with the same workloads: one task and queue for each actor, all in one loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from lab.bench.kernel.message import Ping
from lab.bench.measure import PATIENCE_S, Elapsed, Figures, Finish, Stopwatch, rss_bytes, settle

T = TypeVar("T")
PING = Ping()


class TaskActor:
    """A queue, and a task that handles the queue's messages."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[object] = asyncio.Queue()
        self.task = asyncio.ensure_future(self._run())

    def tell(self, message: object) -> None:
        """Put `message` into the queue."""
        self.queue.put_nowait(message)

    def handle(self, message: object) -> None:
        """Act on a message."""
        raise NotImplementedError

    async def _run(self) -> None:
        get, handle = self.queue.get, self.handle
        while True:
            handle(await get())


class Server(TaskActor):
    """Responder to questions; each message is the asking actor."""

    def handle(self, message: object) -> None:
        """Answer at once."""
        if isinstance(message, TaskActor):
            message.tell(PING)


class Client(TaskActor):
    """Client that asks the next question after each answer."""

    def __init__(self, server: Server, questions: int, come: Callable[[], None]) -> None:
        super().__init__()
        self._server = server
        self._left = questions
        self._come = come

    def handle(self, message: object) -> None:  # noqa: ARG002 - an answer is an answer
        """Ask, or be done."""
        if self._left == 0:
            self._come()
            return
        self._left -= 1
        self._server.tell(self)


class Counter(TaskActor):
    """Counter of messages; reports the first and the last."""

    def __init__(self, last: int, first: Callable[[], None], come: Callable[[], None]) -> None:
        super().__init__()
        self._first, self._come = first, come
        self._last = last
        self._count = -1

    def handle(self, message: object) -> None:  # noqa: ARG002 - it only counts
        """Count a message."""
        self._count += 1
        if self._count == self._last:
            self._come()
        elif self._count == 0:
            self._first()


class Gathering:
    """A `Finish` awaited by a coroutine."""

    def __init__(self, parties: int) -> None:
        self._over = asyncio.Event()
        self.arrive = Finish(parties, self._over.set).arrive

    async def wait(self) -> None:
        """Return when all are done."""
        await asyncio.wait_for(self._over.wait(), PATIENCE_S)


def run_to_end(main: Coroutine[Any, Any, T]) -> T:
    """Result of `main`; unfinished tasks are left alone, since the process ends with the measurement."""
    return asyncio.new_event_loop().run_until_complete(main)


def request_reply(clients: int, servers: int, questions: int) -> Figures:
    """Questions by `clients` tasks at once, each waiting for its answer before asking again."""

    async def play() -> Elapsed:
        finish = Gathering(clients)
        answering = [Server() for _ in range(servers)]
        asking = [Client(answering[number % servers], questions, finish.arrive) for number in range(clients)]
        await asyncio.sleep(0)
        settle()
        watch = Stopwatch()
        for client in asking:
            client.tell(PING)
        await finish.wait()
        return watch.read()

    elapsed, round_trips = run_to_end(play()), clients * questions
    return {**elapsed.per_message(2 * round_trips), "round_trips_per_s": round_trips / elapsed.wall_s}


def fan_out(actors: int, messages: int) -> Figures:
    """One coroutine tells each of `actors` living actors in turn, `messages` times over, then lets the actors run.

    This is the best case for asyncio: a non-empty queue is read without a turn of the loop. If the sender let the
    actors run after each round, every message would cost a turn and the rate be a sixth.
    """

    async def play() -> Elapsed:
        awake, finish = Gathering(actors), Gathering(actors)
        living = [Counter(messages, awake.arrive, finish.arrive) for _ in range(actors)]
        for actor in living:
            actor.tell(PING)
        await awake.wait()
        settle()
        watch = Stopwatch()
        for _ in range(messages):
            for actor in living:
                actor.tell(PING)
        await finish.wait()
        return watch.read()

    return run_to_end(play()).per_message(actors * messages)


def idle_bytes(actors: int) -> Figures:
    """Resident memory of waiting actors, after one message each."""

    async def play() -> int:
        awake = Gathering(actors)
        settle()
        before = rss_bytes()
        living = [Counter(1, awake.arrive, awake.arrive) for _ in range(actors)]
        for actor in living:
            actor.tell(PING)
        await awake.wait()
        settle()
        return rss_bytes() - before

    return {"actors": actors, "bytes": run_to_end(play()) / actors}
