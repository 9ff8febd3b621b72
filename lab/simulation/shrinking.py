"""Shrinking: the schedule of a seed with a broken promise, made smaller while the same promise stays broken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from lab.simulation.schedule import Schedule

MOST_RUNS = 400
"""Runs after which a schedule counts as small enough."""
VARIANTS = 3
"""Chances tried with each smaller script: a removed scene shifts all later draws."""
Run = Callable[[Schedule], tuple[str, ...]]
"""Gives the faults of a schedule."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """Smallest schedule found."""

    schedule: Schedule
    faults: tuple[str, ...]
    runs: int
    """Number of runs of the search."""


def promise_of(fault: str) -> str:
    """The promise broken by a fault: the fault's words without numbers and quotations; once and repeated differ."""
    words = re.sub(r"\b(?:[2-9]|\d\d+) times\b", "many times", fault.replace("0 times", "no times"))
    words = re.sub(r"'[^']*'|\"[^\"]*\"|\([^()]*\)", "", words)
    return " ".join(re.sub(r"\S*\d\S*", "#", words).split())


def shrink(schedule: Schedule, faults: tuple[str, ...], run: Run) -> Shrunk:
    """Take out scenes in halves, quarters and so on, then one by one, as long as the first promise stays broken.

    Args:
        schedule: Schedule with a broken promise.
        faults: Its faults, >= 1.
        run: Runner of schedules.
    """
    promise, runs = promise_of(faults[0]), 0
    size = max(1, len(schedule.scenes()) // 2)
    while size:
        at, is_smaller = 0, False
        while at < len(schedule.scenes()):
            for candidate in _without(schedule, at, size):
                if runs == MOST_RUNS:
                    return Shrunk(schedule, faults, runs)
                runs += 1
                new_faults = run(candidate)
                if promise in map(promise_of, new_faults):
                    schedule, faults, is_smaller = candidate, new_faults, True
                    break
            else:
                at += size
        if size == 1 and is_smaller:
            continue
        size //= 2
    return Shrunk(schedule, faults, runs)


def _without(schedule: Schedule, at: int, size: int) -> Iterator[Schedule]:
    """The schedule without some scenes, first with its own chance."""
    numbers = list(schedule.scenes())
    only = tuple(numbers[:at] + numbers[at + size :])
    for step in range(VARIANTS):
        yield replace(schedule, only=only, variant=(schedule.variant + step) % VARIANTS)
