"""Passages: turns of one talk at most two steps apart; a block shows a passage under one path and line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from domain.memory.hybrid import EPISODE_GAP

GAP = 2
"""Most steps from a turn of a passage to the next one: between two there may be one turn that is left out."""
NEXT = "\n"
"""Stands between a turn and the next one; no excerpt holds a line's end."""
LEFT_OUT = "\n…\n"
"""Stands where a turn is left out."""


class Neighbour(NamedTuple):
    """A turn with the two before it in its window.

    Attributes:
        row: Its number in the index.
        before: Row of the previous turn, 0 if there is none.
        second: Row of the turn before `before`, 0 if there is none.
        timestamp: When it was said, milliseconds since the epoch.
    """

    row: int
    before: int
    second: int
    timestamp: int


def number_turns(turns: Iterable[Neighbour]) -> dict[int, int]:
    """Row -> number; those of turns in one passage differ by their distance, and others of a window by more than `GAP`.

    A silence that ends an episode ends a passage.
    """
    numbers: dict[int, int] = {}
    times: dict[int, int] = {}
    last = 0
    for turn in sorted(turns, key=lambda turn: (turn.timestamp, turn.row)):
        beside = ((turn.before, 1), (turn.second, 2))
        near = (
            numbers[row] + step
            for row, step in beside
            if row in numbers and turn.timestamp - times[row] <= EPISODE_GAP.total_seconds() * 1000
        )
        numbers[turn.row] = next(near, last + GAP + 1)
        times[turn.row] = turn.timestamp
        last = max(last, numbers[turn.row])
    return numbers


def separator(steps: int) -> str:
    """Separator of two turns of a passage that are so many steps apart."""
    return NEXT if steps == 1 else LEFT_OUT
