"""Circuit breaker: says whether the provider may be called now, after a pause, or not before a probe has succeeded."""

from __future__ import annotations

from typing import NamedTuple

from tenacity import RetryCallState, Retrying, wait_exponential, wait_random

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 300.0
LONGEST_ASKED_S = 3_600.0
"""Longest honoured wait; a provider that asks for more is called again after this."""
JITTER_S = 0.5
TICK_S = 0.001
"""A timer set to the end of a pause may fire this much before the end, since clocks round."""


class Mark(NamedTuple):
    """State of the circuit breaker when a call begins."""

    round: int
    """Round of failures; -1 for a call made during a pause, whose failure makes no pause longer."""
    successes: int


class CircuitBreaker:
    """Circuit breaker with two ways to stop calls: pauses with exponential backoff, and a trip.

    After a temporary failure calls wait for a pause, each twice as long as the pause before. A failure that an operator
    has to mend trips the breaker: calls are refused until a success, possible only by a probe. Every call remembers the
    round at the beginning: of several parallel failures only the first makes the pause longer. Questions wait only for
    a pause requested by the provider itself.
    """

    def __init__(self) -> None:
        """Calls may be made."""
        self.refusal = ""
        """Reason of the trip; empty while not tripped."""
        self.failures = 0
        """Failed rounds since the last success."""
        self.successes = 0
        """Calls with vectors."""
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
        """Seconds until the wait requested by the provider is over; 0 without one."""
        return max(0.0, self._wished_until - now)

    def mark(self, now: float) -> Mark:
        """State for the later judgement of a call that begins now."""
        return Mark(self._round if self.allows_calls(now) else -1, self.successes)

    def works_since(self, mark: Mark) -> bool | None:
        """True if the provider has answered since the mark; False if known to be down; None if unknown."""
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
        """Forget failures; a wait requested by the provider stays."""
        self.successes += 1
        self.refusal = ""
        self.is_down = False
        self.failures = 0
        self._paused_until = self._wished_until

    def trip(self, refusal: str) -> None:
        """Make no calls until a deliberate call succeeds."""
        self.refusal = refusal
