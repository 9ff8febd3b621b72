"""Ageing of texts: shown texts that go when a request is made, and texts that may linger a while."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import Enum

from domain.objects.entries import RoundEnded
from domain.objects.state import CLOSED, FileObject, Output, Slot, WindowObjects, stays

KEEP_SHARE = 0.5
"""Share of the budget kept after an overflow, so the next overflow is far away."""
MANAGED_TOKENS = 2_000
"""Tokens for results of commands that only managed objects, the newest; excluded from all other bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Rules for staying active, in tokens of 4 characters."""

    results: int = 5
    """Outputs of one turn, the newest."""
    turns: int = 3
    """Turns back, the current turn included, whose outputs stay."""
    active_tokens: int = 30_000
    """Of files, and of outputs of earlier turns, together; the least recently touched go first."""
    pinned_tokens: int = 20_000
    """Tokens of pinned texts; pinned texts beyond count like the rest."""
    linger_tokens: int = 15_000
    """Tokens of ageing texts that may gather before removal, since each removal costs a cached prefix; 0 for at once.
    """
    total_tokens: int = 65_000
    """Tokens of all shown, unpinned texts. The newest turn's texts come first, then active texts."""
    big_tokens: int = 2_000
    """Size above which an output goes with the turn, and lingers only while there is room; 0 for no such rule."""


class Fate(Enum):
    """Fate of a text."""

    STAYS = "stays"
    AGED = "aged"
    """The text is to go, and may linger."""
    GOES = "goes"


def end_round(objects: WindowObjects, entry: RoundEnded, keep: Keep) -> tuple[Slot, ...]:
    """Decide the texts of this request; returns the new texts.

    After a removed text everything behind is sent anew, so aged texts behind go too; aged texts before
    linger up to a bound. Removal of lingering texts costs most, so half of the budget goes along.
    """
    objects.apply(entry)
    verdict = _Verdict(objects, keep)
    if keep.linger_tokens and not verdict.may_linger:
        verdict = _Verdict(objects, replace(keep, active_tokens=int(keep.active_tokens * KEEP_SHARE)), lingers=False)
    cut = _first_cut(objects, entry, verdict.fates)
    objects.slots = [
        slot
        for at, (slot, fate) in enumerate(zip(objects.slots, verdict.fates, strict=True))
        if fate is Fate.STAYS or (fate is Fate.AGED and verdict.may_linger and at < cut)
    ]
    objects.is_cut = False
    turns = objects.turns
    for event in [event for event, output in objects.outputs.items() if output.turn not in turns and not stays(output)]:
        del objects.outputs[event]
    return tuple(slot for slot in objects.slots if slot.born == objects.round - 1)


def _first_cut(objects: WindowObjects, entry: RoundEnded, fates: list[Fate]) -> int:
    """Index, among the texts, of the first difference from the last request."""
    if objects.is_cut:
        return 0
    cut = next((at for at, fate in enumerate(fates) if fate is Fate.GOES), len(fates))
    if entry.cut in objects.turns:
        resent = frozenset(objects.turns[objects.turns.index(entry.cut) :])
        cut = min(cut, next((at for at, slot in enumerate(objects.slots) if slot.turn in resent), cut))
    return cut


class _Verdict:
    """Fates of all texts, by one pass from the newest to the oldest."""

    def __init__(self, objects: WindowObjects, keep: Keep, *, lingers: bool = True) -> None:
        self._objects = objects
        self._keep = keep
        self._outputs = {output.object: output for output in objects.outputs.values()}
        self._away = {turn: len(objects.turns) - 1 - at for at, turn in enumerate(objects.turns)}
        self._pinned = self._managed = self._newest = self._fresh = 0
        """Tokens of pinned texts, of managing results, and of the newest turn; number of new texts."""
        self._count: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()
        """Tokens of newer outputs, turn by turn."""
        self._budgeted: list[tuple[int, int]] = []
        """Step of each text's last touch, and the text's place."""
        self.fates = [Fate.STAYS] * len(objects.slots)
        for at in range(len(objects.slots) - 1, -1, -1):
            self.fates[at] = self._fate(at, objects.slots[at])
        spent = self._spend()
        aged = sum(slot.tokens for slot, fate in zip(objects.slots, self.fates, strict=True) if fate is Fate.AGED)
        room = min(keep.linger_tokens, keep.total_tokens - self._newest - spent)
        self.may_linger = lingers and keep.linger_tokens > 0 and aged <= max(0, room)

    def _fate(self, at: int, slot: Slot) -> Fate:
        item: FileObject | Output | None = self._objects.files.get(slot.object) or self._outputs.get(slot.object)
        if slot.born == CLOSED or item is None:
            return Fate.GOES
        if item.is_pinned and self._pinned + slot.tokens <= self._keep.pinned_tokens:
            self._pinned += slot.tokens
            return Fate.STAYS
        if isinstance(item, Output) and not item.is_asked_for:
            return self._fate_of_output(at, item, slot)
        if isinstance(item, FileObject) and not item.is_active:
            return Fate.AGED
        is_new = slot.born == self._objects.round - 1 and self._fresh < self._keep.results
        if is_new and self._takes_room(slot):
            self._fresh += 1
        else:
            self._budgeted.append((item.touched, at))
        return Fate.STAYS

    def _fate_of_output(self, at: int, output: Output, slot: Slot) -> Fate:
        """Fate of an output without a request of the model, by turns and their number of results."""
        keep = self._keep
        if output.manages:
            self._managed += slot.tokens
            return Fate.STAYS if self._managed <= MANAGED_TOKENS else Fate.AGED
        away, rank = self._away.get(slot.turn, len(self._away)), self._count[slot.turn]
        self._count[slot.turn] += 1
        self._tokens[slot.turn] += slot.tokens
        is_kept = away < keep.turns and rank < keep.results
        is_big = 0 < keep.big_tokens < slot.tokens
        if is_kept and not away and self._takes_room(slot):
            return Fate.STAYS
        if is_big and (away or self._tokens[slot.turn] > keep.active_tokens + keep.linger_tokens):
            return Fate.GOES
        if is_kept and away:
            self._budgeted.append((output.touched, at))
            return Fate.STAYS
        return Fate.AGED

    def _takes_room(self, slot: Slot) -> bool:
        """True if a text of the newest turn, or a new text, has room; the very newest text always has."""
        has_room = not self._newest or self._newest + slot.tokens <= self._keep.total_tokens
        self._newest += slot.tokens if has_room else 0
        return has_room

    def _spend(self) -> int:
        """Age the least recently touched texts beyond the budget; returns the spent part of the budget."""
        budget, spent = min(self._keep.active_tokens, self._keep.total_tokens - self._newest), 0
        is_over = False
        for _, at in sorted(self._budgeted, reverse=True):
            slot = self._objects.slots[at]
            is_over = is_over or spent + slot.tokens > budget
            if is_over:
                self.fates[at] = Fate.AGED
                _deactivate(self._objects, slot.object)
            else:
                spent += slot.tokens
        return spent


def _deactivate(objects: WindowObjects, name: str) -> None:
    if file := objects.files.get(name):
        file.is_active = False
    elif output := objects.output_called(name):
        output.is_asked_for = False
