"""Nesting of a markdown text: the open quotes and list items, from line to line, by CommonMark."""

from __future__ import annotations

import re
from typing import NamedTuple

CODE_INDENT = 4
"""Columns from which on a line is code, unless a paragraph goes on."""
_MOST_OPEN = 100
"""Maximum depth of quotes and items; a deeper mark is text, to bound the cost of a line."""
_QUOTE = -1
"""Stands for a quote among the indents of items' texts."""
_ITEM = re.compile(r"(?:[-+*]|(?P<number>\d{1,9})[.)])(?=[ \t]|$)")
_RULE = re.compile(r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")


class Spot(NamedTuple):
    """Place in a line behind the marks of the enclosing quotes and items."""

    at: int
    """Index of the first character after the blanks; the line's length for a blank line."""
    column: int
    """Column of this character; a tab goes to the next multiple of four."""
    base: int
    """Column at which the text of the innermost quote or item begins."""
    depth: int
    """Number of quotes and items around the line."""
    is_fresh: bool = False
    """True if a quote or item begins in the line."""

    @property
    def indent(self) -> int:
        """Columns of the blanks before the spot."""
        return self.column - self.base


class Nesting:
    """Open quotes and items; for each line call `descend`, then, unless the line is code, `enter` and `settle`."""

    def __init__(self) -> None:
        """Start without an open block."""
        self._open: list[int] = []
        """Open blocks, the outermost first: the columns by which an item's text is indented, or `_QUOTE`."""
        self._in_paragraph = False
        self._is_bare = False
        """True if the innermost item has no text yet."""

    def descend(self, line: str) -> Spot:
        """Spot behind the marks of the quotes and items that go on in the line."""
        at, column = _past_blanks(line, 0, 0)
        base = depth = 0
        for content in self._open:
            if content == _QUOTE:
                if column - base >= CODE_INDENT or line[at : at + 1] != ">":
                    break
                at, column, base = _past_quote(line, at, column)
            elif at < len(line):
                if column - base < content:
                    break
                base += content
            depth += 1
        return Spot(at, column, base, depth)

    def enter(self, line: str, spot: Spot) -> Spot:
        """Open the quotes and items that begin in the line, behind the spot from `descend`."""
        while spot.indent < CODE_INDENT and spot.at < len(line) and spot.depth < _MOST_OPEN:
            if line[spot.at] == ">":
                content = _QUOTE
                at, column, base = _past_quote(line, spot.at, spot.column)
            elif (mark := self._item(line, spot)) is not None:
                width = mark.end() - spot.at
                at, column = _past_blanks(line, mark.end(), spot.column + width)
                blanks, text_at = column - spot.column - width, spot.column + width + 1
                base = text_at if at == len(line) or blanks > CODE_INDENT else column
                content = base - spot.base
            else:
                break
            self.begin_block(spot.depth)
            self._is_bare = content != _QUOTE and at == len(line)
            self._open.append(content)
            spot = Spot(at, column, base, spot.depth + 1, is_fresh=True)
        return spot

    def settle(self, line: str, spot: Spot) -> bool:
        """Note the rest of a line behind all marks, which begins no fence; True for indented code."""
        if spot.at == len(line):
            self._end_paragraph(spot)
            return False
        if spot.indent >= CODE_INDENT:
            if not self._in_paragraph:
                self.begin_block(spot.depth)
            return not self._in_paragraph
        goes_on = self._in_paragraph and spot.depth == len(self._open)
        if goes_on and _UNDERLINE.match(line, spot.at):
            self._in_paragraph = False
        elif _HEADING.match(line, spot.at) or _RULE.match(line, spot.at) or line.startswith("<!--", spot.at):
            self.begin_block(spot.depth)
        else:
            if not self._in_paragraph:
                del self._open[spot.depth :]
            self._in_paragraph, self._is_bare = True, False
        return False

    def begin_block(self, depth: int) -> None:
        """End everything open except the outer `depth` quotes and items; paragraphs end too."""
        del self._open[depth:]
        self._in_paragraph = self._is_bare = False

    def begin_plain_item(self) -> None:
        """Note a line that begins with `- [`: the short way for most lines."""
        self._open[:] = [2]
        self._in_paragraph, self._is_bare = True, False

    def _end_paragraph(self, spot: Spot) -> None:
        """Note an empty line, or a line that only begins an item."""
        self._in_paragraph = False
        if spot.is_fresh:
            return
        del self._open[spot.depth :]
        if self._is_bare and self._open:  # an item that begins with an empty line has no second one
            self._open.pop()
        self._is_bare = False

    def _item(self, line: str, spot: Spot) -> re.Match[str] | None:
        """Mark of an item at the spot; None without an item."""
        mark = _ITEM.match(line, spot.at)
        if mark is None or _RULE.match(line, spot.at):
            return None
        interrupts = self._in_paragraph and spot.depth == len(self._open)
        is_plain = line[mark.end() :].strip(" \t") and mark["number"] in (None, "1")
        return mark if is_plain or not interrupts else None


def _past_blanks(line: str, at: int, column: int) -> tuple[int, int]:
    """Index and column of the first character from `at` on after the blanks."""
    while at < len(line) and line[at] in " \t":
        column += 1 if line[at] == " " else 4 - column % 4
        at += 1
    return at, column


def _past_quote(line: str, at: int, column: int) -> tuple[int, int, int]:
    """Index and column behind a quote's mark and the blanks after the mark, and the column of the quote's text."""
    base = column + 2 if line[at + 1 : at + 2] in (" ", "\t") and at + 1 < len(line) else column + 1
    return *_past_blanks(line, at + 1, column + 1), base
