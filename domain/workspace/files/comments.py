"""HTML comments of a markdown file: where they stand.

What stands in code within a line is no comment, nor is what is never closed, or begins anew before it is closed: one
slip of a hand hides nothing.
"""

from __future__ import annotations

import re

_OPENS, _CLOSES = "<!--", "-->"
_TICKS = re.compile("`+")


class Comments:
    """Finder of a text's comments, from one place to later ones; it looks at each character a few times at most."""

    def __init__(self, text: str) -> None:
        """Nothing is looked for yet."""
        self._text = text
        self._found: tuple[int, int] | None = None
        self._is_over = False
        self._close = -1
        """Where the first end of a comment is, from the last place on that was looked from."""
        self._line_end = -1
        self._last: dict[int, int] = {}
        """Length -> where the last run of so many backticks begins, of one line."""

    def after(self, at: int) -> tuple[int, int] | None:
        """Where the first comment that begins at `at` or behind it begins and ends; None for none.

        Args:
            at: A line's beginning, or a comment's end; not before that of an earlier call.
        """
        if self._found is not None and self._found[0] >= at and self._text[at - 1 : at] in ("", "\n"):
            return self._found
        self._found = None if self._is_over else self._look(at)
        return self._found

    def _look(self, at: int) -> tuple[int, int] | None:
        text = self._text
        while (begin := text.find(_OPENS, at)) >= 0:
            if code_end := self._code_over(max(at, text.rfind("\n", at, begin) + 1), begin):
                at = code_end
                continue
            inside = begin + len(_OPENS)
            if self._close < inside:
                self._close = text.find(_CLOSES, inside)
            if self._close < 0:
                break
            if text.find(_OPENS, inside, self._close) < 0:
                return begin, self._close + len(_CLOSES)
            at = inside
        self._is_over = True
        return None

    def _code_over(self, at: int, place: int) -> int:
        """Where the code ends that begins between `at` and `place`, of one line, and ends behind it; 0 for none."""
        while (run := _TICKS.search(self._text, at, place)) is not None:
            at = run.end()
            if self._last_run(len(run[0]), place) < at:
                continue
            ends = _TICKS.finditer(self._text, at, self._line_end)
            at = next(end.end() for end in ends if len(end[0]) == len(run[0]))
            if at > place:
                return at
        return 0

    def _last_run(self, length: int, place: int) -> int:
        """Where the last run of so many backticks begins in the line of a place; -1 for nowhere."""
        if place > self._line_end:
            end = self._text.find("\n", place)
            self._line_end = end if end >= 0 else len(self._text)
            begin = self._text.rfind("\n", 0, place) + 1
            runs = _TICKS.finditer(self._text, begin, self._line_end)
            self._last = {len(run[0]): run.start() for run in runs}
        return self._last.get(length, -1)
