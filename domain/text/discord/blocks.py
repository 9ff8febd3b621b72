"""Tables and lists within a message: a cut keeps them whole or falls between rows and outer items."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from domain.text.discord.lines import FENCE, Line, Lines
from domain.text.discord.spans import Span

_INDENTED = re.compile(r"(?: {2,}|\t)\s*\S")
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*\r?\n?|[ \t]*\|-+\|\s*")
_EDGE = re.compile(r"\s*\|(?!\|)")
_SPOILER = "||"
_TAB = 4


class Joint(NamedTuple):
    """Place to cut a block."""

    at: int
    """Beginning of a row or item."""
    level: int
    """Depth of the item in its list, 0 for outer ones and for rows."""


class Block(NamedTuple):
    """A table or a list."""

    begin: int
    """Beginning of the first line."""
    end: int
    """Beginning of the line after the block."""
    joints: tuple[Joint, ...]
    """Places within, in order."""
    head: Span
    """Head of a table with the line of dashes; empty for a list."""


class Blocks:
    """Tables and lists of one text."""

    def __init__(self, text: str, lines: Lines) -> None:
        """Read the text once."""
        self._text = text
        self._lines = lines.lines
        self._parents = _parents(text, lines.lines)
        runs = [*_runs(text, lines.lines)]
        self._tables = [block for run in runs for block in self._tables_of(run)]
        self._lists = [block for run in runs for block in self._lists_of(run)]
        self._begins = [line.begin for line in lines.lines]

    def around(self, at: int) -> Block | None:
        """Table, else list, around a cut at `at`; None without a block."""
        return _around(self._tables, at) or _around(self._lists, at)

    def table_head(self, at: int) -> str:
        """Head of the table of which a later row begins at `at`; empty at other places."""
        table = _around(self._tables, at)
        is_row = table is not None and bool(joints_between(table.joints, at, at))
        return self._text[table.head.begin : table.head.end] if table is not None and is_row else ""

    def items_around(self, at: int) -> tuple[Line, ...]:
        """Items around the line at `at`, the outermost first, the line's own item included."""
        items: list[Line] = []
        number = bisect_right(self._begins, at) - 1
        while number >= 0:
            if self._lines[number].is_item:
                items.append(self._lines[number])
            number = self._parents[number]
        return tuple(reversed(items))

    def _tables_of(self, run: range) -> Iterator[Block]:
        """Tables among adjacent lines: rows around a line of dashes, with all lines above that begin with a bar."""
        for _, group in groupby(run, key=self._is_row):
            rows = [*group]
            if not self._is_row(rows[0]):
                continue
            delimiters = [place for place, row in enumerate(rows) if place and _DELIMITER.fullmatch(self._words(row))]
            if not delimiters:
                continue
            dashes = delimiters[0]
            first = dashes - 1
            while first and _EDGE.match(self._words(rows[first - 1])):
                first -= 1
            begin, body = self._lines[rows[first]].begin, rows[dashes + 1 :]
            joints = tuple(Joint(self._lines[row].begin, 0) for row in body)
            yield Block(begin, self._lines[rows[-1]].end, joints[1:], Span(begin, self._lines[rows[dashes]].end))

    def _is_row(self, number: int) -> bool:
        return "|" in self._words(number).replace(_SPOILER, "")

    def _words(self, number: int) -> str:
        """Line without the quote mark."""
        line = self._lines[number]
        return self._text[line.begin + len(line.quote) : line.end]

    def _lists_of(self, run: range) -> Iterator[Block]:
        """Lists among adjacent lines, each with the content of the items and the blank lines between."""
        first = last = -1
        joints: list[Joint] = []
        for number in run:
            line = self._lines[number]
            words = self._words(number)
            if not words.strip():
                continue
            goes_on = first >= 0 and (line.is_item or last == number - 1 or _INDENTED.match(words) is not None)
            if first >= 0 and not goes_on:
                yield self._list(first, last, joints)
                first, joints = -1, []
            if line.is_item and first < 0:
                first = number
            elif line.is_item:
                joints.append(Joint(line.begin, self._level(number)))
            last = number
        if first >= 0:
            yield self._list(first, last, joints)

    def _list(self, first: int, last: int, joints: list[Joint]) -> Block:
        begin = self._lines[first].begin
        return Block(begin, self._lines[last].end, tuple(joints), Span(begin, begin))

    def _level(self, number: int) -> int:
        level = -1
        while number >= 0:
            level, number = level + 1, self._parents[number]
        return level


def _around(blocks: Sequence[Block], at: int) -> Block | None:
    place = bisect_right(blocks, at, key=lambda block: block.begin) - 1
    return blocks[place] if place >= 0 and blocks[place].begin < at < blocks[place].end else None


def joints_between(joints: Sequence[Joint], first: int, last: int) -> Sequence[Joint]:
    """Joints from `first` to `last`, both included."""
    place = bisect_left(joints, first, key=lambda joint: joint.at)
    return joints[place : bisect_right(joints, last, lo=place, key=lambda joint: joint.at)]


def _runs(text: str, lines: Sequence[Line]) -> Iterator[range]:
    """Runs of adjacent lines without a mark of a code block."""
    first = 0
    for number, line in enumerate(lines):
        is_code = FENCE.search(text, line.begin, line.end) is not None
        if is_code or (number and lines[number - 1].end != line.begin):
            yield range(first, number)
            first = number + is_code
    yield range(first, len(lines))


def _parents(text: str, lines: Sequence[Line]) -> list[int]:
    """Number of the item around each line or item; -1 outside of lists."""
    parents: list[int] = []
    open_items: list[tuple[int, int]] = []
    was_blank = False
    for number, line in enumerate(lines):
        words = text[line.begin + len(line.quote) : line.end].expandtabs(_TAB)
        indent = len(words) - len(words.lstrip())
        if not words.strip():
            was_blank = True
        elif not indent and not line.is_item:
            open_items.clear()
        elif line.is_item or was_blank:
            while open_items and open_items[-1][0] >= indent:
                open_items.pop()
        parents.append(open_items[-1][1] if open_items else -1)
        if line.is_item:
            open_items.append((indent, number))
        was_blank = not words.strip()
    return parents
