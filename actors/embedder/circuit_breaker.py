"""Circuit breaker: says whether the provider may be called now, after a pause, or not before a probe has succeeded."""

from __future__ import annotations

from typing import NamedTuple

from tenacity import RetryCallState, Retrying, wait_exponential, wait_random

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 300.0
LONGEST_ASKED_S = 3_600.0
"""A provider that asks for more is asked again after this."""
JITTER_S = 0.5
TICK_S = 0.001
"""A timer set to the end of a pause may fire this much before it, since clocks round."""


class Mark(NamedTuple):
    """State of the circuit breaker when a call begins."""

    round: int
    """Round of failures; -1 for a call that is made during a pause, which makes no pause longer."""
    successes: int


class CircuitBreaker:
    """Circuit breaker with two ways to stop calls: pauses with exponential backoff, and a trip.

    After a failure that may pass calls wait for a pause, each twice as long as the one before. After one that an
    operator has to mend the breaker is tripped: calls are refused until a success, which only a probe can bring. Every
    call remembers the round in which it began: of several that fail side by side only the first makes the pause
    longer. Questions wait for no pause but one that the provider itself has asked for.
    """

    def __init__(self) -> None:
        """Calls may be made."""
        self.refusal = ""
        """Why it is tripped; empty when it isn't."""
        self.failures = 0
        """Rounds that failed since the last success."""
        self.successes = 0
        """Calls that gave vectors."""
        self.is_down = False
        """True if the last pause began because no text at all was answered: a probe ends the pause."""
        self._round = 0
        self._paused_until = 0.0
        self._wished_until = 0.0
        self._wait = wait_exponential(FIRST_PAUSE_S, LONGEST_PAUSE_S, 2) + wait_random(0, JITTER_S)
        self._retrying = Retrying()

    def pause_left_s(self, now: float) -> float:
        """Seconds until the pause is over; 0 without one."""
        return max(0.0, self._paused_until - now)

    def asked_left_s(self, now: float) -> float:
        """Seconds until the wait that the provider asked for is over; 0 without one."""
        return max(0.0, self._wished_until - now)

    def mark(self, now: float) -> Mark:
        """The state to compare with when a call that begins now has ended."""
        return Mark(self._round if self.allows_calls(now) else -1, self.successes)

    def works_since(self, mark: Mark) -> bool | None:
        """True if the provider has answered since then; False if known to be down; None if unknown."""
        if self.successes > mark.successes:
            return True
        return False if self.is_down else None

    def allows_questions(self, now: float) -> bool:
        """True if calls for questions may be made."""
        return not self.refusal and now >= self._wished_until - TICK_S

    def allows_calls(self, now: float) -> bool:
        """True if calls may be made."""
        return not self.refusal and now >= self._paused_until - TICK_S

    def fail(self, mark: Mark, asked_wait_s: float | None, now: float) -> None:
        """Pause after a call that may work later, begun at `mark`, and as long as the provider asked at least."""
        if mark.round == self._round:
            self._round += 1
            self.failures += 1
            state = RetryCallState(self._retrying, None, (), {})
            state.attempt_number = self.failures
            self._paused_until = max(self._paused_until, now + float(self._wait(state)))
        if asked_wait_s:
            self._wished_until = max(self._wished_until, now + min(asked_wait_s, LONGEST_ASKED_S))
            self._paused_until = max(self._paused_until, self._wished_until)

    def succeed(self) -> None:
        """Forget what failed; a wait that the provider asked for stays."""
        self.successes += 1
        self.refusal = ""
        self.is_down = False
        self.failures = 0
        self._paused_until = self._wished_until

    def trip(self, refusal: str) -> None:
        """Make no calls until one that is made on purpose succeeds."""
        self.refusal = refusal
