from __future__ import annotations

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem
from actors.observer.tap import Tap
from messages.base import Address, RequestId
from messages.embedder import EMBEDDER, EmbedTexts, TextRole
from messages.status import DescribeYourself, SelfDescription

ASKED = Address("asked")


class Asker(Actor):
    """Asks the embedder when it is asked itself."""

    def handle(self, message: DescribeYourself) -> None:
        question = EmbedTexts(request_id=RequestId("inner"), reply_to=self.address, texts=("x",), role=TextRole.QUERY)
        self.tell(EMBEDDER, question)
        self.tell(message.reply_to, SelfDescription(request_id=message.request_id, about="asked", figures=()))


def system_of() -> ActorSystem:
    system = ActorSystem(workers=0)
    system.register(ActorSpec(ASKED.kind, lambda _key: Asker()))
    system.start()
    return system


def test_questions_and_answers_are_heard_with_the_question_that_they_come_from() -> None:
    system = system_of()
    edge, tap = system.edge("e"), Tap(system.clock.monotonic)
    system.overhear(tap)

    system.tell(ASKED, DescribeYourself(request_id=RequestId("outer"), reply_to=edge.address))
    system.run()

    heard = tap.take()
    assert [(each.to, type(each.message).__name__, each.within) for each in heard] == [
        (ASKED, "DescribeYourself", None),
        (EMBEDDER, "EmbedTexts", "outer"),
        (edge.address, "SelfDescription", None),
    ]
    assert tap.counts == {ASKED: 1, EMBEDDER: 1, edge.address: 1}
    assert tap.take() == []
    assert len(edge.drain()) == 1


@pytest.mark.req("X-185")
def test_while_nobody_listens_telling_is_what_it_was() -> None:
    system = system_of()
    before = system.tell
    first, second = Tap(system.clock.monotonic), Tap(system.clock.monotonic)
    system.overhear(first)
    system.overhear(second)
    assert system.tell != before
    system.untap(first)
    system.tell(ASKED, DescribeYourself(request_id=RequestId("outer"), reply_to=Address("asker")))
    assert (first.counts, second.counts) == ({}, {ASKED: 1})
    system.untap(second)
    assert system.tell == before


def test_a_listener_that_fails_keeps_no_message_from_its_actor_nor_from_another_listener(
    caplog: pytest.LogCaptureFixture,
) -> None:
    system = system_of()
    edge = system.edge("e")

    def fail(_to: Address, _message: object) -> None:
        raise RuntimeError("deaf")

    tap = Tap(system.clock.monotonic)
    system.overhear(fail)
    system.overhear(tap)
    system.tell(ASKED, DescribeYourself(request_id=RequestId("outer"), reply_to=edge.address))
    system.run()

    assert len(edge.drain()) == 1
    assert caplog.text.count("was removed") == 1
    assert tap.counts == {ASKED: 1, EMBEDDER: 1, edge.address: 1}
    system.untap(tap)
    assert "tell" not in vars(system)
