from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from actors.http_server.exchange import Exchange
from actors.kernel import Actor, ActorSpec, ActorSystem, LoopThread
from messages.base import Address, Message, RequestId
from messages.facts import StoreTurn, TurnStored
from messages.socket import Refused
from tests.patience import PATIENCE_S, eventually

ASKER, ANSWERER = Address("asker-of-test"), Address("answerer-of-test")


class Asker(Actor):
    """Has an exchange, whose answers it passes on."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = LoopThread("exchange", self)
        self.exchange = Exchange(self)
        self.heard = 0

    def on_start(self) -> None:
        self.loop.start()

    def handle(self, message: Message) -> None:
        self.heard += 1

    def on_stop(self) -> None:
        self.loop.stop()


class Answerer(Actor):
    """Answers as a test has it."""

    def __init__(self, answers: Callable[[StoreTurn], list[Message]]) -> None:
        super().__init__()
        self._answers = answers

    def handle(self, message: StoreTurn) -> None:
        for answer in self._answers(message):
            self.tell(message.reply_to, answer)


class Rig:
    def __init__(self) -> None:
        self.answers: Callable[[StoreTurn], list[Message]] = lambda asked: [TurnStored(request_id=asked.request_id)]
        self.asker = Asker()
        self.system = ActorSystem(workers=2)
        self.system.register(ActorSpec(ASKER.kind, lambda _key: self.asker, is_eager=True))
        self.system.register(ActorSpec(ANSWERER.kind, lambda _key: Answerer(lambda asked: self.answers(asked))))
        self.system.start()
        eventually(lambda: bool(self.asker.loop.ident))

    def ask(self, to: Address = ANSWERER, timeout_s: float = 20.0) -> Any:
        return self.asker.loop.submit(self.asker.exchange.answer_to(to, store, timeout_s)).result(PATIENCE_S)


store = partial(StoreTurn, conversation="c", turn_id="t")


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig()
    yield rig
    rig.system.stop(5.0)


def test_an_answer_comes_to_whom_it_is_for(rig: Rig) -> None:
    async def many() -> list[Any]:
        return await asyncio.gather(*(rig.asker.exchange.answer_to(ANSWERER, store, 20.0) for _ in range(50)))

    answers = rig.asker.loop.submit(many()).result(PATIENCE_S)
    assert len({answer.request_id for answer in answers if isinstance(answer, TurnStored)}) == 50


def test_of_two_answers_the_first_counts(rig: Rig) -> None:
    rig.answers = lambda asked: [
        Refused(request_id=asked.request_id, reason="no"),
        TurnStored(request_id=asked.request_id),
    ]

    assert isinstance(rig.ask(), Refused)
    assert isinstance(rig.ask(), Refused)


def test_an_answer_to_nobody_harms_nobody(rig: Rig) -> None:
    rig.answers = lambda asked: [
        TurnStored(request_id=RequestId("nobody")),
        TurnStored(request_id=asked.request_id),
    ]
    answer = rig.ask()

    assert isinstance(answer, TurnStored)
    assert answer.request_id != "nobody"


def test_who_is_not_answered_in_time_hears_none_and_a_late_answer_is_nothing(rig: Rig) -> None:
    asked: list[StoreTurn] = []

    def answers(message: StoreTurn) -> list[Message]:
        asked.append(message)
        return []

    rig.answers = answers

    assert rig.ask(timeout_s=0.05) is None
    eventually(lambda: bool(asked))
    rig.system.tell(ASKER, TurnStored(request_id=asked[0].request_id))
    eventually(lambda: rig.asker.heard == 1)
    rig.answers = lambda message: [TurnStored(request_id=message.request_id)]
    assert isinstance(rig.ask(), TurnStored)


def test_who_is_not_there_does_not_answer(rig: Rig) -> None:
    assert rig.ask(to=Address("nobody-of-test"), timeout_s=0.05) is None


def test_what_is_told_is_waited_for_by_nobody(rig: Rig) -> None:
    async def tell() -> None:
        rig.asker.exchange.tell(ANSWERER, store)

    rig.asker.loop.submit(tell()).result(PATIENCE_S)
    eventually(lambda: rig.asker.heard == 1)
