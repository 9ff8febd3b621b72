"""Cuts of a message too long for Discord: permitted places, and the marks that both sides need to read as the whole.

A format that goes on over a cut is closed before the cut and opened again behind it, and so are quotes, headings, the
items around a nested item, and the head of a table. Links, addresses, mentions and escapes are never cut, except for
addresses longer than a message: a part of such an address does not lead to the target, so the parts are shown as code.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from domain.text.characters import units
from domain.text.discord.blocks import Blocks, joints_between
from domain.text.discord.formats import Format, Formats
from domain.text.discord.lines import Line, Lines, read_line
from domain.text.discord.spans import Span, Spans

_ROOM = 40
"""Units of a message that a word of full length leaves for the marks around the word."""
_CONTINUED = "…"
_LONG_QUOTE = ">>> "


class Cuts:
    """Cuts of one text."""

    def __init__(self, text: str, limit: int, *, is_growing: bool = False) -> None:
        """Read the text once.

        Args:
            text: Any.
            limit: Most UTF-16 units of a message.
            is_growing: As `Formats` has it.
        """
        self._text = text
        self._limit = limit
        markup = Formats(text, is_growing=is_growing)
        self.lines: Lines = markup.lines
        self.blocks = Blocks(text, markup.lines)
        self._long = [
            *(word for word in markup.words if self._is_long(word)),
            *(Span(link.begin, link.end) for link in markup.formats if link.is_link and self._is_in_vain(link)),
        ]
        self._long.sort()
        solid = [word for word in markup.words if not self._is_long(word)]
        solid += [Span(line.begin, line.inner + 1) for line in markup.lines.lines if line.inner > line.begin]
        solid += [span for each in markup.formats for span in self._solids(each)]
        self._solid = Spans(solid)
        self._formats = [
            each for each in markup.formats if not (each.is_link and (self._is_in_vain(each) or self._fits(each)))
        ]
        self._whole = Spans(Span(each.begin, each.end) for each in self._formats)
        self._parents = _parents(self._formats)

    def edge(self, start: int) -> int:
        """End of the long address at the beginning of the text from `start`, else start of the next long address."""
        place = bisect_right(self._long, Span(start, len(self._text) + 1)) - 1
        if place >= 0 and start < self._long[place].end:
            return self._long[place].end
        return self._long[place + 1].begin if place + 1 < len(self._long) else len(self._text)

    def is_free(self, at: int) -> bool:
        """True if a cut at `at` needs no format closed and opened again."""
        return self._whole.around(at) is None and self.is_possible(at)

    def is_possible(self, at: int) -> bool:
        """True if a cut at `at` leaves words whole, and gives no words within a line another meaning."""
        if self._solid.around(at) is not None:
            return False
        text = self._text
        if at >= len(text) or text[at - 1] == "\n":
            return True
        while text[at] in " \t" and at + 1 < len(text):
            at += 1
        line = read_line(text, at)
        return line.inner == at

    def before(self, at: int) -> int:
        """The last place up to `at` at which a cut leaves words whole."""
        span = self._solid.around(at)
        return at if span is None else span.begin

    def before_formats(self, at: int) -> int:
        """The last place up to `at` at which a cut leaves words and formats whole."""
        while (span := self._whole.around(at) or self._solid.around(at)) is not None:
            at = span.begin
        return at

    def behind_marks(self, at: int) -> int:
        """The place behind the closing marks if only closing marks are left of the formats at `at`, else `at`."""
        for each in reversed(self._around(at)):
            if self._text[at : each.outer].strip():
                break
            at = min(each.end, len(self._text))
        return at

    def closing(self, at: int) -> str:
        """Closing marks of the formats around `at`."""
        return self._ticks(at - 1, at) + "".join(each.closing for each in reversed(self._around(at)))

    def begin(self, at: int, end: int) -> str:
        """Text from `at`, the first character after blanks, up to `end`, with the marks open before `at`."""
        head, first, inner = self._head(at, end)
        outer, marks = self._openings(max(at, inner))
        own, rest = self._text[first:inner], self._text[max(first, inner) : end]
        marks += self._ticks(at, at + 1)
        if not outer or not head + own:
            return f"{head}{own}{outer}{marks}{rest}"
        return f"{outer}\n{head}{own}{marks}{rest}"

    def begin_code(self, at: int, end: int, fence: str) -> str:
        """Code from `at` up to `end`, with the block's mark and the other marks open before `at`."""
        line = self.lines.at(at)
        quote = self.quote(line, at) if line is not None else ""
        outer, marks = self._openings(at)
        within = self.quote_of_code(at) if at > 0 and self._text[at - 1] != "\n" else ""
        gap = "\n" if outer and quote else ""
        return f"{outer}{gap}{quote}{marks}{fence}\n{within}{self._text[at:end]}"

    def _openings(self, at: int) -> tuple[str, str]:
        """Marks of formats that go on over the table, item or quote around `at`, and of formats inside."""
        line, formats = self.lines.at(at), self._around(at)
        if line is None:
            return "", "".join(each.opening for each in formats)
        table = self.blocks.table_head(line.begin)
        scope_end = line.begin if table else line.scope_end
        outer = [one for one in formats if one.begin < line.begin and min(one.outer, len(self._text)) > scope_end]
        return "".join(one.opening for one in outer), "".join(one.opening for one in formats[len(outer) :])

    def _head(self, at: int, end: int) -> tuple[str, int, int]:
        """Line marks before a piece, the beginning of the piece's text, and the end of the marks in the text."""
        line = self.lines.at(at)
        if line is None:
            return "", at, at
        is_begun = bool(self._text[line.begin : at].strip())
        items = self._items(line, at, end, is_begun)
        if is_begun or (items and not line.is_item):
            return self.quote(line, at) + items + (line.block if line.is_short else ""), at, at
        table = self.blocks.table_head(line.begin)
        if units(table) > self._limit // 4:
            table = ""
        long_quote = _LONG_QUOTE if self._is_in_long_quote(at) else ""
        return long_quote + items + table, line.begin if items else at, max(at, line.inner)

    def quote(self, line: Line, at: int) -> str:
        """Mark of the quote around `at`, a place in or behind the line."""
        if self._is_in_long_quote(at):
            return _LONG_QUOTE
        return line.quote

    def quote_of_code(self, at: int) -> str:
        """Mark of the quote around the code block at `at`."""
        line = self.lines.at(at)
        return line.quote if line is not None and not self._is_in_long_quote(at) else ""

    def _is_in_long_quote(self, at: int) -> bool:
        return 0 <= self.lines.long_quote < at

    def _items(self, line: Line, at: int, end: int, is_begun: bool) -> str:
        """Items that are begun again to let a nested item, or words in an item, keep the level."""
        items = self.blocks.items_around(line.begin)
        is_within = is_begun or not line.is_item
        outer = items if is_within else items[:-1]
        if not outer or (is_within and len(items) == 1 and not self._is_nested_next(at, end)):
            return ""
        quote = "" if self._is_in_long_quote(at) else line.quote
        if is_within and quote and not is_begun:
            return ""
        text = f"\n{quote}".join(f"{item.block}{_CONTINUED}" for item in outer)
        if units(text) > self._limit // 8:
            return ""
        return f"{text} " if is_within else f"{quote}{text}\n"

    def _is_nested_next(self, at: int, end: int) -> bool:
        """True if the next item behind `at` and before `end` is nested."""
        block = self.blocks.around(at)
        following = joints_between(block.joints, at, end - 1) if block is not None else ()
        return bool(following) and following[0].level > 0

    def _around(self, at: int) -> list[Format]:
        """Formats around a cut at `at`, the outermost first."""
        formats: list[Format] = []
        place = bisect_left(self._formats, at, key=lambda one: one.begin) - 1
        while place >= 0:
            if self._formats[place].inner <= at <= self._formats[place].outer:
                formats.append(self._formats[place])
            place = self._parents[place]
        return formats[::-1]

    def _ticks(self, begin: int, end: int) -> str:
        """Code mark around each part of a long address; empty outside of a long address."""
        place = bisect_right(self._long, Span(begin, len(self._text) + 1)) - 1
        if place < 0 or self._long[place].end < end:
            return ""
        return "``" if "`" in self._text[slice(*self._long[place])] else "`"

    def _solids(self, format_: Format) -> list[Span]:
        """Parts of a format to keep whole."""
        text = self._text
        if format_.is_link and self._is_in_vain(format_):
            return []
        is_code = format_.opening.startswith("`")
        if (format_.is_link or is_code) and self._fits(format_):
            return [Span(format_.begin, format_.end)]
        inner, outer = format_.inner, min(format_.outer, len(text))
        while inner < outer and text[inner].isspace():
            inner += 1
        while inner < outer and text[outer - 1].isspace():
            outer -= 1
        spans = [Span(format_.begin, min(inner + 1, len(text)))]
        return spans if format_.end > len(text) else [*spans, Span(max(outer - 1, format_.begin), format_.end)]

    def _fits(self, format_: Format) -> bool:
        most = self._limit - _ROOM if format_.is_link else self._limit // 4
        return units(self._text[format_.begin : format_.end]) <= most

    def _is_in_vain(self, link: Format) -> bool:
        """True for a link that is too long for a message, with words that cannot be split into several links."""
        return not self._fits(link) and units(link.closing) > self._limit // 8

    def _is_long(self, word: Span) -> bool:
        return word.end - word.begin > 2 and units(self._text[slice(*word)]) > self._limit - _ROOM


def _parents(formats: list[Format]) -> list[int]:
    """Number of the format around each format; -1 without a parent."""
    parents: list[int] = []
    open_ones: list[int] = []
    for number, each in enumerate(formats):
        while open_ones and formats[open_ones[-1]].end <= each.begin:
            open_ones.pop()
        parents.append(open_ones[-1] if open_ones else -1)
        open_ones.append(number)
    return parents
