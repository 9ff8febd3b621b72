"""Pacing of workers: after how much work the files are brought up to date, and how long a failure is respected."""

from __future__ import annotations

TURNS = 2
CALLS = 4
PAUSE_TURNS = 3
"""Turns that pass after a failure without another attempt."""
PAUSE_S = 30.0
LONGEST_PAUSE_S = 1_800.0


class Pacing:
    """Counter of what was done since the last attempt, and of failures in a row."""

    def __init__(self) -> None:
        self._turns = 0
        self._calls = 0
        self._failures = 0
        self._pause_turns = 0
        self._not_before_s = 0.0

    @property
    def is_due(self) -> bool:
        """True if enough turns or calls are done for the next attempt."""
        return self._turns >= TURNS or self._calls >= CALLS

    def turn_ended(self, calls: int) -> None:
        """A turn is over, in which so many commands were asked for."""
        self._turns += 1
        self._calls += calls
        self._pause_turns = max(0, self._pause_turns - 1)

    def begin(self) -> None:
        """An attempt is made."""
        self._turns = self._calls = 0

    def may_try(self, now_s: float) -> bool:
        """True if no failure forbids an attempt, by the monotonic clock."""
        return not self._pause_turns and now_s >= self._not_before_s

    def failed(self, now_s: float) -> None:
        """An attempt came to nothing: the next ones wait, the longer the more failed in a row."""
        self._failures += 1
        self._pause_turns = PAUSE_TURNS
        pause_s = min(LONGEST_PAUSE_S, PAUSE_S * 2 ** min(self._failures - 1, 10))
        self._not_before_s = now_s + (pause_s if self._failures > 1 else 0.0)

    def answered(self) -> None:
        """A model has answered at all."""
        self._failures = 0
        self._not_before_s = 0.0
