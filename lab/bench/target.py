"""Target of a benchmark: a figure that has to be reached."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """Figure that has to be reached."""

    name: str
    figure: str
    at_most: float
    is_speed: bool = False
    """Whether small sizes say nothing of it."""
