"""HTML comments of a markdown file: where they stand, and the file's lines without them.

What stands in code within a line is no comment, nor is what is never closed, or begins anew before it is closed: one
slip of a hand hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPENS, _CLOSES = "<!--", "-->"
_TICKS = re.compile("`+")


def without_comments(text: str) -> list[str]:
    """The lines of a text without comments and line ends; as many as it has."""
    made, at = list[str](), 0
    for begin, end in _Finder(text).spans():
        made += (text[at:begin], "\n" * text.count("\n", begin, end))
        at = end
    return "".join((*made, text[at:])).split("\n")


class _Finder:
    """Finder of a text's comments; whatever the text, it looks at each character a few times."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._close = -1
        """Where the first end of a comment is, from the last place on that was looked from."""
        self._line_end = -1
        self._last: dict[int, int] = {}
        """Length -> where the last run of so many backticks begins, of one line."""

    def spans(self) -> Iterator[tuple[int, int]]:
        """Where each comment begins and ends."""
        text, at = self._text, 0
        while (begin := text.find(_OPENS, at)) >= 0:
            if code_end := self._code_over(max(at, text.rfind("\n", at, begin) + 1), begin):
                at = code_end
                continue
            inside = begin + len(_OPENS)
            if self._close < inside:
                self._close = text.find(_CLOSES, inside)
            if self._close < 0:
                return
            at = inside
            if text.find(_OPENS, inside, self._close) < 0:
                at = self._close + len(_CLOSES)
                yield begin, at

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
