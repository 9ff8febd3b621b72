r"""Sections of a markdown file that people write too: where each begins, what stands in it, and the same bytes again.

Headings count only where a reader sees them: none within a code block, none within an HTML comment. A code block that
is never closed runs to the end, as CommonMark says; a comment that is never closed is text, for otherwise one slip of
a hand would hide all that follows. Lines end in `\n` or `\r\n`, each file's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

DEEPEST = 2
"""Headings of more hashes are text of their section."""

_FENCE = re.compile(r"\s*(?:[-*+] +|[0-9]{1,9}[.)] +)?(?:(?P<ticks>`{3,})[^`]*|(?P<tildes>~{3,}).*)$")
_HEADING = re.compile(r" {0,3}(?P<hashes>#{1,6})(?:[ \t]+(?P<title>.*?))??(?:[ \t]+#+)?[ \t]*$")
_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?=\S)")
_BOX = re.compile(r"\[[ xX]\][ \t]+")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_TICKS = re.compile("`+")
_CONTINUED = 2
"""So many blanks before a line carry a bullet on over an empty line, or put one bullet below another."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, up to the next heading."""

    heading: str
    """Without its hashes and comments; empty for what stands before the first heading."""
    level: int
    """Of its hashes; 0 for what stands before the first heading."""
    line: int
    """Of the heading, from 1."""
    text: str
    """Below the heading, as it stands, comments included."""
    head: str = ""
    """The heading's line as it stands: all `head + text` of a file are the file."""

    @property
    def content(self) -> str:
        """What a reader sees: no comments, no empty lines at its ends."""
        return without_comments(self.text).strip()


@dataclass(frozen=True, slots=True)
class Item:
    """A bullet with what is indented below it, or a paragraph, or a code block."""

    text: str
    """Without comments, the bullet's mark and its box; lines are parted by `\\n`."""
    line: int
    """Its first line in the file, from 1."""
    is_bullet: bool


def sections(text: str, deepest: int = DEEPEST) -> tuple[Section, ...]:
    """The sections of `text` in their order; what stands before the first heading is one of level 0, if there is any.

    Args:
        text: A markdown file.
        deepest: Headings of up to so many hashes begin a section.
    """
    found: list[Section] = []
    title, level, first, head = "", 0, 1, ""
    body: list[str] = []
    for line in _lines(text):
        heading = None if line.is_code else _HEADING.match(line.shown)
        if heading is None or len(heading["hashes"]) > deepest or not line.begins_shown:
            body.append(line.raw)
            continue
        found.append(Section(title, level, first, "".join(body), head))
        title, level, first, head = (heading["title"] or "").strip(), len(heading["hashes"]), line.number, line.raw
        body = []
    found.append(Section(title, level, first, "".join(body), head))
    return tuple(found if found[0].text else found[1:])


def items(section: Section) -> tuple[Item, ...]:
    """The bullets and paragraphs of a section, in order, without what is empty but for comments.

    A bullet below another belongs to it. Headings of more hashes and rules part items, and are none.
    """
    found: list[Item] = []
    for first, lines, is_bullet in _grouped(section):
        shown = "\n".join(lines).strip()
        if shown:
            found.append(Item(shown, first, is_bullet))
    return tuple(found)


def bullets(section: Section) -> tuple[str, ...]:
    """The texts of a section's bullets, each with what is indented below it."""
    return tuple(item.text for item in items(section) if item.is_bullet)


def without_comments(text: str) -> str:
    """`text` as a reader sees it: without HTML comments, but for those within code."""
    return "".join(line.shown + line.ending for line in _lines(text) if line.shown.strip() or not line.had_comment)


