"""Difference of two texts as a unified diff, in bounded time for any texts.

difflib alone takes minutes for two texts of 256 KiB in which every other line differs; `domain/text/patience.py` is
bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher

from domain.text.patience import match_lines

LONGEST = 256 * 1024
"""Most characters of a text; longer texts are not compared."""
_CONTEXT = 3
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NO_LINE_FEED = "\\ No newline at end of file"


def unified_diff(old: str, new: str, label_old: str, label_new: str, max_chars: int) -> str:
    """Unified diff from `old` to `new`; empty for equal texts, a sentence for a text too long to compare.

    Args:
        old: Only a line feed ends a line.
        new: As `old`.
        label_old: A single line.
        label_new: A single line.
        max_chars: Largest length; a longer diff is cut, with one more line about the cut.
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
    """Two sequences with known matching blocks."""

    def __init__(self, blocks: list[Match]) -> None:
        super().__init__(None, "", "")
        self._blocks = blocks

    def get_matching_blocks(self) -> list[Match]:
        """Given blocks, as the basis for groups of changes."""
        return self._blocks


def _diff(old: list[str], new: list[str], label_old: str, label_new: str) -> Iterator[str]:
    yield f"--- {label_old}"
    yield f"+++ {label_new}"
    for group in _Compared(match_lines(old, new)).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@"
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from _mark_lines(" ", old[old_from:old_to])
            else:
                yield from _mark_lines("-", old[old_from:old_to])
                yield from _mark_lines("+", new[new_from:new_to])


def _range(start: int, end: int) -> str:
    """Lines of a text as counted in a diff's head."""
    length = end - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"


def _mark_lines(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield _NO_LINE_FEED
