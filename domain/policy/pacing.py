"""Pacing of workers: after how much work the files are brought up to date, at what price, and what a failure stops."""

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
"""Seconds of one worker from which the next cuts wait no more, once a cut has waited so long."""
PAUSE_TURNS = 3
"""Turns that pass after a failure without another attempt."""
PAUSE_S = 30.0
LONGEST_PAUSE_S = 1_800.0


class Balance:
    """Balance of the model calls for upkeep: turns earn calls, and each call is charged."""

    def __init__(
        self, calls: float = float("inf"), *, most: float = MOST_EARNED, turns_a_call: int = TURNS_A_CALL
    ) -> None:
        """Begin with a balance.

        Args:
            calls: Calls of the balance, negative if it is overdrawn.
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
        """A call is made, whatever comes of it."""
        self.calls -= 1


class Pacing:
    """Counter of what was done since the last attempt, of the calls' balance, and of failures in a row.

    A worker that fails, hangs, answers what cannot be used or takes long is remembered: until one has answered well
    and in time, no cut waits for workers.
    """

    def __init__(self, stored: Mapping[str, object] | None = None) -> None:
        """Go on from what an earlier life kept, if anything."""
        before = stored or {}
        balance = before.get("balance")
        is_number = isinstance(balance, int | float) and not isinstance(balance, bool)
        self._balance = Balance(float(balance)) if is_number else Balance()  # type: ignore[arg-type]
        self.is_failing = before.get("failing") is True
        """True if the last worker gave nothing that could be used."""
        self.is_slow = before.get("slow") is True
        """True if a cut has waited long for a worker, and none was quick since."""
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
        """True if enough turns or calls are done for the next attempt, and it is earned."""
        return (self._turns >= TURNS or self._calls >= CALLS) and self._balance.calls >= 1

    @property
    def may_pay(self) -> bool:
        """True if what is owed may be made up for now: as soon as a cut would wait for a call, and before it does."""
        return self._balance.calls >= MOST_OWED

    def may_wait(self, *, is_asked_for: bool) -> bool:
        """True if a cut may wait for workers; a person who asks for the cut waits for slow workers too."""
        if self.is_failing:
            return False
        return is_asked_for or (not self.is_slow and self._balance.calls >= MOST_OWED)

    def turn_ended(self, calls: int) -> None:
        """A turn is over, in which so many commands were asked for."""
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
        """An attempt came to nothing: the next ones wait, the longer the more failed in a row."""
        self._failures += 1
        self._pause_turns = PAUSE_TURNS
        pause_s = min(LONGEST_PAUSE_S, PAUSE_S * 2 ** min(self._failures - 1, 10))
        self._not_before_s = now_s + (pause_s if self._failures > 1 else 0.0)

    def note_failure(self) -> None:
        """A worker gave nothing that can be used."""
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
