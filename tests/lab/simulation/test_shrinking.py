"""Shrinking: what is left of a script breaks the same promise, and nothing of it can be left out."""

from __future__ import annotations

import pytest

from lab.simulation.schedule import Schedule, numbers_in, ranges_of
from lab.simulation.shrinking import MOST_RUNS, promise_of, shrink

LOST, DOUBLED = "q7 of channel/91 (12.3 s) was answered 0 times ()", "q7 of channel/91 (9.0 s) was answered 2 times ()"


@pytest.mark.req("X-244")
def test_a_script_is_cut_down_to_the_scenes_that_break_the_promise() -> None:
    schedule = Schedule(8, layers=())
    numbers = list(schedule.scenes())
    needed = {numbers[2], numbers[-1]}

    def run(tried: Schedule) -> tuple[str, ...]:
        return (LOST.replace("q7", "q1"),) if needed <= tried.scenes().keys() else (DOUBLED,)

    smaller = shrink(schedule, (LOST,), run)
    assert smaller.schedule.only == tuple(sorted(needed))
    assert smaller.faults == (LOST.replace("q7", "q1"),)
    assert smaller == shrink(schedule, (LOST,), run)


def test_another_chance_is_tried_where_a_smaller_script_keeps_the_promise() -> None:
    smaller = shrink(
        Schedule(8, layers=()), (LOST,), lambda tried: (LOST,) * (tried.only is None or tried.variant == 2)
    )
    assert smaller.schedule == Schedule(8, variant=2, only=(), layers=())


def test_shrinking_ends_after_so_many_runs() -> None:
    numbers = list(Schedule(8).scenes())
    smaller = shrink(Schedule(8), (LOST,), lambda tried: (LOST,) * (len(tried.scenes()) >= len(numbers) - 1))
    assert smaller.runs <= MOST_RUNS
    assert len(smaller.schedule.scenes()) == len(numbers) - 1


def test_a_promise_is_a_fault_without_what_belongs_to_one_run() -> None:
    assert promise_of(LOST) == promise_of(LOST.replace("q7", "q12").replace("91", "92").replace("12.3", "1"))
    assert promise_of(DOUBLED) == promise_of(DOUBLED.replace("2 times", "13 times"))
    assert promise_of(LOST) != promise_of(DOUBLED)


@pytest.mark.parametrize(("numbers", "text"), [((), "none"), ((4,), "4"), ((0, 3, 7, 8, 9), "0,3,7-9")])
def test_scenes_are_named_on_a_command_line(numbers: tuple[int, ...], text: str) -> None:
    assert ranges_of(numbers) == text
    assert numbers_in(text) == numbers


def test_a_scene_that_the_script_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="scene 999: seed 8 has the scenes 0 to"):
        Schedule(8, only=(999,)).scenes()