@dataclass(frozen=True, slots=True)
class _Line:
    raw: str
    number: int
    shown: str
    """Without comments and its line break."""
    is_code: bool
    """Whether it is of a code block, its fences included."""
    begins_shown: bool = True
    """Whether its first character is no comment's."""

    @property
    def ending(self) -> str:
        """Its line break."""
        return "\r\n" if self.raw.endswith("\r\n") else "\n" if self.raw.endswith("\n") else ""

    @property
    def had_comment(self) -> bool:
        """Whether something of it is hidden."""
        return len(self.shown) + len(self.ending) < len(self.raw)


def _lines(text: str) -> Iterator[_Line]:
    """The lines of `text`, each as it stands and as it is seen."""
    fence, at, number = "", 0, 0
    hidden_to = 0
    hidden = _Comments(text)
    comments = hidden.next(0)
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline + 1
        raw, number = text[at:end], number + 1
        bare = raw.rstrip("\r\n")
        if fence:
            yield _Line(raw, number, bare, is_code=True)
            if _closes(bare, fence):
                fence = ""
                comments = hidden.next(end)
        elif hidden_to <= at and (opened := _FENCE.match(bare)) and (comments is None or comments[0] >= at + len(bare)):
            fence = opened["ticks"] or opened["tildes"]
            yield _Line(raw, number, bare, is_code=True)
        else:
            shown, begins_shown, place = "", hidden_to <= at, max(at, hidden_to)
            while comments and comments[0] < end:
                begins_shown = begins_shown and comments[0] > at
                shown += text[place : comments[0]]
                place = hidden_to = comments[1]
                comments = hidden.next(hidden_to)
            shown += text[place:end]
            yield _Line(raw, number, shown.rstrip("\r\n").removeprefix("\ufeff"), False, begins_shown)
        at = end


class _Comments:
    """Finder of a text's comments, from one place to later ones; of any text it looks at each character a few times."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: tuple[int, int] | None = None
        self._is_over = False
        self._line_end = -1
        self._last: dict[int, int] = {}
        """Length -> where the last run of so many backticks begins, of one line."""

    def next(self, at: int) -> tuple[int, int] | None:
        """Where the first comment from `at` on begins and ends, code within lines passed over."""
        text = self._text
        if self._found is not None and self._found[0] >= at and text[at - 1 : at] in ("", "\n"):
            return self._found
        while not self._is_over:
            begin = text.find("<!--", at)
            if begin >= 0 and (code_end := self._code_over(max(at, text.rfind("\n", at, begin) + 1), begin)):
                at = code_end
                continue
            end = text.find("-->", begin + 4) if begin >= 0 else -1
            if end >= 0:
                self._found = begin, end + 3
                return self._found
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


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _grouped(section: Section) -> Iterator[tuple[int, list[str], bool]]:
    """First line, lines and kind of each item."""
    lines: list[str] = []
    first, is_bullet, indent, is_parted = 0, False, 0, False
    below = section.line + (1 if section.head else 0)
    for line in _lines(section.text):
        bare = line.shown.strip()
        if not line.is_code and not bare:
            is_parted = is_parted or not line.had_comment
            continue
        depth = len(line.shown) - len(line.shown.lstrip())
        bullet = None if line.is_code else _BULLET.match(line.shown)
        is_break = not line.is_code and bool(_RULE.match(line.shown) or _HEADING.match(line.shown))
        if bullet and not is_break:
            is_new = not (is_bullet and depth >= indent + _CONTINUED)
        else:
            is_new = is_parted and not (is_bullet and depth >= indent + _CONTINUED) and not (line.is_code and lines)
        if lines and (is_new or is_break):
            yield first, lines, is_bullet
            lines = []
        is_parted = False
        if is_break:
            is_bullet = False
            continue
        if not lines:
            first, is_bullet, indent = below + line.number - 1, bool(bullet), depth
            lines = [_BOX.sub("", line.shown[bullet.end() :], count=1).rstrip() if bullet else line.shown.strip()]
        else:
            lines.append(line.shown if line.is_code else line.shown.rstrip())
    if lines:
        yield first, lines, is_bullet
