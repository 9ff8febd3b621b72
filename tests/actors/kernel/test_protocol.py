"""The protocol of mailbox and supervisor: all short plays, and long ones at random."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.actors.kernel.world import ENOUGH_S, World

pytestmark = pytest.mark.crashes

MOVES: dict[str, Callable[[World], None]] = {
    "tell": World.tell,
    "tell what fails once": lambda world: world.tell(failures=1),
    "tell poison": lambda world: world.tell(failures=1000),
    "run": World.run_one,
    "restart": lambda world: world.pass_time(ENOUGH_S),
    "passivate": World.ask_to_leave,
    "stop": World.stop_actor,
    "drain": World.drain,
}
BEGINNINGS = {
    "nobody lives": (),
    "a message waits": ("tell",),
    "an actor lives": ("tell", "run"),
    "an actor was told to stop and messages wait behind that": ("tell", "run", "stop", "tell", "tell"),
    "an actor was asked to leave and messages came": ("tell", "run", "passivate", "tell", "tell"),
    "an actor rests with its mailbox kept": ("tell what fails once", "tell", "run", "tell"),
    "poison has one try left": ("tell poison", "tell", "run", "restart", "run", "restart"),
}
"""States that many moves lead up to, so that few more are enough to see what becomes of them."""
MOVES_IN_A_PLAY = 5 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 3


def test_every_short_play_keeps_every_message_in_exactly_one_place_and_order(subtests: pytest.Subtests) -> None:
    for beginning in BEGINNINGS:
        with subtests.test(beginning=beginning):
            for moves in itertools.product(MOVES, repeat=MOVES_IN_A_PLAY):
                world = World()
                for name in (*BEGINNINGS[beginning], *moves):
                    MOVES[name](world)
                    world.check()
                world.end()


class Play(RuleBasedStateMachine):
    """Moves in any order, by two senders, to two windows."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()

    @rule(
        sender=st.sampled_from("st"),
        key=st.sampled_from("ab"),
        failures=st.sampled_from([0, 0, 0, 1, 2, 3, 1000]),
        count=st.integers(1, 40),
    )
    def tell(self, sender: str, key: str, failures: int, count: int) -> None:
        self.world.tell(sender, key, failures)
        for _ in range(count - 1):
            self.world.tell(sender, key)

    @rule(count=st.integers(1, 3))
    def run(self, count: int) -> None:
        for _ in range(count):
            self.world.run_one()

    @rule(seconds=st.sampled_from([0.05, 0.3, 31.0, 61.0, 500.0]))
    def pass_time(self, seconds: float) -> None:
        self.world.pass_time(seconds)

    @rule()
    def passivate(self) -> None:
        self.world.ask_to_leave()

    @rule(key=st.sampled_from("ab"))
    def stop(self, key: str) -> None:
        self.world.stop_actor(key)

    @rule()
    def drain(self) -> None:
        self.world.drain()

    @invariant()
    def holds(self) -> None:
        self.world.check()

    def teardown(self) -> None:
        self.world.end()


Play.TestCase.settings = settings(stateful_step_count=30)
TestPlay = pytest.mark.crashes(Play.TestCase)
