"""Formats of a Discord message: where bold, italics, spoilers, code within a line and links begin and end.

Discord takes the leftmost mark first: a mark that nothing closes is text, and so are marks in code, in addresses, in
mentions and behind a backslash. Formats nest and never cross.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from domain.text.discord.lines import Lines
from domain.text.discord.spans import Span, Spans

_TICKS = re.compile("`+")
_TOKEN = re.compile(
    r"""(?P<escape>\\[^0-9A-Za-z\s])
    | (?P<ticks>`+)
    | (?P<tag><(?:@[!&]?\d+|\#\d+|a?:\w+:\d+|t:-?\d+(?::[A-Za-z])?|/[^<>\n:]{1,120}:\d+|id:\w+
        |(?:https?|steam|mailto|tel|sms):[^\s<>]+)>)
    | (?P<url>(?:https?|steam)://[^\s<]+)
    | (?P<bracket>\[)
    | (?P<mark>\*+|_+|~~|\|\|)
    """,
    re.VERBOSE,
)
_TARGET = re.compile(
    r"""\]\([ ]{0,9}(?:<[^<>\n]*>|(?:\\.|\([^\s()]*\)|[^\s()\\])+)
    (?:\s{1,9}(?:"[^"\n]{0,300}"|'[^'\n]{0,300}'))?[ ]{0,9}\)""",
    re.VERBOSE,
)
_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)
_SPOILER = "||"
_FENCE_SIZE = 3
_ITALICS = {
    "*": re.compile(r"\*(?=\S)(?:\*\*|\\.|\s+(?:\\.|[^\s*\\]|\*\*)|[^\s*\\])+?\*(?!\*)", re.DOTALL),
    "_": re.compile(r"_(?:__|\\.|[^\\_])+?_\b", re.DOTALL),
}
_PAIRS = {
    "**": re.compile(r"(?<!\\)\*\*(?!\*)"),
    "__": re.compile(r"(?<!\\)__(?!_)"),
    "~~": re.compile(r"~~(?!_)"),
    "||": re.compile(r"\|\|"),
}
"""Mark -> pattern of the closing mark."""


class Format(NamedTuple):
    """Stretch of text shown in another way because of its marks."""

    begin: int
    """Of the opening mark."""
    inner: int
    """Behind the opening mark."""
    outer: int
    """Of the closing mark."""
    end: int
    """Behind the closing mark; behind the text's end where the mark is still to come."""
    opening: str
    closing: str

    @property
    def is_link(self) -> bool:
        """True for words with an address."""
        return self.opening == "["


class Formats:
    """Formats of one text; `lines` are the text's lines."""

    def __init__(self, text: str, *, is_growing: bool = False) -> None:
        """Read the text once.

        Args:
            text: Any text.
            is_growing: True if more text may follow: a mark at which a format may begin counts even without a
                closing mark yet.
        """
        self.lines = Lines(text)
        reading = _Reading(text, self.lines)
        reading.read()
        if is_growing:
            reading.close_growing()
        self.formats = tuple(sorted(reading.formats, key=lambda each: (each.begin, -each.end)))
        """Sorted by beginning; outer formats stand before inner ones."""
        self.words = tuple(reading.words)
        """Mentions, addresses, escapes, custom emoji and times, in order: each is one word."""


class _Reading:
    """Pass over a text, reading the inside of a format before the rest."""

    def __init__(self, text: str, lines: Lines) -> None:
        self._text = text
        self._lines = lines
        self.formats: list[Format] = []
        self.words: list[Span] = []
        self._unclosed: list[tuple[int, str]] = []
        """(beginning, mark) of marks without a closing mark, outside of all formats."""
        self._brackets = _bracket_pairs(text)
        self._tick_pairs = _tick_pairs(text)
        self._codes = Spans((*_codes(text, self._tick_pairs), *lines.fences))
        self._inside: list[Format] = []
        """Formats being read, the outermost first."""
        self._vain: dict[str, tuple[int, int]] = {}
        """Mark -> stretch (begin, end) of the text without a closing mark."""
        self._coded: dict[str, tuple[int, int]] = {}
        """Mark -> stretch (begin, end) of the text in which the mark stands only in code."""

    def read(self) -> None:
        """Read everything outside of code blocks."""
        at = 0
        fences = Spans(self._lines.fences)
        while True:
            stop = self._inside[-1].outer if self._inside else len(self._text)
            token = _TOKEN.search(self._text, at, stop)
            if token is None and not self._inside:
                return
            if token is None:
                at = self._inside.pop().end
            elif (fence := fences.around(token.start() + 1)) is not None:
                at = min(fence.end, stop)
            else:
                at = self._take(token, min(stop, self._lines.scope_end(token.start())))

    def close_growing(self) -> None:
        """Close open formats at the end: spoilers wherever they began, other formats in the last paragraph."""
        text = self._text
        paragraph, end = text.rfind("\n\n") + 1, len(text) + 1
        for begin, mark in self._unclosed:
            inner = begin + len(mark)
            if self._lines.scope_end(begin) < len(text) or not text[inner:].strip():
                continue
            is_sure = begin >= paragraph and not (text[inner].isspace() or _is_word(text, begin - 1))
            if is_sure or mark == _SPOILER:
                self.formats.append(Format(begin, inner, end, end, mark, mark))

    def _take(self, token: re.Match[str], stop: int) -> int:
        """Take a token, and return the place to go on from.

        Args:
            token: Token outside of code blocks.
            stop: End of the format, heading, item or quote around the token.
        """
        begin, end = token.span()
        format_: Format | None = None
        match token.lastgroup:
            case "ticks":
                close = self._tick_pairs.get(begin, stop)
                if close < stop:
                    self.formats.append(Format(begin, end, close, close + end - begin, token[0], token[0]))
                    return close + end - begin
            case "bracket":
                format_ = self._read_link(begin, stop)
            case "mark":
                format_ = self._read_mark(begin, token[0], stop)
                end = begin + 1 if len(token[0]) > len(_SPOILER) else end
            case _:
                end = self._url_end(begin, end) if token.lastgroup == "url" else end
                self.words.append(Span(begin, end))
        if format_ is None:
            return end
        self.formats.append(format_)
        self._inside.append(format_)
        return format_.inner

    def _read_link(self, begin: int, stop: int) -> Format | None:
        close = self._brackets.get(begin, 0)
        if any(each.is_link for each in self._inside) or not begin + 1 < close < stop:
            return None
        target = _TARGET.match(self._text, close, stop)
        return Format(begin, begin + 1, close, target.end(), "[", target[0]) if target is not None else None

    def _read_mark(self, begin: int, run: str, stop: int) -> Format | None:
        """Format that begins with the run of signs; of two possible formats, the longer."""
        format_: Format | None = None
        if len(run) > 1 and (close := self._closing(begin, run[:2], stop)) >= 0:
            format_ = Format(begin, begin + 2, close, close + 2, run[:2], run[:2])
        close = self._closing(begin, run[0], stop) if run[0] in _ITALICS else -1
        if close >= 0 and (format_ is None or close + 1 >= format_.end):
            format_ = Format(begin, begin + 1, close, close + 1, run[0], run[0])
        if format_ is None and not self._inside:
            self._unclosed.append((begin, run[:2]))
        return format_

    def _closing(self, begin: int, mark: str, stop: int) -> int:
        """Beginning of the mark that closes the mark at `begin`; -1 without a closing mark.

        A mark in code closes a format only if no other mark does.
        """
        vain_from, vain_to = self._vain.get(mark, (stop, 0))
        if begin >= vain_from and stop <= vain_to:
            return -1
        if mark in _ITALICS:
            italic = _ITALICS[mark].match(self._text, begin, stop)
            if italic is not None:
                return italic.end() - 1
            if self._text.find(mark, begin + 1, stop) < 0:
                self._vain[mark] = (begin, stop)
            return -1
        at = begin + len(mark) + 1
        first = _PAIRS[mark].search(self._text, at, stop)
        if first is None:
            self._vain[mark] = (begin, stop)
            return -1
        close: re.Match[str] | None = first
        coded_from, coded_to = self._coded.get(mark, (stop, 0))
        while close is not None and not (at >= coded_from and stop <= coded_to):
            code = self._codes.around(close.start())
            if code is None:
                return close.start()
            close = _PAIRS[mark].search(self._text, code.end, stop)
        self._coded[mark] = (min(at, coded_from) if stop == coded_to else at, stop)
        return first.start()

    def _url_end(self, begin: int, end: int) -> int:
        """End of an address: before code, a spoiler's mark, and punctuation."""
        for mark in ("`", _SPOILER):
            at = self._text.find(mark, begin, end)
            end = at if at >= 0 else end
        while end > begin + 1 and self._text[end - 1] in ".,:;\"']":
            end -= 1
        return end


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")


def _bracket_pairs(text: str) -> dict[int, int]:
    """Index of each opening bracket -> index of the closing bracket."""
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for sign in _BRACKET.finditer(text) if "](" in text else ():
        if sign[0] == "[":
            stack.append(sign.start())
        elif sign[0] == "]" and stack:
            pairs[stack.pop()] = sign.start()
    return pairs


def _codes(text: str, pairs: Mapping[int, int]) -> list[Span]:
    """Code within lines, read from the left where no format has begun."""
    spans: list[Span] = []
    for begin, close in sorted(pairs.items()):
        if not spans or begin >= spans[-1].end:
            end = close
            while end < len(text) and text[end] == "`":
                end += 1
            spans.append(Span(begin, end))
    return spans


def _tick_pairs(text: str) -> dict[int, int]:
    """Beginning of each run of one or two backticks -> the next run as long, if no code block is between."""
    pairs: dict[int, int] = {}
    following: dict[int, int] = {}
    for run in reversed([*_TICKS.finditer(text)]):
        size = len(run[0])
        if size >= _FENCE_SIZE:
            following.clear()
            continue
        if size in following:
            pairs[run.start()] = following[size]
        following[size] = run.start()
    return pairs
