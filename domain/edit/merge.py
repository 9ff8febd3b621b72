"""Three-way merge: other people's edits, found by comparing two versions of a file and made again in a third."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

from domain.edit.lines import line_end


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place where lines were changed; lines are without their ends."""

    anchors: tuple[bytes, ...]
    """The lines before it, nearest first."""
    removed: tuple[bytes, ...]
    added: tuple[bytes, ...]
    counts: tuple[tuple[bytes, int], ...]
    """How often each of those lines stood in the new version as a whole."""


_ANCHORS = 8
"""Lines before a place that are remembered in order to find it again."""


def changes(old: bytes, new: bytes) -> tuple[Hunk, ...]:
    """What somebody did to `old` to make `new` of it, place by place, in order."""
    before, after = _bare_lines(old), _bare_lines(new)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    middle, changed = before[start : len(before) - end], after[start : len(after) - end]
    totals = Counter(after)
    return tuple(
        Hunk(
            anchors=tuple(reversed(before[max(0, start + i1 - _ANCHORS) : start + i1])),
            removed=tuple(middle[i1:i2]),
            added=tuple(changed[j1:j2]),
            counts=tuple((line, totals[line]) for line in {*middle[i1:i2], *changed[j1:j2]}),
        )
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, middle, changed, autojunk=False).get_opcodes()
        if tag != "equal"
    )


def apply(hunks: tuple[Hunk, ...], data: bytes) -> bytes:
    """`data` with those changes made, as far as they are not in it already; no added line is ever left out."""
    if not hunks:
        return data
    draft = _Draft(data)
    for hunk in hunks:
        draft.make(hunk)
    return b"\n".join(draft.lines)


def additions(hunks: tuple[Hunk, ...]) -> tuple[Hunk, ...]:
    """The same changes without what they take out."""
    return tuple(Hunk(hunk.anchors, (), hunk.added, hunk.counts) for hunk in hunks if hunk.added)


class _Draft:
    """Lines that are being changed."""

    def __init__(self, data: bytes) -> None:
        self.lines = data.split(b"\n")
        self._carriage_return = line_end(data).removesuffix(b"\n")
        self._bare = _bare_lines(data)
        self._there = Counter(self._bare)

    def make(self, hunk: Hunk) -> None:
        """Take out and put in what the hunk says, each only as often as its version had it less or more often."""
        counts, there = dict(hunk.counts), self._there
        doomed = [line for line in hunk.removed if line.strip() and there[line] > counts[line]]
        if not doomed and all(there[line] >= counts[line] for line in hunk.added):
            return
        place = self._place(hunk)
        for line in doomed:
            if there[line] > counts[line]:
                place = self._bare.index(line)
                del self.lines[place], self._bare[place]
                there[line] -= 1
        missing = []
        for line in hunk.added:
            if there[line] < counts[line]:
                missing.append(line)
                there[line] += 1
        if missing:
            self._insert(place, missing)

    def _place(self, hunk: Hunk) -> int:
        """Index before which added lines belong: after the nearest line that stood before them, else at the end."""
        for anchor in hunk.anchors:
            if anchor.strip() and self._there[anchor]:
                return self._bare.index(anchor) + 1
        return len(self._bare)

    def _insert(self, place: int, added: list[bytes]) -> None:
        """Put lines before index `place`; what follows the last line end is no line."""
        lines, carriage_return = self.lines, self._carriage_return
        fresh = [line + carriage_return for line in added]
        if place >= len(lines) and lines[-1:] == [b""]:
            place = len(lines) - 1
        if place >= len(lines):
            if lines:
                lines[-1] += carriage_return
            fresh[-1] = added[-1]
        lines[place:place] = fresh
        self._bare[place:place] = added


def _bare_lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return [line.removesuffix(b"\r") for line in lines] if b"\r" in data else lines
