"""A machine that sleeps in the middle of a turn: the steady clock stood still, the wall clock jumped, Discord is gone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from actors.kernel import Clock
from actors.kernel.clock import Timer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Stage, answered_once, bot_texts, say
from tests.patience import PATIENCE_S, eventually

SLEEP = timedelta(hours=8)


class SleptClock(Clock):
    """Clock of a machine that has slept: the wall clock went on, and nothing else."""

    def __init__(self, before: Clock) -> None:
        self._before = before

    def now(self) -> datetime:
        """The time after the sleep."""
        return self._before.now() + SLEEP

    def monotonic(self) -> float:
        """Steady seconds, without the sleep."""
        return self._before.monotonic()

    def call_later(self, delay_s: float, action: Callable[[], object]) -> Timer:
        """A timer of the clock before."""
        return self._before.call_later(delay_s, action)

    def close(self) -> None:
        """End the timers."""
        self._before.close()


@pytest.mark.slow
@pytest.mark.req("X-258")
def test_a_sleep_in_the_middle_of_a_turn_costs_no_command_no_word_and_no_reminder(stage: Stage) -> None:
    server = stage.server
    assert "tea" in stage.ask("remind me to drink tea in 60 minutes")
    thread = server.create_thread(GENERAL_ID, "a turn")
    server.say(thread, "run: touch begun; sleep 3; echo slept through")
    eventually((stage.data / "work" / "discord-thread" / str(thread) / "begun").exists)

    stage.agent.system.clock = SleptClock(stage.agent.system.clock)
    server.op9(resumable=False)
    say(stage, "said to a machine that sleeps", thread)
    server.wait_until_online(timeout_s=PATIENCE_S)
    say(stage, "said behind the sleep", thread)

    answered_once(stage, "said to a machine that sleeps", "said behind the sleep", window=thread)
    assert sum("slept through\n" in text for text in bot_texts(server, thread)) == 1
    eventually(lambda: any("drink tea\n" in text and " late" in text for text in bot_texts(server)))
    assert sum(text.startswith("⏰") for text in bot_texts(server)) == 1
