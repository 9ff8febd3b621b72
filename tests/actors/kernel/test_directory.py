"""Topics: who is told what actors publish, and for how long."""

from __future__ import annotations

from typing import Any

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from actors.kernel.directory import Topics
from messages.base import Address, RequestId
from messages.status import DescribeYourself
from tests.patience import eventually

ONE, TWO = Address("one"), Address("two")
WORD = DescribeYourself(request_id=RequestId("r"), reply_to=ONE)


def test_followers_are_told_once_in_the_order_in_which_they_began() -> None:
    topics = Topics()
    for address in (ONE, TWO, ONE):
        topics.follow("news", address)
    assert topics.of("news") == (ONE, TWO)
    assert topics.of("other") == ()


def test_who_leaves_leaves_one_topic_or_all() -> None:
    topics = Topics()
    for topic in ("news", "other"):
        topics.follow(topic, ONE)
        topics.follow(topic, TWO)
    topics.leave(ONE, "news")
    topics.leave(ONE, "never followed")
    assert (topics.of("news"), topics.of("other")) == ((TWO,), (ONE, TWO))
    topics.leave(TWO)
    assert (topics.of("news"), topics.of("other")) == ((), (ONE,))


class Follower(Actor):
    """Follows when it is told anything, and crashes when it is told that again."""

    def handle(self, message: Any) -> None:
        if self.followers("news"):
            raise RuntimeError("told")
        self.follow("news")


@pytest.mark.crashes
def test_a_restart_changes_nothing_and_the_end_of_an_address_everything() -> None:
    system = ActorSystem(workers=0, clock=ManualClock())
    system.register(ActorSpec("one", lambda _key: Follower()))
    system.start()
    edge = system.edge("listener")
    edge.follow("news")
    system.topics.leave(edge.address, "news")
    system.tell(ONE, WORD)
    system.run()
    assert system.topics.of("news") == (ONE,)
    system.tell(ONE, WORD)
    system.run()
    assert system.supervisor.crashes() == {"one": 1}
    assert system.topics.of("news") == (ONE,)

    edge.follow("news")
    edge.close()
    assert system.topics.of("news") == (ONE,)
    system.stop()
    assert system.topics.of("news") == ()


def test_an_actor_that_a_message_has_activated_during_the_start_is_not_started_a_second_time(
    live_system: ActorSystem,
) -> None:
    class Early(Actor):
        def on_start(self) -> None:
            self.tell(TWO, WORD)

        def handle(self, message: Any) -> None:
            """Ignore messages."""

    built, told = list[Actor](), list[Actor]()

    class Eager(Actor):
        def __init__(self) -> None:
            super().__init__()
            built.append(self)

        def handle(self, message: Any) -> None:
            told.append(self)

    live_system.register(ActorSpec(ONE.kind, lambda _key: Early(), core=True))
    live_system.register(ActorSpec(TWO.kind, lambda _key: Eager(), is_eager=True))
    live_system.start()
    live_system.tell(TWO, WORD)
    eventually(lambda: len(told) == 2)
    assert len(built) == 1
    assert told == [built[0], built[0]]
