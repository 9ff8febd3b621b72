"""Precedence of turns over the memory's own work: a piece of work waits for the turns in hand, though not for long."""

from __future__ import annotations

from actors.kernel import Host
from messages.base import TurnId

GIVES_WAY_S = 0.5
"""Longest precedence of a turn; an answer without a network call takes a tenth of the time.

After so long a turn waits for its model or a command, and the processors are free.
"""
LOOKS_S = 0.02
"""Between two looks whether the turns in hand are over."""


class TurnsInHand:
    """Turns in hand, each for the time of its precedence."""

    def __init__(self, host: Host) -> None:
        """Begin without turns.

        Args:
            host: Has the clock.
        """
        self.monotonic_s = host.monotonic
        self._until: dict[TurnId, float] = {}
        """Turn in hand -> end of its precedence."""

    def begin(self, turn_id: TurnId) -> None:
        """Note that a turn is in hand."""
        self._until[turn_id] = self.monotonic_s() + GIVES_WAY_S

    def end(self, turn_id: TurnId) -> None:
        """Note that a turn is over."""
        self._until.pop(turn_id, None)

    def have_precedence(self) -> bool:
        """True while a turn with precedence is in hand."""
        now_s = self.monotonic_s()
        self._until = {turn: until_s for turn, until_s in self._until.items() if now_s < until_s}
        return bool(self._until)


class GivingWay:
    """A kind of work that gives way to turns: each piece waits for turns, for a bounded time."""

    def __init__(self, turns: TurnsInHand, longest_s: float) -> None:
        """Begin without a piece that waits.

        Args:
            turns: Go first.
            longest_s: Longest wait of a piece, in seconds, however many turns come.
        """
        self._turns = turns
        self._longest_s = longest_s
        self._until_s: float | None = None
        """Moment from which the next piece waits no longer; None without a waiting piece."""

    def must_wait(self) -> bool:
        """True if the next piece is to wait; the caller looks again after `LOOKS_S`."""
        now_s = self._turns.monotonic_s()
        if self._until_s is None:
            self._until_s = now_s + self._longest_s
        if self._turns.have_precedence() and now_s < self._until_s:
            return True
        self._until_s = None
        return False
