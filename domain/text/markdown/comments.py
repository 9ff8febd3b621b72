"""Comments of a markdown text: `<!-- … -->`, and Obsidian's `%% … %%`.

A mark in code within a line opens no comment, nor does a mark behind a backslash. A mark in the middle of a line is
text if never closed, or if another opening mark comes before the closing mark: a slip of the hand hides no text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_OPENS, _CLOSES, _PERCENT = "<!--", "-->", "%%"
_TICKS = re.compile("`+")
_MARK = re.compile("`+|<!--|%%")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


class Comment(NamedTuple):
    """Extent of one comment."""

    begin: int
    end: int
    """End behind the closing mark; the text's end without a mark."""
    is_open: bool
    """True if the comment is never closed."""


class Comments:
    """Finder of a text's comments, from one place to later places; each character is examined a few times at most."""

    def __init__(self, text: str, *, whole_note: bool) -> None:
        """Start before the first search.

        Args:
            text: Lines that end with line feeds.
            whole_note: True to read as an editor of notes does: `%%` counts, and a comment that begins a line and is
                never closed hides the rest of the text.
        """
        self._text = text
        self._whole_note = whole_note
        self._close = -1
        """Index of the first closing mark behind the last place searched from."""
        self._is_over = False
        self._line = (-1, -1)
        self._last: dict[int, int] = {}
        """Length -> index of the last backtick run of this length within a line."""

    def first(self, at: int, end: int, block_at: int = -1) -> Comment | None:
        """First comment that opens from `at` on.

        Args:
            at: Place in a line; not before the place of an earlier call.
            end: End of the line.
            block_at: Index at which a comment begins the line as a separate block; -1 for no such place.
        """
        while (mark := _MARK.search(self._text, at, end)) is not None:
            at = mark.end()
            if mark[0][0] == "`":
                at = self._code_end(mark, end) or at
            elif self._text[max(0, mark.start() - 1) : mark.start()] != "\\":
                is_block = self._whole_note and mark.start() == block_at
                comment = self._html(mark.start(), is_block) if mark[0] == _OPENS else self._percent(mark, is_block)
                if comment is not None:
                    return comment
        return None

    def _html(self, begin: int, is_block: bool) -> Comment | None:
        """Comment of the `<!--` at `begin`; None for plain text."""
        text, inside = self._text, begin + len(_OPENS)
        if not self._is_over and self._close < begin + 2:  # `<!-->` is a whole one
            self._close = text.find(_CLOSES, begin + 2)
            self._is_over = self._close < 0
        if self._is_over:
            return Comment(begin, len(text), True) if is_block else None
        if not is_block and text.find(_OPENS, inside, self._close) >= 0:
            return None
        return Comment(begin, self._close + len(_CLOSES), False)

    def _percent(self, mark: re.Match[str], is_block: bool) -> Comment | None:
        """Comment opened by `%%`: from a line's beginning to the next mark, else within the paragraph; or None."""
        if not self._whole_note:
            return None
        text, inside = self._text, mark.end()
        close = text.find(_PERCENT, inside)
        if close >= 0 and (is_block or not _BLANK_LINE.search(text, inside, close)):
            return Comment(mark.start(), close + len(_PERCENT), False)
        return Comment(mark.start(), len(text), True) if is_block and close < 0 else None

    def _code_end(self, ticks: re.Match[str], end: int) -> int:
        """Index behind the inline code that the backticks open; 0 without inline code."""
        if self._line[1] != end or self._line[0] > ticks.start():
            self._line = (ticks.start(), end)
            self._last = {len(run[0]): run.start() for run in _TICKS.finditer(self._text, ticks.start(), end)}
        if self._last.get(len(ticks[0]), -1) < ticks.end():
            return 0
        ends = _TICKS.finditer(self._text, ticks.end(), end)
        return next(run.end() for run in ends if len(run[0]) == len(ticks[0]))
