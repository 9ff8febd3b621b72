"""Pace of the facts of one conversation: number of turns that wait together, and the wait after the last turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from domain.policy.pacing import Balance

TURNS_A_CALL = 20
"""Number of turns for one call, and most turns that wait."""
MOST_EARNED = 2.0
"""Balance of calls of a new conversation: enough for the first two turns."""
LEAST_FOR_WISHES = -1.0
"""Balance below which turns wait although a person asks to remember a fact."""
QUIET_S = 10.0
"""Silence of a conversation after which waiting turns are worked on, at a balance of 0."""
LONGER = 16.0
"""Factor of the silence for each overdrawn call."""
LONGEST_QUIET_S = 3_600.0
LEAST_WAIT_S = 0.001
"""Shorter waits count as 0."""
FIRST_PAUSE_S = 30.0
"""Pause after a failure; doubled for each further failure in a row."""
LONGEST_PAUSE_S = 900.0
MOST_CHARS = 24_000
"""Most characters of all messages of one extraction; a longer message stands alone."""


@dataclass(slots=True)
class Pace:
    """Calls of one conversation, and the conversation's silence, by the monotonic clock.

    A conversation begins with a balance, so the first turns do not wait. In talk without a pause turns wait until
    their number or the balance pays for a call.
    """

    turns_a_call: int = TURNS_A_CALL
    """Number of turns for one call, and most turns of one extraction; 1 for no waits at all."""
    balance: Balance = field(init=False)
    _since_s: float = -math.inf
    """Last turn, attempt or failure."""
    _not_before_s: float = -math.inf
    _failures: int = 0
    _turns: int = 0
    """Turns since the last attempt."""

    def __post_init__(self) -> None:
        """Begin with the largest balance."""
        self.balance = Balance(most=MOST_EARNED, turns_a_call=self.turns_a_call)

    def end_turn(self, now_s: float) -> None:
        """A turn is over."""
        self.balance.earn()
        self._since_s = now_s
        self._turns += 1

    def remaining_s(self, now_s: float, *, is_asked: bool, is_worth: bool = False) -> float:
        """Seconds until waiting turns may be worked on; 0 for now.

        Args:
            now_s: Present time.
            is_asked: True if a turn asks to remember a fact.
            is_worth: True if the turns are worth a call: `turns_a_call` of the turns, or turns held up by a failure.
        """
        pause_s = max(0.0, self._not_before_s - now_s)
        has_wish = is_asked and self.balance.calls >= LEAST_FOR_WISHES and not self._failures
        if has_wish or (is_worth and (self._turns >= self.turns_a_call or not self._failures)):
            return pause_s
        left_s = max(pause_s, self._since_s + self._quiet_s - now_s)
        return left_s if left_s > LEAST_WAIT_S else 0.0

    def begin(self, now_s: float) -> None:
        """An attempt is made."""
        self._turns = 0
        self._since_s = now_s

    def is_over(self, now_s: float) -> bool:
        """True if the state has no further use: the conversation has been silent for the longest time."""
        return now_s - self._since_s > LONGEST_QUIET_S

    def note_failure(self, now_s: float) -> None:
        """Note a failed extraction."""
        self._failures += 1
        self._since_s = now_s
        self._not_before_s = now_s + min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(self._failures - 1, 10))

    def note_success(self) -> None:
        """Work was done."""
        self._failures = 0
        self._not_before_s = -math.inf

    @property
    def _quiet_s(self) -> float:
        calls = self.balance.calls
        if calls >= 1 or self.turns_a_call <= 1:
            return 0.0
        return min(LONGEST_QUIET_S, QUIET_S * math.pow(LONGER, min(-calls, 10.0)))


def batch_size(lengths: list[int], most: int) -> int:
    """Number of messages from the first on for one extraction, at least 1.

    Args:
        lengths: Characters of the messages.
        most: Most messages.
    """
    chars = 0
    for number, length in enumerate(lengths[: max(1, most)]):
        chars += length
        if number and chars > MOST_CHARS:
            return number
    return max(1, min(most, len(lengths)))
