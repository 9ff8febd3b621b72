"""Code blocks of a markdown text by CommonMark: fenced, indented, `<pre>`, `<?…?>`; also in lists and quotes.

A fence without a closing fence goes on to the end of its list item or quote, or of the text. Blocks of math, between
two `$$` of which the first begins a line, are found too; a `$$` without a closing `$$` is text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from domain.text.markdown.nesting import CODE_INDENT, Nesting, Spot

_FENCE = re.compile(r"(?P<sign>`{3,})[^`]*$|(?P<wave>~{3,})")
_RAW = {
    re.compile(r"<(?:pre|script|style|textarea)(?:[ \t>]|$)", re.IGNORECASE): re.compile(
        r"</(?:pre|script|style|textarea)>", re.IGNORECASE
    ),
    re.compile(r"<\?"): re.compile(r"\?>"),
    re.compile(r"<![a-z]", re.IGNORECASE): re.compile(">"),
    re.compile(r"<!\[CDATA\["): re.compile(r"\]\]>"),
}
"""Beginnings of HTML blocks other than text, with the end of each; comments are left to `comments.py`."""
_PLAIN_ITEM = "- ["
_MATH = "$$"


class CodeBlock(NamedTuple):
    """Block of code from the requested line on."""

    last: int
    """Number of the block's last line, from 0."""
    is_open: bool = False
    """True if the block goes on to the text's end without a closing mark."""
    is_math: bool = False
    """True for a block of math."""


class CodeBlocks:
    """Finder of code blocks, asked about each line in turn that is neither of a comment nor of an earlier block."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Start before the first line.

        Args:
            lines: Without their ends.
        """
        self._lines = lines
        self._nesting = Nesting()
        self.block_at = -1
        """Index in the requested line at which a separate block may begin, outside of all lists."""

    def at(self, number: int) -> CodeBlock | None:
        """Block of code from the line on; None without a block."""
        line, nesting = self._lines[number], self._nesting
        if line.startswith(_PLAIN_ITEM):
            nesting.begin_plain_item()
            self.block_at = -1
            return None
        spot = nesting.enter(line, nesting.descend(line))
        self.block_at = spot.at if spot.indent < CODE_INDENT and not spot.depth else -1
        if spot.indent < CODE_INDENT and spot.at < len(line):
            if (fence := _FENCE.match(line, spot.at)) is not None:
                return self._read_fence(number, spot, fence["sign"] or fence["wave"])
            if line.startswith("<", spot.at):
                for begin, end in _RAW.items():
                    if begin.match(line, spot.at) is not None:
                        return self._read_raw(number, spot, end)
            if line.startswith(_MATH, spot.at) and (block := self._read_math(number, spot)) is not None:
                return block
        return CodeBlock(number) if nesting.settle(line, spot) else None

    def _read_fence(self, number: int, opening: Spot, fence: str) -> CodeBlock:
        self._nesting.begin_block(opening.depth)
        closing = re.compile(rf"{fence[0]}{{{len(fence)},}}[ \t]*$")
        for later in range(number + 1, len(self._lines)):
            line = self._lines[later]
            spot = self._nesting.descend(line)
            if spot.depth < opening.depth:
                return CodeBlock(later - 1)
            if spot.indent < CODE_INDENT and closing.match(line, spot.at):
                return CodeBlock(later)
        return CodeBlock(len(self._lines) - 1, is_open=True)

    def _read_math(self, number: int, opening: Spot) -> CodeBlock | None:
        """Block of math over several lines; None for math in one line or without a closing mark."""
        if self._lines[number].find(_MATH, opening.at + len(_MATH)) >= 0:
            return None
        for later in range(number + 1, len(self._lines)):
            line = self._lines[later]
            spot = self._nesting.descend(line)
            if spot.depth < opening.depth:
                return None
            if line.find(_MATH, spot.at) >= 0:
                self._nesting.begin_block(opening.depth)
                return CodeBlock(later, is_math=True)
        return None

    def _read_raw(self, number: int, opening: Spot, end: re.Pattern[str]) -> CodeBlock:
        self._nesting.begin_block(opening.depth)
        spot = opening
        for later in range(number, len(self._lines)):
            spot = spot if later == number else self._nesting.descend(self._lines[later])
            if spot.depth < opening.depth:
                return CodeBlock(later - 1)
            if end.search(self._lines[later], spot.at):
                return CodeBlock(later)
        return CodeBlock(len(self._lines) - 1, is_open=True)
