"""Pacing of workers: amount of work before the files are brought up to date, cost, and effect of failures."""

from __future__ import annotations

from collections.abc import Mapping

TURNS = 2
CALLS = 4
TURNS_A_CALL = 10
"""Turns that earn one model call of upkeep, besides the calls of cuts."""
MOST_EARNED = 2.0
MOST_OWED = -2.0
"""Balance below which not even a cut waits for a call."""
PATIENCE_S = 3.0
"""Seconds of a cut's wait for one worker after which the next cuts do not wait any more."""
PAUSE_TURNS = 3
"""Turns after a failure without another attempt."""
PAUSE_S = 30.0
LONGEST_PAUSE_S = 1_800.0


class Balance:
    """Balance of the model calls for upkeep: turns earn calls, and each call is charged."""

    def __init__(
        self, calls: float = float("inf"), *, most: float = MOST_EARNED, turns_a_call: int = TURNS_A_CALL
    ) -> None:
        """Begin with a balance.

        Args:
            calls: Calls of the balance, negative if overdrawn.
            most: Greatest balance.
            turns_a_call: Number of turns for one call.
        """
        self.calls = min(calls, most)
        self._most = most
        self._turns_a_call = turns_a_call

    def earn(self) -> None:
        """A turn is over."""
        self.calls = min(self._most, self.calls + 1 / self._turns_a_call)

    def charge(self) -> None:
        """Charge a call, whatever the result."""
        self.calls -= 1


class Pacing:
    """Counter of work since the last attempt, of the calls' balance, and of failures in a row.

    A worker that fails, hangs, gives an unusable answer or takes long is remembered: until a worker has answered well
    and in time, no cut waits for workers.
    """

    def __init__(self, stored: Mapping[str, object] | None = None) -> None:
        """Go on from an earlier life's state, if any."""
        before = stored or {}
        balance = before.get("balance")
        is_number = isinstance(balance, int | float) and not isinstance(balance, bool)
        self._balance = Balance(float(balance)) if is_number else Balance()  # type: ignore[arg-type]
        self.is_failing = before.get("failing") is True
        """True if the last worker gave an unusable answer."""
        self.is_slow = before.get("slow") is True
        """True if a cut has waited long for a worker, without a quick worker since."""
        self._longest_s = 0.0
        """Of the workers of the wait in hand."""
        self._turns = 0
        self._calls = 0
        self._failures = 0
        self._pause_turns = 0
        self._not_before_s = 0.0

    def snapshot(self) -> dict[str, object]:
        """State for the next life."""
        return {"balance": round(self._balance.calls, 3), "failing": self.is_failing, "slow": self.is_slow}

    @property
    def is_due(self) -> bool:
        """True if enough turns or calls are done for the next attempt, and the attempt is earned."""
        return (self._turns >= TURNS or self._calls >= CALLS) and self._balance.calls >= 1

    @property
    def may_pay(self) -> bool:
        """True if a debt may be paid now: as soon as a cut would wait for a call, and before the cut waits."""
        return self._balance.calls >= MOST_OWED

    def may_wait(self, *, is_asked_for: bool) -> bool:
        """True if a cut may wait for workers; a person who asks for the cut waits for slow workers too."""
        if self.is_failing:
            return False
        return is_asked_for or (not self.is_slow and self._balance.calls >= MOST_OWED)

    def turn_ended(self, calls: int) -> None:
        """Note the end of a turn with a number of requested commands."""
        self._turns += 1
        self._calls += calls
        self._balance.earn()
        self._pause_turns = max(0, self._pause_turns - 1)

    def begin(self) -> None:
        """An attempt is made."""
        self._turns = self._calls = 0

    def may_try(self, now_s: float) -> bool:
        """True if no failure forbids an attempt, by the monotonic clock."""
        return not self._pause_turns and now_s >= self._not_before_s

    def pause(self, now_s: float) -> None:
        """Note a failed attempt: the next attempts wait, longer with more failures in a row."""
        self._failures += 1
        self._pause_turns = PAUSE_TURNS
        pause_s = min(LONGEST_PAUSE_S, PAUSE_S * 2 ** min(self._failures - 1, 10))
        self._not_before_s = now_s + (pause_s if self._failures > 1 else 0.0)

    def note_failure(self) -> None:
        """Note an unusable answer of a worker."""
        self.is_failing = True

    def charge(self) -> None:
        """A worker is asked, whatever comes of the call."""
        self._balance.charge()

    def begin_wait(self) -> None:
        """A cut waits for workers from now on."""
        self._longest_s = 0.0

    def end_wait(self) -> None:
        """A cut has waited for workers."""
        self.is_slow = self.is_slow or self._longest_s > PATIENCE_S

    def note_answer(self, after_s: float) -> None:
        """A worker has answered well, after so many seconds."""
        self._failures = 0
        self._not_before_s = 0.0
        self.is_failing = False
        self._longest_s = max(self._longest_s, after_s)
        if after_s <= PATIENCE_S:
            self.is_slow = False
