"""Instants of a kill, and the account of killed turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from lab.bench.measure import Figures


class Instant(StrEnum):
    """Instant of a turn at which the turn's process is killed, in the order of the turn."""

    FIRST_CALL = "first call"
    BEFORE_COMMAND = "before command"
    COMMAND_BEGUN = "command begun"
    """In the command, before the effect."""
    COMMAND_DONE = "command done"
    """In the command, after the effect."""
    AFTER_COMMAND = "after command"
    SECOND_CALL = "second call"
    BEFORE_POST = "before post"
    POST_UNSEEN = "post unseen"
    """In the post, before Discord has the message."""
    POST_SEEN = "post seen"
    """In the post, after Discord has the message, before Discord's answer."""
    AFTER_POST = "after post"


BOUNDARIES = (Instant.BEFORE_COMMAND, Instant.AFTER_COMMAND, Instant.BEFORE_POST, Instant.AFTER_POST)
"""Instants at a random time between two steps."""
STEPS = 4
"""Steps of a turn: two model calls, a command, a post."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Times of one turn without a kill, in seconds since 1970."""

    asked_at: float
    begun: float
    done: float
    asked_again: float
    posting: float

    def gap_s(self, instant: Instant) -> float:
        """Seconds from one step to the next at a boundary; the record after the post takes as long as elsewhere."""
        match instant:
            case Instant.BEFORE_COMMAND:
                return self.begun - self.asked_at
            case Instant.BEFORE_POST:
                return self.posting - self.asked_again
            case _:
                return self.asked_again - self.done


def median_gaps(timelines: Sequence[Timeline]) -> Mapping[Instant, float]:
    """Median of each boundary's length, in seconds."""
    return {each: max(0.0, median(line.gap_s(each) for line in timelines)) for each in BOUNDARIES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Outcome of one turn killed once."""

    instant: Instant
    effects: int
    """Count of the command's effects."""
    answers: int
    """Answers in the channel."""
    is_stopped: bool = False
    """True if the system reports that the turn does not go on without help."""
    goes_on_s: float | None = None
    """Seconds from the start of the next process to the first request, command or post; None without remaining work."""
    restart_cpu_s: float | None = None
    """CPU of the next process until the turn was answered; None without remaining work."""


def figures_of(outcomes: Sequence[Outcome]) -> Figures:
    """Account of turns."""
    medians = {
        name: [value for each in outcomes if (value := getattr(each, name)) is not None]
        for name in ("goes_on_s", "restart_cpu_s")
    }
    figures: Figures = {
        "kills": len(outcomes),
        "answered": sum(each.answers > 0 for each in outcomes),
        "stopped": sum(each.is_stopped and not each.answers for each in outcomes),
        "lost": sum(not (each.is_stopped or each.answers) for each in outcomes),
        "effects_doubled": sum(each.effects > 1 for each in outcomes),
        "effects_missing": sum(each.answers > 0 and not each.effects for each in outcomes),
        "answers_doubled": sum(each.answers > 1 for each in outcomes),
    }
    return figures | {name: median(values) for name, values in medians.items() if values}


def rows_of(system: str, outcomes: Sequence[Outcome], cost: Figures) -> dict[str, Figures]:
    """Row of a system, and a row for each instant with a turn of not exactly one effect and one answer."""
    rows = {system: figures_of(outcomes) | cost}
    for instant in Instant:
        of_instant = [each for each in outcomes if each.instant is instant]
        if any((each.effects, each.answers) != (1, 1) for each in of_instant):
            rows[f"{system}: {instant}"] = figures_of(of_instant)
    return rows
