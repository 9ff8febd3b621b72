from __future__ import annotations

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem
from messages.base import Address, Message
from tests.actors.kernel.players import Say


class _Silent(Actor):
    def handle(self, message: Message) -> None:
        pass


def route_elsewhere(system: ActorSystem) -> list[tuple[Address, Message]]:
    taken: list[tuple[Address, Message]] = []

    def route(to: Address, message: Message) -> bool:
        if to.kind == "nobody":
            return False
        taken.append((to, message))
        return True

    system.reach_elsewhere(route)
    return taken


def test_what_is_told_to_a_kind_that_is_not_here_goes_elsewhere(system: ActorSystem) -> None:
    taken = route_elsewhere(system)
    system.tell(Address("other", "1"), Say(n=1))

    assert taken == [(Address("other", "1"), Say(n=1))]
    assert system.dead_letters.count == 0


def test_what_nobody_takes_is_a_dead_letter(system: ActorSystem) -> None:
    route_elsewhere(system)
    system.tell(Address("nobody"), Say(n=1))

    assert system.dead_letters.count == 1


@pytest.mark.req("X-153")
def test_an_edge_and_a_registered_kind_are_here_and_not_elsewhere(system: ActorSystem) -> None:
    taken, edge = route_elsewhere(system), system.edge("test")
    system.register(ActorSpec("here", lambda _key: _Silent()))
    system.tell(edge.address, Say(n=1))
    system.tell(Address("here", "1"), Say(n=2))

    assert edge.drain() == [Say(n=1)]
    assert Address("here", "1") in list(system)
    assert taken == []


def test_who_follows_what_can_be_decided_elsewhere(system: ActorSystem) -> None:
    one, two = Address("edge", "1"), Address("edge", "2")
    system.topics.follow("runs", one)
    system.topics.replace({"runs": (two,), "other": (one,)})

    assert system.topics.of("runs") == (two,)
    assert system.topics.all() == {"runs": (two,), "other": (one,)}
