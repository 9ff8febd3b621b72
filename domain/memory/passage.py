"""Passages: turns of one talk at most two steps apart; a block shows a passage under one path and line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from domain.memory.hybrid import EPISODE_GAP

GAP = 2
"""Most steps between successive turns of a passage: a single turn may be left out in between."""
NEXT = "\n"
"""Separator of successive turns; no excerpt holds a line's end."""
LEFT_OUT = "\n…\n"
"""Stands where a turn is left out."""


class Neighbour(NamedTuple):
    """Turn with the two turns before in the same window.

    Attributes:
        row: Row number in the index.
        before: Row of the previous turn, 0 without a previous turn.
        second: Row of the turn before `before`, 0 without such a turn.
        timestamp: Time of the turn, milliseconds since the epoch.
    """

    row: int
    before: int
    second: int
    timestamp: int


def number_turns(turns: Iterable[Neighbour]) -> dict[int, int]:
    """Row -> number; turns of a passage differ by their distance, other turns of a window by more than `GAP`.

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
    """Separator of two turns of a passage, by their distance in steps."""
    return NEXT if steps == 1 else LEFT_OUT
