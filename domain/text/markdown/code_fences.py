"""Code blocks of a markdown text: the fenced lines, and math between two lines `$$`; an unclosed one is no block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_FENCE = re.compile(
    r"[ \t]*(?P<bullet>(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?P<fence>`{3,}|~{3,}|\$\$(?=\s*$))(?P<rest>.*)", re.DOTALL
)


class _Mark(NamedTuple):
    """Line that may open or close a block."""

    number: int
    sign: str
    size: int
    opens: bool
    closes: bool


class CodeFences:
    """Finder of the code blocks among lines; each mark is examined only a few times."""

    def __init__(self, lines: Sequence[str], *, behind_bullets: bool = False) -> None:
        """Find every line that may open or close a block.

        Args:
            lines: With or without their ends.
            behind_bullets: Whether a block may be opened behind the mark of a bullet, too.
        """
        self._marks = [
            mark
            for number, line in enumerate(lines)
            if ("```" in line or "~~~" in line or "$$" in line)
            and (mark := _mark_in(number, line, behind_bullets)) is not None
        ]
        self._places = {mark.number: place for place, mark in enumerate(self._marks)}
        self._longest: list[int] = []
        """For each mark the length of the longest later mark that could close the block."""
        longest = {"`": 0, "~": 0, "$": 0}
        for mark in reversed(self._marks):
            self._longest.append(longest[mark.sign])
            if mark.closes:
                longest[mark.sign] = max(longest[mark.sign], mark.size)
        self._longest.reverse()

    def marked_lines(self) -> Iterator[int]:
        """Numbers of the lines that may open or close a block, from the top."""
        return (mark.number for mark in self._marks)

    def last_of(self, number: int) -> int | None:
        """The last line of the block opened by a line; None without a closed block."""
        place = self._places.get(number)
        if place is None or not self._marks[place].opens or self._marks[place].size > self._longest[place]:
            return None
        marks, opening = self._marks, self._marks[place]
        while True:  # `_longest` says that a later mark closes the block.
            place += 1
            mark = marks[place]
            if mark.closes and mark.sign == opening.sign and mark.size >= opening.size:
                return mark.number

    def blocks(self) -> Iterator[tuple[int, int]]:
        """The first and the last line of each block, from the top."""
        behind = 0
        for mark in self._marks:
            if mark.number >= behind and (last := self.last_of(mark.number)) is not None:
                yield mark.number, last
                behind = last + 1


def _mark_in(number: int, line: str, behind_bullets: bool) -> _Mark | None:
    """Mark in a line; None for a line without a mark."""
    match = _FENCE.match(line)
    if match is None:
        return None
    bullet, fence, rest = match.group("bullet", "fence", "rest")
    if bullet and not behind_bullets:
        return None
    sign = fence[0]
    return _Mark(number, sign, len(fence), sign == "~" or sign not in rest, not bullet and not rest.strip())
