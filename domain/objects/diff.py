"""Difference of two texts as a unified diff, in bounded time whatever they are.

difflib alone takes minutes for two texts of 256 KiB in which every other line differs. So lines that stand once in each
text are matched first, in order; difflib compares only what lies between them, as long as it has steps left, and what
is left over is shown as replaced.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher

LONGEST = 256 * 1024
"""Characters of a text; longer ones are not compared."""
_MOST_COMPARISONS = 3_000_000
"""Comparisons of lines that difflib may make in one diff, if the worst comes to the worst."""
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
    room = max_chars + 1
    for line in _diff(_LINE.findall(old), _LINE.findall(new), label_old, label_new):
        lines.append(line[: max(0, room)])
        room -= len(line) + 1
        if room < 0:
            lines.append(f"(the rest of the diff is left out: it has more than {max_chars} characters)")
            break
    return "\n".join(lines)


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
            yield from ((i + a, j + b) for a, b in _compared(lost, added))
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


def _compared(lost: list[str], added: list[str]) -> Iterator[Pair]:
    if lost and added:
        for a, b, size in SequenceMatcher(None, lost, added, autojunk=False).get_matching_blocks():
            yield from ((a + n, b + n) for n in range(size))


def _anchors(old: list[str], new: list[str]) -> list[Pair]:
    """Places of lines that stand once in each text: the longest row of them that is in order in both."""
    counts_old, counts_new = Counter(old), Counter(new)
    place = {line: j for j, line in enumerate(new) if counts_new[line] == 1}
    pairs = [(i, place[line]) for i, line in enumerate(old) if counts_old[line] == 1 and line in place]
    ends: list[int] = []  # of rows of each length, the least place in `new` that one of them ends at
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
