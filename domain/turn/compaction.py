"""Compaction: turns to forget when a conversation's history grows too long, and turns to leave out of requests.

Oldest whole turns go, as one batch each time the limit is passed, so the beginning of requests changes once in
many turns. If another part prepares each cut (`awaits_cuts`), turns go only by a logged cut, or beyond twice the
limit; turns without an agreed cut are left out of requests only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from domain.turn.turn import Turn
from messages.base import TurnId

KEEP_SHARE = 0.75
"""Share of the limit left after a compaction, so the request's prefix changes once in many turns."""
HEAD_SHARE = 0.25
"""Largest share of the limit that the text at the head takes from the turns."""
CUT = "cut"
"""`what` of the system event to forget the turns before `first_kept`."""
_LOOKED_AT_EVERY = 16
"""Number of turns between checks for a history of twice its limit."""


def parts_of(block: str) -> tuple[str, ...]:
    """Names of a block's non-empty lists."""
    _, _, line = block.partition("\n")
    fields = json.loads(line) if line else {}
    return tuple(name for name, value in fields.items() if isinstance(value, list) and value)


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """A batch of turns to forget."""

    cut: tuple[Turn, ...]
    """The oldest first."""
    first_kept: TurnId
    kept_turns: int
    """Number of turns to keep."""


class Compaction:
    """Bound on the turns of one conversation; the same events leave the same turns."""

    def __init__(self, turns: dict[TurnId, Turn], limit_chars: int, *, awaits_cuts: bool = False) -> None:
        """Start with all turns remembered.

        Args:
            turns: The conversation's own turns, the oldest first; forgotten turns are taken out.
            limit_chars: Bound on a request's content besides its newest turn.
            awaits_cuts: True if another part prepares each cut.
        """
        self._turns = turns
        self._limit_chars = limit_chars
        self._awaits_cuts = awaits_cuts
        self._sized: set[TurnId] = set()
        self._left_out_before = TurnId("")
        """Turns before this turn are in no request, though not forgotten."""
        self.kept_from = TurnId("")
        """The first turn left by the last cut; empty without a cut."""

    def forget(self, turn_id: TurnId) -> None:
        """Note that a turn no longer exists."""
        self._sized.discard(turn_id)

    def forget_old(self, newest: TurnId) -> None:
        """Forget old turns, looking at each turn once, when the turn's first request is made.

        Sizes are the final sizes of earlier turns, so a conversation rebuilt from its log forgets the same turns.
        """
        if self._awaits_cuts:
            return
        total = 0
        for turn in list(self._turns.values()):
            if turn.id not in self._sized and not turn.is_off_record:
                self._sized.add(turn.id)
                total = self._forget_before(turn, total)
            if turn.id == newest:
                return
            total += 0 if turn.is_off_record else turn.size_chars

    def bound(self) -> None:
        """Forget old turns of an uncut history of more than twice the allowed length."""
        if not self._awaits_cuts or len(self._turns) % _LOOKED_AT_EVERY:
            return
        *before, newest = self._turns.values()
        total = sum(turn.size_chars for turn in before)
        if total + newest.prompt_chars > 2 * self._limit_chars:
            self._forget_before(newest, total)
            self.kept_from = next(iter(self._turns))

    def plan(self, newest_id: TurnId, head_chars: int = 0) -> CompactionPlan | None:
        """Turns to cut before a request for a turn is made; None for no cut.

        Args:
            newest_id: The request's turn.
            head_chars: Weighed length of the text at the head, which counts as history: up to a quarter of the bound,
                so a long text leaves room for turns.
        """
        newest = self._turns[newest_id]
        before = self._before(newest_id)
        left_out = self._before(self._left_out_before) if self._left_out_before in self._turns else []
        turns = before[len(left_out) :]
        head_chars = min(head_chars, int(self._limit_chars * HEAD_SHARE))
        total = head_chars + sum(turn.size_chars for turn in turns)
        goes = left_out
        if total + newest.prompt_chars > self._limit_chars:
            goes = [*left_out, *self._too_many(turns, newest, total)]
        return self._plan(goes, (*before[len(goes) :], newest))

    def plan_but(self, keep: int) -> CompactionPlan | None:
        """Cut of all but the newest `keep` turns, up to the first unfinished turn; None without a turn to cut."""
        turns = list(self._turns.values())
        goes = list[Turn]()
        for turn in turns[: len(turns) - keep]:
            if turn.is_unfinished:
                break
            goes.append(turn)
        return self._plan(goes, turns[len(goes) :])

    def cut(self, first_kept: TurnId) -> None:
        """Forget the finished turns before a turn; an unknown turn changes no history."""
        if first_kept not in self._turns:
            return
        for turn in self._before(first_kept):
            if not turn.is_unfinished:
                del self._turns[turn.id]
                self._sized.discard(turn.id)
        self.kept_from, self._left_out_before = first_kept, TurnId("")

    def leave_out(self, plan: CompactionPlan) -> None:
        """Have requests begin behind the plan's turns although no cut was agreed on."""
        self._left_out_before = plan.first_kept

    def in_requests(self) -> list[Turn]:
        """Turns permitted in a request, the oldest first."""
        turns = [turn for turn in self._turns.values() if not turn.is_off_record]
        start = self._left_out_before
        if start not in self._turns:
            return turns
        return turns[next(at for at, turn in enumerate(turns) if turn.id == start) :]

    def _plan(self, goes: list[Turn], staying: list[Turn] | tuple[Turn, ...]) -> CompactionPlan | None:
        return CompactionPlan(tuple(goes), staying[0].id, len(staying)) if goes and staying else None

    def _before(self, turn_id: TurnId) -> list[Turn]:
        before = list[Turn]()
        for turn in self._turns.values():
            if turn.id == turn_id:
                break
            before.append(turn)
        return before

    def _too_many(self, before: list[Turn], newest: Turn, total: int) -> list[Turn]:
        """Turns to remove among the turns before `newest`, a total of `total` characters."""
        goes = list[Turn]()
        for turn in before:
            if turn.is_unfinished or total + newest.prompt_chars <= self._limit_chars * KEEP_SHARE:
                break
            total -= turn.size_chars
            goes.append(turn)
        return goes

    def _forget_before(self, newest: Turn, total: int) -> int:
        """Forget turns before `newest` if too long; return the remaining length, given the total length."""
        if total + newest.prompt_chars <= self._limit_chars:
            return total
        for turn in self._too_many(self._before(newest.id), newest, total):
            total -= turn.size_chars
            del self._turns[turn.id]
            self._sized.discard(turn.id)
        return total
