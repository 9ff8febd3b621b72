"""What stands in for the world around the playground's parts."""

from __future__ import annotations


class HandClock:
    """A clock that moves when told to, in seconds since 1970."""

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self.now = start

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
