"""Questions of an actor: the answer or the deadline comes to the continuation, once; a crash forgets all of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, LoopThread, ManualClock, ask_from_loop
from messages.base import Address, Message, RequestId
from tests.actors.kernel.players import AT_ONCE
from tests.patience import PATIENCE_S, eventually

ASKER, ANSWERER = Address("asker"), Address("answerer")


class Ask(Message, frozen=True, kw_only=True, gc=False):
    """Question to the answerer."""

    request_id: RequestId
    reply_to: Address
    n: int


class Answer(Message, frozen=True, kw_only=True, gc=False):
    """Answer to a question."""

    request_id: RequestId
    n: int


class Do(Message, frozen=True, kw_only=True, gc=False):
    """Word to the asker: ask, and do something in the continuation."""

    n: int
    deadline_s: float | None = 5.0
    crashes: bool = False


class Asker(Actor):
    """Asker that records messages."""

    def __init__(self, heard: list[object]) -> None:
        super().__init__()
        self.heard = heard
        self.ids: list[RequestId] = []

    def handle(self, message: Message) -> None:
        if not isinstance(message, Do):
            self.heard.append(("handled", getattr(message, "n", None)))
            return

        def go_on(answer: Answer | None) -> None:
            if message.crashes:
                raise RuntimeError("the continuation fails")
            self.heard.append((message.n, None if answer is None else answer.n))

        self.ids.append(self.ask(ANSWERER, partial(Ask, n=message.n), message.deadline_s, go_on))


class Answerer(Actor):
    """Actor that answers even numbers with ten times as much, and odd ones never."""

    def __init__(self, asked: list[Ask]) -> None:
        super().__init__()
        self.asked = asked

    def handle(self, message: Ask) -> None:
        self.asked.append(message)
        if message.n % 2 == 0:
            self.tell(message.reply_to, Answer(request_id=message.request_id, n=message.n * 10))


class World:
    """Asker and answerer in one system."""

    def __init__(self, system: ActorSystem, idle_s: float | None = None) -> None:
        self.system = system
        self.heard: list[object] = []
        self.asked: list[Ask] = []
        self.askers: list[Asker] = []
        system.register(ActorSpec("asker", self._asker, idle_s=idle_s, policy=AT_ONCE))
        system.register(ActorSpec("answerer", lambda _: Answerer(self.asked)))
        system.start()

    def _asker(self, _key: str) -> Asker:
        self.askers.append(Asker(self.heard))
        return self.askers[-1]

    def run(self, *messages: Message) -> list[object]:
        """Tell the asker, run all that is ready, and give all that was noted so far."""
        for message in messages:
            self.system.tell(ASKER, message)
        self.system.run()
        return self.heard


def test_an_answer_comes_to_its_continuation_and_not_to_the_handler(system: ActorSystem) -> None:
    assert World(system).run(Do(n=2), Do(n=4)) == [(2, 20), (4, 40)]


def test_the_deadline_calls_the_continuation_once_with_none(system: ActorSystem, clock: ManualClock) -> None:
    world = World(system)
    assert world.run(Do(n=1)) == []
    clock.advance(4.999)
    assert world.run() == []
    clock.advance(0.001)
    assert world.run() == [(1, None)]
    clock.advance(60)
    assert world.run() == [(1, None)]


def test_an_answer_cancels_the_deadline(system: ActorSystem, clock: ManualClock) -> None:
    World(system).run(Do(n=2))
    assert clock.next_due_s is None


def test_an_answer_behind_the_deadline_comes_to_the_handler(system: ActorSystem, clock: ManualClock) -> None:
    world = World(system)
    world.run(Do(n=1))
    clock.advance(5)
    world.run(Answer(request_id=world.asked[0].request_id, n=7))
    assert world.heard == [(1, None), ("handled", 7)]


def test_an_answer_and_a_deadline_that_come_together_call_the_continuation_once(
    system: ActorSystem, clock: ManualClock
) -> None:
    world = World(system)
    world.run(Do(n=1))
    system.tell(ASKER, Answer(request_id=world.asked[0].request_id, n=7))
    clock.advance(5)
    assert world.run() == [(1, 7)]


def test_answers_are_told_apart_by_their_ids(system: ActorSystem) -> None:
    world = World(system)
    world.run(Do(n=1), Do(n=3))
    first, second = (each.request_id for each in world.asked)
    world.run(Answer(request_id=second, n=30), Answer(request_id=first, n=10), Answer(request_id=first, n=11))
    assert world.heard == [(3, 30), (1, 10), ("handled", 11)]


def test_an_actor_that_asks_itself_handles_the_question_and_takes_the_answer(system: ActorSystem) -> None:
    heard: list[object] = []

    class Both(Actor):
        """Actor that answers itself."""

        def handle(self, message: Message) -> None:
            if isinstance(message, Do):
                self.ask(self.address, partial(Ask, n=2), 5.0, heard.append)
            elif isinstance(message, Ask):
                self.tell(message.reply_to, Answer(request_id=message.request_id, n=20))

    system.register(ActorSpec("both", lambda _: Both()))
    system.start()
    system.tell(Address("both"), Do(n=1))
    system.run()
    assert [each.n for each in heard if isinstance(each, Answer)] == [20]


def test_a_withdrawn_question_has_no_continuation_and_no_timer(system: ActorSystem, clock: ManualClock) -> None:
    world = World(system)
    world.run(Do(n=1))
    (asker,) = world.askers
    asker.withdraw(asker.ids[0])
    asker.withdraw(RequestId("unknown"))
    assert clock.next_due_s is None
    assert world.run(Answer(request_id=asker.ids[0], n=7)) == [("handled", 7)]


def test_a_question_without_a_deadline_waits_for_ever(system: ActorSystem, clock: ManualClock) -> None:
    world = World(system)
    world.run(Do(n=1, deadline_s=None))
    assert clock.next_due_s is None
    assert world.run(Answer(request_id=world.asked[0].request_id, n=7)) == [(1, 7)]


@pytest.mark.crashes
@pytest.mark.parametrize("n", [1, 2])
def test_a_continuation_that_fails_is_a_crash_that_forgets_every_question(
    system: ActorSystem, clock: ManualClock, n: int
) -> None:
    world = World(system)
    world.run(Do(n=3), Do(n=n, crashes=True))
    clock.advance(5)
    world.run()
    clock.advance(5)
    world.run(Answer(request_id=world.asked[0].request_id, n=30))
    assert len(world.askers) == 2
    assert world.heard[-1] == ("handled", 30)
    assert (3, 30) not in world.heard


def test_an_actor_that_waits_for_an_answer_stays_in_memory(system: ActorSystem, clock: ManualClock) -> None:
    world = World(system, idle_s=60)
    world.run(Do(n=1, deadline_s=500.0))
    clock.advance(400)
    world.run()
    clock.advance(100)
    assert world.run() == [(1, None)]
    assert len(world.askers) == 1


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    loop = LoopThread("test-loop")
    loop.start()
    yield loop
    loop.stop()


@pytest.mark.parametrize(("n", "expected"), [(2, 20), (1, None)])
def test_a_coroutine_asks_and_is_answered_or_times_out(loop: LoopThread, n: int, expected: int | None) -> None:
    system = ActorSystem(workers=2)
    world = World(system)
    system.tell(ASKER, Answer(request_id=RequestId("starts it"), n=0))
    eventually(lambda: bool(world.heard))
    (asker,) = world.askers
    make = partial(Ask, n=n)

    async def ask() -> int | None:
        try:
            answer: Answer = await ask_from_loop(asker, ANSWERER, make, PATIENCE_S if expected else 0.05)
        except TimeoutError:
            return None
        return answer.n

    try:
        assert loop.submit(ask()).result(PATIENCE_S) == expected
        assert not asker.questions
    finally:
        system.stop()
