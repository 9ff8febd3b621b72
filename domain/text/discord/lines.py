"""Lines of a Discord message: code blocks, and the marks that make a line a quote, heading, small print or item."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from domain.text.discord.spans import Span

FENCE = re.compile(r"(?<!\\)`{3,}")
"""Mark that opens and closes code blocks."""
_PREFIX = re.compile(
    r"(?P<quote> *>(?:>>)? +|)(?P<block>(?: *(?:#{1,3}|-#)|[ \t]*(?:[-*+]|[0-9]{1,9}[.)]))[ \t]+(?=\S)|)"
)
_LONG_QUOTE = ">>>"


class Line(NamedTuple):
    """One line outside of code blocks."""

    begin: int
    end: int
    """Place behind the line break."""
    quote: str
    """Mark of a quote, with its blanks; empty without a quote. Lines behind a `>>>` have no mark."""
    block: str
    """Mark of a heading, small print or item, with its blanks, behind the quote's mark."""
    scope_end: int = 0
    """End of formats in the line: the end of the heading, item or quote, else of the text."""

    @property
    def inner(self) -> int:
        """Index behind the line's marks."""
        return self.begin + len(self.quote) + len(self.block)

    @property
    def is_item(self) -> bool:
        """True for the first line of an item."""
        return bool(self.block) and not self.is_short

    @property
    def is_short(self) -> bool:
        """True for a heading or small print: formats of one line."""
        return "#" in self.block


class Lines:
    """Lines and code blocks of one text."""

    def __init__(self, text: str) -> None:
        """Read the text once."""
        self.fences = _fences(text)
        self.long_quote = -1
        """Index from which everything is a quote because of `>>>`; -1 without a `>>>`."""
        self.lines = self._read(text)
        self._begins = [line.begin for line in self.lines]

    def at(self, at: int) -> Line | None:
        """Line of the character at `at`, or the last line before the code block around the character."""
        place = bisect_right(self._begins, at) - 1
        return self.lines[place] if place >= 0 else None

    def scope_end(self, at: int) -> int:
        """End of the scope of a format that begins at `at`."""
        line = self.at(at)
        return line.scope_end if line is not None else 0

    def _read(self, text: str) -> list[Line]:
        lines: list[Line] = []
        fences, at = iter((*self.fences, Span(len(text), len(text)))), 0
        fence = next(fences)
        while at < len(text):
            while fence.end <= at < len(text):
                fence = next(fences)
            if fence.begin < at:
                at = _line_end(text, fence.end)
                continue
            line = read_line(text, at)
            if self.long_quote >= 0 and line.quote:
                line = line._replace(quote="", block="")
            elif line.quote.strip() == _LONG_QUOTE:
                self.long_quote = at
            lines.append(line)
            at = line.end
        return self._with_scopes(text, lines)

    def _with_scopes(self, text: str, lines: list[Line]) -> list[Line]:
        """Lines with the ends of their scopes, from the last to the first."""
        scope_end = quote_end = item_end = len(text)
        done: list[Line] = []
        for number in range(len(lines) - 1, -1, -1):
            line = lines[number]
            is_quoted = bool(line.quote) and line.quote.strip() != _LONG_QUOTE
            was_quoted = number + 1 < len(lines) and bool(lines[number + 1].quote)
            if is_quoted != was_quoted:
                quote_end = item_end = line.end if is_quoted else len(text)
            scope_end = line.end if line.is_short else quote_end
            done.append(line._replace(scope_end=min(scope_end, item_end) if line.is_item else scope_end))
            if line.block or text[line.begin + len(line.quote)] not in " \t":
                item_end = line.begin
        return done[::-1]


def read_line(text: str, begin: int) -> Line:
    """The line that begins at `begin`, independent of earlier text."""
    match = _PREFIX.match(text, begin)
    quote, block = match.group("quote", "block") if match is not None else ("", "")
    return Line(begin, _line_end(text, begin), quote, block)


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _fences(text: str) -> tuple[Span, ...]:
    """Code blocks with their marks; the last goes on to the end without a closing mark."""
    runs = [*FENCE.finditer(text)]
    ends = [run.end() for run in runs[1::2]]
    return tuple(
        Span(run.start(), ends[number] if number < len(ends) else len(text)) for number, run in enumerate(runs[::2])
    )
