"""Ageing of texts: which of those that requests show go when a request is made, and which may linger a while."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import Enum

from domain.objects.entries import RoundEnded
from domain.objects.state import CLOSED, Output, Slot, WindowObjects, stays

KEEP_SHARE = 0.5
"""Share of the budget that is left where too much has gathered, so that the next time is far away."""
MANAGED_TOKENS = 2_000
"""Of results of commands that only managed objects, the newest; they count for nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Rules of what stays active, in tokens of 4 characters."""

    results: int = 5
    """Outputs of one turn, the newest."""
    turns: int = 3
    """Turns back, this one counted, whose outputs stay."""
    active_tokens: int = 30_000
    """Of files, and of outputs of earlier turns, together; the least recently touched go first."""
    pinned_tokens: int = 20_000
    """Of what is pinned; what is pinned beyond that counts like the rest."""
    linger_tokens: int = 15_000
    """Of what is to go: so much of it may gather before it goes, for each going costs a prefix; 0 for at once."""
    big_tokens: int = 2_000
    """A longer output goes with its turn, and lingers in that only while there is room; 0 for no such rule."""


class Fate(Enum):
    """What becomes of a text."""

    STAYS = "stays"
    AGED = "aged"
    """It is to go, and may linger."""
    GOES = "goes"


def end_round(objects: WindowObjects, entry: RoundEnded, keep: Keep) -> tuple[Slot, ...]:
    """Decide what this request shows; the texts that are new in it.

    Where one text goes, everything behind it is sent anew, so what has aged behind it goes too; what has aged before it
    lingers until there is too much of it. That going costs most, so it takes half of the budget along.
    """
    objects.apply(entry)
    fates = _fates(objects, keep)
    stays_aged = _tokens(objects, fates, Fate.AGED) <= keep.linger_tokens and keep.linger_tokens > 0
    if keep.linger_tokens and not stays_aged:
        fates = _fates(objects, replace(keep, active_tokens=int(keep.active_tokens * KEEP_SHARE)))
    cut = _first_cut(objects, entry, fates)
    objects.slots = [
        slot
        for at, (slot, fate) in enumerate(zip(objects.slots, fates, strict=True))
        if fate is Fate.STAYS or (fate is Fate.AGED and stays_aged and at < cut)
    ]
    objects.is_cut = False
    shown = objects.turns
    for event in [event for event, output in objects.outputs.items() if output.turn not in shown and not stays(output)]:
        del objects.outputs[event]
    return tuple(slot for slot in objects.slots if slot.born == objects.round - 1)


def _tokens(objects: WindowObjects, fates: list[Fate], wanted: Fate) -> int:
    """Of all texts that one thing becomes of."""
    return sum(slot.tokens for slot, fate in zip(objects.slots, fates, strict=True) if fate is wanted)


def _first_cut(objects: WindowObjects, entry: RoundEnded, fates: list[Fate]) -> int:
    """Where, among the texts, the request stops to be what the last one was."""
    if objects.is_cut:
        return 0
    cut = next((at for at, fate in enumerate(fates) if fate is Fate.GOES), len(fates))
    if entry.cut in objects.turns:
        resent = frozenset(objects.turns[objects.turns.index(entry.cut) :])
        cut = min(cut, next((at for at, slot in enumerate(objects.slots) if slot.turn in resent), cut))
    return cut


def _fates(objects: WindowObjects, keep: Keep) -> list[Fate]:
    """What becomes of each text, in their order."""
    fates = [Fate.STAYS] * len(objects.slots)
    left = keep.pinned_tokens
    budgeted: list[tuple[int, int]] = []
    newer = _Newer()
    outputs = {output.object: output for output in objects.outputs.values()}
    distance = {turn: len(objects.turns) - 1 - at for at, turn in enumerate(objects.turns)}
    for at in range(len(objects.slots) - 1, -1, -1):
        slot = objects.slots[at]
        file, output = objects.files.get(slot.object), outputs.get(slot.object)
        if slot.born == CLOSED or (file is None and output is None):
            fates[at] = Fate.GOES
            continue
        if (file or output).is_pinned and slot.tokens <= left:  # type: ignore[union-attr]
            left -= slot.tokens
        elif file is not None and file.is_active:
            budgeted.append((file.touched, at))
        elif file is not None:
            fates[at] = Fate.AGED
        elif output is not None:
            away = distance.get(slot.turn, len(distance))
            fates[at] = _fate_of_output(output, slot, keep, away=away, newer=newer)
            if fates[at] is Fate.STAYS and (away or output.is_asked_for) and not output.manages:
                budgeted.append((output.touched, at))
    _spend(objects, budgeted, fates, keep)
    return fates


@dataclass(slots=True)
class _Newer:
    """Tally of the outputs that are newer than the one that is looked at, turn by turn."""

    count: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    managed: int = 0
    """Tokens of results that only managed objects, of all turns."""


def _fate_of_output(output: Output, slot: Slot, keep: Keep, *, away: int, newer: _Newer) -> Fate:
    """What turns and their number of results make of an output's text.

    Args:
        output: Whose.
        slot: Where it stands.
        keep: The rules.
        away: How many turns ago that is.
        newer: What has been looked at; counted on.
    """
    if output.is_asked_for:
        return Fate.STAYS
    if output.manages:
        newer.managed += slot.tokens
        return Fate.STAYS if newer.managed <= MANAGED_TOKENS else Fate.AGED
    rank = newer.count[slot.turn]
    newer.count[slot.turn] += 1
    newer.tokens[slot.turn] += slot.tokens
    is_big = 0 < keep.big_tokens < slot.tokens
    is_crowded = newer.tokens[slot.turn] > keep.active_tokens + keep.linger_tokens
    if is_big and (away or (rank >= keep.results and is_crowded)):
        return Fate.GOES
    return Fate.STAYS if away < keep.turns and rank < keep.results else Fate.AGED


def _spend(objects: WindowObjects, budgeted: list[tuple[int, int]], fates: list[Fate], keep: Keep) -> None:
    """Let the least recently touched go that the budget does not reach; what is new is shown at least once."""
    spent, fresh = 0, 0
    for _, at in sorted(budgeted, reverse=True):
        slot = objects.slots[at]
        if slot.born == objects.round - 1 and fresh < keep.results:
            fresh += 1
            continue
        spent += slot.tokens
        if spent > keep.active_tokens:
            fates[at] = Fate.AGED
            _deactivate(objects, slot.object)


def _deactivate(objects: WindowObjects, name: str) -> None:
    if file := objects.files.get(name):
        file.is_active = False
    elif output := objects.output_called(name):
        output.is_asked_for = False
