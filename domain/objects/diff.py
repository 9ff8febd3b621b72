"""Difference of two texts as a unified diff, in bounded time whatever they are.

difflib alone takes minutes for two texts of 256 KiB in which every other line differs. So lines that stand once in each
text are matched first, in order; difflib compares only what lies between them. Where that too may take long, the first
of the lines that are equal is matched with the first, the second with the second.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import Match, SequenceMatcher

LONGEST = 256 * 1024
"""Characters of a text; longer ones are not compared."""
_MOST_COMPARISONS = 3_000_000
"""Comparisons of lines that difflib may make in one diff, if the worst comes to the worst."""
_MOST_COUNTED = 100_000
"""Lines that are matched by their count; what has more is replaced as a whole."""
_CONTEXT = 3
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NO_LINE_FEED = "\\ No newline at end of file"

Pair = tuple[int, int]
"""Places of the same line in the old and in the new text."""


def unified(old: str, new: str, label_old: str, label_new: str, max_chars: int) -> str:
    """The unified diff from `old` to `new`; empty if they are equal, a sentence if one is too long to be compared.

    Args:
        old: Only a line feed ends a line.
        new: Likewise.
        label_old: Of one line.
        label_new: Likewise.
        max_chars: What is longer is cut, which one more line then says.
    """
    if old == new:
        return ""
    if max(len(old), len(new)) > LONGEST:
        return f"(not compared: {len(old)} and {len(new)} characters; {LONGEST} are the most that can be)"
    lines: list[str] = []
    size = -1
    for line in _diff(_LINE.findall(old), _LINE.findall(new), label_old, label_new):
        lines.append(line)
        size += len(line) + 1
        if size > max_chars:
            break
    text = "\n".join(lines)
    if size <= max_chars:
        return text
    return f"{text[:max_chars]}\n(the rest of the diff is left out: it has more than {max_chars} characters)"


class _Compared(SequenceMatcher[str]):
    """Two sequences whose matching blocks are known."""

    def __init__(self, blocks: list[Match]) -> None:
        super().__init__(None, "", "")
        self._blocks = blocks

    def get_matching_blocks(self) -> list[Match]:
        """Those blocks; all that groups of changes are made from."""
        return self._blocks


def _diff(old: list[str], new: list[str], label_old: str, label_new: str) -> Iterator[str]:
    yield f"--- {label_old}"
    yield f"+++ {label_new}"
    for group in _Compared(_blocks(old, new)).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from _marked(" ", old[old_from:old_to])
            else:
                yield from _marked("-", old[old_from:old_to])
                yield from _marked("+", new[new_from:new_to])


def _range(start: int, end: int) -> str:
    """Lines of a text as a diff's head counts them."""
    length = end - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield _NO_LINE_FEED


def _blocks(old: list[str], new: list[str]) -> list[Match]:
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


def _pairs(old: list[str], new: list[str]) -> Iterator[Pair]:
    """Places of lines that stay, in order."""
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
            between = _compared(lost, added)
        elif len(lost) + len(added) <= _MOST_COUNTED:
            between = _anchors(_counted(lost), _counted(added))
        else:
            between = []
        yield from ((i + a, j + b) for a, b in between)
        yield from ((next_i - back, next_j - back) for back in range(same, 0, -1))
        i, j = next_i, next_j


def _same_at_the_end(old: list[str], new: list[str], begin: Pair, end: Pair) -> int:
    most = min(end[0] - begin[0], end[1] - begin[1])
    return next((n for n in range(most) if old[end[0] - 1 - n] != new[end[1] - 1 - n]), most)


def _cost(lost: list[str], added: list[str]) -> int:
    """Steps that difflib takes at most: each of its searches sees every pair of equal lines."""
    counts = Counter(added)
    equal = sum(counts[line] for line in lost)
    return (len(lost) + equal) * (2 * min(equal, len(lost), len(added)) + 1)


def _compared(lost: list[str], added: list[str]) -> list[Pair]:
    if not lost or not added:
        return []
    blocks = SequenceMatcher(None, lost, added, autojunk=False).get_matching_blocks()
    return [(a + n, b + n) for a, b, size in blocks for n in range(size)]


def _counted(lines: list[str]) -> list[tuple[str, int]]:
    """Each line with how many equal ones stand before it, so that none is there twice."""
    counts: Counter[str] = Counter()
    counted = []
    for line in lines:
        counted.append((line, counts[line]))
        counts[line] += 1
    return counted


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Places of what stands once in each: the longest row of such places that is in order in both."""
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
