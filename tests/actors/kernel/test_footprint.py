from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable

import pytest

from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from messages.base import Address
from tests.actors.kernel.players import Say

IDLE_ACTOR_BYTES = 1500


class Counting(Actor):
    """The least that an actor can be."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def handle(self, message: Say) -> None:
        self.count += 1


def growth_bytes(act: Callable[[], object]) -> int:
    """Memory that is held after `act` and was not before."""
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    act()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return after - before


def touch(system: ActorSystem, begin: int, end: int) -> None:
    for n in range(begin, end):
        system.tell(Address("counting", str(n)), Say(n=n))
    system.run()


@pytest.mark.slow
def test_an_idle_supervised_actor_costs_at_most_1500_bytes(system: ActorSystem) -> None:
    system.register(ActorSpec("counting", lambda key: Counting()))
    system.start()
    count = 2000

    assert growth_bytes(lambda: touch(system, 0, count)) / count <= IDLE_ACTOR_BYTES


@pytest.mark.slow
def test_windows_that_came_and_went_leave_nothing_behind(system: ActorSystem, clock: ManualClock) -> None:
    system.register(ActorSpec("counting", lambda key: Counting(), idle_s=60))
    system.start()

    def wave(number: int) -> None:
        touch(system, number * 200, number * 200 + 200)
        clock.advance(120)
        system.run()

    def waves() -> None:
        for number in range(1, 11):
            wave(number)

    wave(0)
    assert system.mailboxes() == []
    assert growth_bytes(waves) < 2000 * 10
    assert system.mailboxes() == []
