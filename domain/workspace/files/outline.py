"""Outline of a markdown file: visible lines, sections and items.

Text in a code block, a comment or the front matter begins neither a section nor an item;
`domain/text/markdown/lines.py` decides on the kind of each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from domain.edit.lines import line_end
from domain.text.lines import decode_text, lines_of
from domain.text.markdown.lines import LineKind, heading_words, markdown_lines
from domain.workspace.files.wording import title_key

BULLET = re.compile(r"([ \t]*)(?:[-*+]|(\d{1,3})[.)])[ \t]+(?=\S)")
_FENCE = re.compile(r"[ \t]*((?:[-*+]|\d{1,3}[.)])[ \t]+)?(`{3,}|~{3,})(.*)")
_NOTHING = re.compile(r"[ \t]*(?:(?:[-*_][ \t]*){3,}|[-*+][ \t]*)")
"""A ruled line, or a bullet without words."""
_NESTED = 2
"""Columns by which a bullet stands deeper than its parent."""
_NOWHERE = 1_000
"""Column of a paragraph without bullets of its own."""
_FURTHER = 5
"""By so many at most a list counts on from one line to the next; any other number is of a sentence."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file."""

    raw: str
    """Line with its end."""
    text: str
    """Visible text of the line: without line end and comments."""
    level: int = 0
    """Level of a heading; 0 for other lines."""
    title: str = ""
    """Words of the heading."""
    is_code: bool = False
    """True if the line belongs to a code block, fences included."""


@dataclass(frozen=True, slots=True)
class Item:
    """One bullet with all dependent lines, one paragraph, or one code block."""

    text: str
    """In one line."""
    begin: int
    """Number of the item's first line within the section."""
    end: int
    """Number behind the item's last line."""
    raw: str
    """Lines of the item, comments included."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with all text below; the first section of a file has no heading and may be empty."""

    title: str
    lines: tuple[Line, ...]

    @property
    def level(self) -> int:
        """Level of the section's heading; 0 without a heading."""
        return self.lines[0].level if self.title else 0

    @property
    def raw(self) -> str:
        """The whole text of the section."""
        return "".join(line.raw for line in self.lines)

    @property
    def text(self) -> str:
        """Visible text below the heading."""
        body = self.lines[1:] if self.title else self.lines
        return "\n".join(line.text for line in body).strip()


def read_lines(data: bytes) -> tuple[Line, ...]:
    """The lines of a file; their `raw` together is the file."""
    raws = lines_of(decode_text(data))
    bares = [raws[0].removeprefix("\ufeff"), *raws[1:]] if raws else []
    special = markdown_lines(bares)
    parsed = []
    for number, (raw, bare) in enumerate(zip(raws, bares, strict=True)):
        line = special.get(number)
        is_code = line is not None and line.kind is LineKind.CODE
        words = bare.rstrip("\r\n") if line is None else line.text
        parsed.append(Line(raw, words, is_code=True) if is_code else _line(raw, words))
    return tuple(parsed)


def sections(data: bytes, level: int, known: Iterable[str] = ()) -> tuple[Section, ...]:
    """A file cut before every heading of at most a level; the first section is the text above all headings.

    Args:
        data: The file.
        level: Deepest level at which any heading begins a section.
        known: Titles that begin a section at any level; the next heading of the same or a higher level ends the
            section.
    """
    keys = {title_key(title) for title in known}
    parts: list[Section] = []
    title, begun, least = "", list[Line](), level
    for line in read_lines(data):
        if 1 <= line.level <= least or (line.level and title_key(line.title) in keys):
            parts.append(Section(title, tuple(begun)))
            title, begun, least = line.title or "#", [], max(level, line.level)
        begun.append(line)
    return (*parts, Section(title, tuple(begun)))


def items(section: Section, *, prose: bool = False) -> tuple[Item, ...]:
    """Bullets of the section, in order; with `prose` also its paragraphs and code blocks."""
    candidates = (_item(section.lines, begin, end) for begin, end in _spans(section, prose=prose))
    return tuple(item for item in candidates if item.text)


def new_line_of(data: bytes) -> str:
    """Line end of most lines."""
    return line_end(data).decode()


def _line(raw: str, visible: str) -> Line:
    """A line outside of code blocks; a heading if the heading's beginning is visible."""
    words = heading_words(visible) if visible.startswith("#") and raw.removeprefix("\ufeff").startswith("#") else None
    level = len(visible) - len(visible.lstrip("#")) if words is not None else 0
    return Line(raw, visible, level, words or "")


def _spans(section: Section, *, prose: bool) -> Iterator[tuple[int, int]]:
    """Beginning and end of each item, among the section's lines."""
    begin, end = -1, -1
    is_open, is_parted, is_code, depth, count = False, False, False, 0, 0
    for number, line in enumerate(section.lines):
        if (number == 0 and section.title) or line.level or (not line.is_code and _NOTHING.fullmatch(line.text)):
            is_open = False
            continue
        if line.is_code and is_code and end == number:  # blank lines of the block, too
            end = number + 1
            continue
        if not line.text.strip():
            is_parted = is_parted or not line.raw.strip()
            continue
        is_deeper = _columns(line.text[: -len(line.text.lstrip())]) >= depth + _NESTED
        is_open, is_parted = is_open and (is_deeper or not is_parted), False
        bullet = None if line.is_code else BULLET.match(line.text)
        if bullet and is_open and not is_deeper and not _counts_on(bullet, count):
            bullet = None
        if not line.is_code and is_open and not (bullet and not is_deeper):
            end = number + 1
            continue
        if begin >= 0:
            yield begin, end
            begin = -1
        is_code = line.is_code
        if bullet:
            is_open, depth, count = True, _columns(bullet[1]), int(bullet[2] or 0)
        else:
            is_open, depth, count = not line.is_code, _NOWHERE, 0
        if bullet or prose:
            begin, end = number, number + 1
    if begin >= 0:
        yield begin, end


def _counts_on(bullet: re.Match[str], count: int) -> bool:
    """True if a line with such a beginning starts an item within an open item: a number has to count on."""
    number = int(bullet[2]) if bullet[2] else 1
    return number == 1 or (count > 0 and count <= number <= count + _FURTHER)


def _item(lines: Sequence[Line], begin: int, end: int) -> Item:
    """The item of some lines; a number below the first line stays, for it may belong to a sentence."""
    words = list[str]()
    count = 0
    for line in lines[begin:end]:
        mark = None if line.is_code else BULLET.match(line.text)
        is_own = line.is_code or (mark is not None and (not words or _counts_on(mark, count)))
        count = int(mark[2]) if mark and mark[2] and is_own else count
        bare = line.text[mark.end() :] if mark and is_own and (not words or not mark[2]) else line.text
        text = " ".join(bare.split())
        if text and not (line.is_code and _FENCE.match(line.text)):
            joint = "; " if is_own and words and not words[-1].endswith((":", ";")) else " "
            words.append((joint if words else "") + text)
    return Item("".join(words), begin, end, "".join(line.raw for line in lines[begin:end]))


def _columns(blanks: str) -> int:
    return len(blanks.expandtabs(4))
