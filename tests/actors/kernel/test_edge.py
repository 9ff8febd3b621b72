from __future__ import annotations

import threading

import pytest

from actors.kernel import ActorSystem
from messages.base import Address
from tests.actors.kernel.players import Say, Stage
from tests.patience import PATIENCE_S


def test_an_edge_gives_what_it_was_told_oldest_first(system: ActorSystem) -> None:
    edge = system.edge("test")
    for n in range(3):
        system.tell(edge.address, Say(n=n))

    assert edge.receive(0) == Say(n=0)
    assert edge.drain() == [Say(n=1), Say(n=2)]
    assert edge.drain() == []


def test_what_is_not_wanted_stays_for_later_in_its_order(system: ActorSystem) -> None:
    edge = system.edge("test")
    for n in range(4):
        system.tell(edge.address, Say(n=n))

    assert edge.receive(0, lambda message: message == Say(n=2)) == Say(n=2)
    assert edge.drain() == [Say(n=0), Say(n=1), Say(n=3)]


def test_nothing_in_time_is_a_timeout_that_names_the_edge(system: ActorSystem) -> None:
    with pytest.raises(TimeoutError, match=r"edge/test: no such message within 0\.01 s"):
        system.edge("test").receive(0.01)


def test_two_threads_that_wait_at_one_edge_each_get_what_they_want(live_system: ActorSystem) -> None:
    edge = live_system.edge("test")
    got: dict[int, object] = {}

    def wait_for(n: int) -> None:
        got[n] = edge.receive(PATIENCE_S, lambda message: message == Say(n=n))

    threads = [threading.Thread(target=wait_for, args=(n,)) for n in (1, 2)]
    for thread in threads:
        thread.start()
    for n in (2, 3, 1):
        live_system.tell(edge.address, Say(n=n))
    for thread in threads:
        thread.join()

    assert got == {1: Say(n=1), 2: Say(n=2)}
    assert edge.drain() == [Say(n=3)]


def test_an_edge_tells_actors(system: ActorSystem) -> None:
    stage = Stage(system)
    system.edge("test").tell(Address("player"), Say(n=5))
    system.run()

    assert stage.heard == [5]


def test_a_key_names_one_edge_until_that_is_closed(system: ActorSystem) -> None:
    edge = system.edge("test")
    with pytest.raises(ValueError, match="edge 'test' exists already"):
        system.edge("test")
    edge.close()
    system.tell(edge.address, Say())

    assert system.dead_letters.counts() == {"no such actor": 1}
    assert system.edge("test").address == edge.address
