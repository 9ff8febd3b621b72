"""Circuit breaker: says whether the provider may be called now, after a pause, or not before a probe has succeeded."""

from __future__ import annotations

from tenacity import RetryCallState, Retrying, wait_exponential, wait_random

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 300.0
LONGEST_ASKED_S = 3_600.0
"""A provider that asks for more is asked again after this."""
JITTER_S = 0.5
TICK_S = 0.001
"""A timer set to the end of a pause may fire this much before it, since clocks round."""


class CircuitBreaker:
    """Circuit breaker with two ways to stop calls: pauses with exponential backoff, and a trip.

    After a failure that may pass calls wait for a pause, each twice as long as the one before. After one that an
    operator has to mend the breaker is tripped: calls are refused until a success, which only a probe can bring. Every
    call remembers the round in which it began: of several that fail side by side only the first makes the pause
    longer.
    """

    def __init__(self) -> None:
        """Calls may be made."""
        self.refusal = ""
        """Why it is tripped; empty when it isn't."""
        self.failures = 0
        """Rounds that failed since the last success."""
        self.round = 0
        self._paused_until = 0.0
        self._wished_until = 0.0
        self._wait = wait_exponential(FIRST_PAUSE_S, LONGEST_PAUSE_S, 2) + wait_random(0, JITTER_S)
        self._retrying = Retrying()

    def pause_left_s(self, now: float) -> float:
        """Seconds until the pause is over; 0 without one."""
        return max(0.0, self._paused_until - now)

    def allows_calls(self, now: float) -> bool:
        """Whether calls may be made."""
        return not self.refusal and now >= self._paused_until - TICK_S

    def fail(self, begun_in: int, asked_wait_s: float | None, now: float) -> None:
        """Pause after a call of round `begun_in` that may work later, and as long as the provider asked at least."""
        if begun_in == self.round:
            self.round += 1
            self.failures += 1
            state = RetryCallState(self._retrying, None, (), {})
            state.attempt_number = self.failures
            self._paused_until = max(self._paused_until, now + float(self._wait(state)))
        if asked_wait_s:
            self._wished_until = max(self._wished_until, now + min(asked_wait_s, LONGEST_ASKED_S))
            self._paused_until = max(self._paused_until, self._wished_until)

    def succeed(self) -> None:
        """Forget what failed; a wait that the provider asked for stays."""
        self.refusal = ""
        self.failures = 0
        self._paused_until = self._wished_until

    def trip(self, refusal: str) -> None:
        """Make no calls until one that is made on purpose succeeds."""
        self.refusal = refusal
