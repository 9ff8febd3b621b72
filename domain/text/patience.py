"""Patience matching: find the equal lines of two texts, in bounded time for any texts.

Lines that stand once in each text are matched first, in order; difflib compares only the lines between the matches.
If even this comparison may take long, equal lines are matched by count: the first with the first, the second with the
second.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import TypeVar

_MOST_COMPARISONS = 3_000_000
"""Most line comparisons by difflib for two texts: they take a tenth of a second."""
_MOST_COUNTED = 100_000
"""Most lines to match by count; a longer stretch has no matches."""

Line = TypeVar("Line", str, bytes)
Pair = tuple[int, int]
"""Places of the same line in the old and in the new text."""


def match_lines(old: Sequence[Line], new: Sequence[Line]) -> list[Match]:
    """Blocks of equal lines, in order in both; the last one is empty and stands at both ends, as difflib's does."""
    blocks: list[Match] = []
    begin: Pair = (0, 0)
    size = 0
    for pair in _pairs(old, new):
        if size and pair == (begin[0] + size, begin[1] + size):
            size += 1
            continue
        if size:
            blocks.append(Match(*begin, size))
        begin, size = pair, 1
    if size:
        blocks.append(Match(*begin, size))
    return [*blocks, Match(len(old), len(new), 0)]


def _pairs(old: Sequence[Line], new: Sequence[Line]) -> Iterator[Pair]:
    """Places of unchanged lines, in order."""
    steps = _MOST_COMPARISONS
    between: list[Pair]
    i = j = 0
    for next_i, next_j in (*_anchors(old, new), (len(old), len(new))):
        while i < next_i and j < next_j and old[i] == new[j]:
            yield i, j
            i, j = i + 1, j + 1
        same = _same_at_the_end(old, new, (i, j), (next_i, next_j))
        lost, added = old[i : next_i - same], new[j : next_j - same]
        cost = _cost(lost, added)
        if cost <= steps:
            steps -= cost
            between = _compare_lines(lost, added)
        elif len(lost) + len(added) <= _MOST_COUNTED:
            between = _anchors(_number_repeats(lost), _number_repeats(added))
        else:
            between = []
        yield from ((i + a, j + b) for a, b in between)
        yield from ((next_i - back, next_j - back) for back in range(same, 0, -1))
        i, j = next_i, next_j


def _same_at_the_end(old: Sequence[Line], new: Sequence[Line], begin: Pair, end: Pair) -> int:
    most = min(end[0] - begin[0], end[1] - begin[1])
    return next((n for n in range(most) if old[end[0] - 1 - n] != new[end[1] - 1 - n]), most)


def _cost(lost: Sequence[Line], added: Sequence[Line]) -> int:
    """Most steps of difflib: each of its searches sees every pair of equal lines."""
    counts = Counter(added)
    equal = sum(counts[line] for line in lost)
    return (len(lost) + equal) * (2 * min(equal, len(lost), len(added)) + 1)


def _compare_lines(lost: Sequence[Line], added: Sequence[Line]) -> list[Pair]:
    if not lost or not added:
        return []
    blocks = SequenceMatcher(None, lost, added, autojunk=False).get_matching_blocks()
    return [(a + n, b + n) for a, b, size in blocks for n in range(size)]


def _number_repeats(lines: Sequence[Line]) -> list[tuple[Line, int]]:
    """Each line with the number of equal earlier lines, so no pair occurs twice."""
    counts: Counter[Line] = Counter()
    counted = []
    for line in lines:
        counted.append((line, counts[line]))
        counts[line] += 1
    return counted


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Places of lines that occur once in each text: the longest sequence in order in both texts."""
    counts_old, counts_new = Counter(old), Counter(new)
    place = {line: j for j, line in enumerate(new) if counts_new[line] == 1}
    pairs = [(i, place[line]) for i, line in enumerate(old) if counts_old[line] == 1 and line in place]
    ends: list[int] = []  # of the rows of each length, the least place in `new` that one ends at
    at_end: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(at_end[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        at_end[length : length + 1] = [number]
    return _row(pairs, before, at_end[-1] if at_end else -1)


def _row(pairs: list[Pair], before: list[int], last: int) -> list[Pair]:
    row = []
    while last >= 0:
        row.append(pairs[last])
        last = before[last]
    return row[::-1]
