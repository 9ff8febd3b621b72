"""Phases of a load, with scripted stages and a bot of scripted usage."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from lab.load.drive import SILENCE_S, Drive, all_overhead, harness_of
from lab.load.meter import Usage
from lab.load.plan import Counted, Phase, Progress, State
from tests.lab.load.profiles.drive import PLAN

PHASE = Phase(name="burst", threads=2, turns=1)


def state(*, is_over: bool = False, silent_s: float = 0.0, replied: int = 0) -> State:
    return State(is_over=is_over, replied=replied, total=2, silent_s=silent_s)


class Stage:
    """Either stage; `states` are given one after the other, the last again and again."""

    pid = None

    def __init__(self, states: Iterable[State] = ()) -> None:
        self.states = list(states)
        self.begun: list[Phase] = []

    def call(self, method: str, *arguments: Any) -> Any:
        if method == "begin":
            self.begun += arguments
        elif method == "state":
            return self.states.pop(0) if len(self.states) > 1 else self.states[0]
        elif method == "end":
            times = array("d", [0.7, 0.9])
            return Counted(sent=2, replied=2, seconds=2.0, late=0, commands=0, reply_times_s=times)
        elif method == "request_count":
            return 7
        return None


class Bot:
    """Uses so much CPU from one look to the next, and nothing more behind the last."""

    def __init__(self, *used_s: float) -> None:
        self.is_running = True
        self.folder = Path("/nonexistent")
        self._used_s = list(used_s)
        self._cpu_s = 10.0

    def usage(self) -> Usage:
        self._cpu_s += self._used_s.pop(0) if self._used_s else 0.0
        return Usage(self._cpu_s, 300.0)


class Clock:
    """A second passes with each look at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def drive(stage: Stage, bot: Bot) -> Drive:
    no_waiting = threading.Event()
    no_waiting.set()
    return Drive(PLAN, stage, Stage(), bot, Clock(), no_waiting)  # type: ignore[arg-type]


def test_a_phase_is_played_to_its_end_and_costs_what_the_bot_used_also_after_it() -> None:
    stage = Stage([state(), state(replied=1), state(is_over=True, replied=2)])
    #                  begin, each state, end, after it: at work, at work, quiet
    player = drive(stage, Bot(0.0, 0.5, 0.5, 0.5, 0.1, 0.3, 0.2, 0.0, 9.0))
    progress_lines: list[Progress] = []
    player.on_progress = progress_lines.append

    played = player.play(PHASE)

    assert stage.begun == [PHASE]
    assert played.cpu_s == pytest.approx(2.1)
    assert played.cpu_ms_per_turn == pytest.approx(1050)
    assert played.load is not None
    assert played.load.cpu_s == pytest.approx(1.6)
    report = played.report()
    assert (report.turns_per_s, report.timed_out, report.rss_mb) == (1.0, False, 300.0)
    assert played.overhead.p50 == pytest.approx(200.0)
    assert [each.replied for each in progress_lines] == [0, 1, 2]
    assert player.played == [played]


def test_a_phase_that_is_tried_out_does_not_count() -> None:
    player = drive(Stage([state(is_over=True)]), Bot())

    player.try_out(PHASE)

    assert player.played == []


@pytest.mark.parametrize("silent_s", [SILENCE_S, SILENCE_S + 60.0])
def test_nothing_is_hoped_for_from_a_bot_that_is_silent_for_too_long(silent_s: float) -> None:
    player = drive(Stage([state(silent_s=silent_s), state(is_over=True)]), Bot())

    assert player.play(PHASE).timed_out is (silent_s > SILENCE_S)


def test_nothing_is_hoped_for_from_a_bot_that_has_ended() -> None:
    bot = Bot()
    bot.is_running = False

    assert drive(Stage([state()]), bot).play(PHASE).timed_out


def test_a_phase_may_take_no_longer_than_it_is_given() -> None:
    assert drive(Stage([state()]), Bot()).play(PHASE).timed_out  # each look takes a second, and the plan gives ten


def test_the_overhead_of_several_phases_is_that_of_all_their_replies() -> None:
    player = drive(Stage([state(is_over=True)]), Bot())
    phases = [player.play(PHASE), player.play(PHASE)]

    assert all_overhead(phases, 0.5).p95 == pytest.approx(400.0)
    assert all_overhead([], 0.5).p50 is None


def test_a_harness_of_which_nothing_is_known_bounds_nobody() -> None:
    player = drive(Stage([state(is_over=True)]), Bot())

    assert harness_of([], "agent") == ((), "unknown")
    (tool,), bound = harness_of([player.play(PHASE)], "agent")
    assert (tool.name, bound in ("machine", "traffic")) == ("tool", True)
    assert player.model_calls() == 7


def test_an_agent_that_does_not_say_how_many_windows_it_has_is_taken_for_one_that_has_some() -> None:
    assert drive(Stage(), Bot()).windows_in_memory() == 1
