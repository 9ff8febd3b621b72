"""Document of curated memory: markdown cut into pages, with a byte-exact round trip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from domain.curated.page import Page, PageKind, is_bullet, pointer_of
from domain.edit.lines import BOM
from domain.text.lines import decode_text, encode_text, lines_of
from domain.text.markdown.lines import LineKind, heading_words, markdown_lines

_LONGEST_SECTION = 200
"""Most characters of a heading repeated in every page below."""


@dataclass(frozen=True)
class Document:
    """Pages of one file, in order and complete."""

    pages: tuple[Page, ...]
    mark: str = ""
    """Byte order mark, if any."""

    @cached_property
    def facts(self) -> tuple[Page, ...]:
        """Facts and pointers."""
        return tuple(page for page in self.pages if page.kind is not PageKind.SECTION)

    @cached_property
    def duplicates(self) -> tuple[Page, ...]:
        """Facts that also stand in an earlier place."""
        seen: set[str] = set()
        twice = []
        for page in self.facts:
            if page.text in seen:
                twice.append(page)
            seen.add(page.text)
        return tuple(twice)

    def __bytes__(self) -> bytes:
        """The file."""
        return encode_text(self.mark, *(page.raw for page in self.pages))


def parse_document(data: bytes) -> Document:
    """Pages of a file; for any content, `bytes()` of the result equals the file."""
    text = decode_text(data)
    mark, words = ("\ufeff", text[1:]) if data.startswith(BOM) else ("", text)
    lines = lines_of(words)
    read = markdown_lines(lines, bullets_open_code=False)
    comments = sorted((index, special.first) for index, special in read.items() if special.kind is LineKind.COMMENT)
    ends = {first: index for index, first in comments}
    # A fact may hold the mark that ends a comment; it must not hide the facts above it.
    open_comments = {first for first, last in ends.items() if is_bullet(lines[last].rstrip("\r\n"))}
    pages: list[Page] = []
    begun: list[str] = []
    kind, line, section, after_blank = PageKind.SECTION, 1, "", False
    for number, raw in enumerate(lines, 1):
        bare = raw.rstrip("\r\n")
        special = read.get(number - 1)
        is_hidden = special is not None and special.first not in (number - 1, *open_comments)
        sign = "" if is_hidden else bare[:1]
        heading = heading_words(bare) if sign == "#" else None
        bullet = sign in ("-", "*", "+") and is_bullet(bare)
        prose = after_blank and kind is PageKind.FACT and sign.strip() != ""
        if heading is not None or bullet or prose:
            pages += _page(kind, begun, line, section)
            begun, line = [], number
            section = section if heading is None else heading[:_LONGEST_SECTION]
            kind = PageKind.FACT if bullet else PageKind.SECTION
        begun.append(raw)
        after_blank = not bare or bare.isspace()
    return Document((*pages, *_page(kind, begun, line, section)), mark)


def _page(kind: PageKind, lines: Sequence[str], line: int, section: str) -> list[Page]:
    if not lines:
        return []
    raw = "".join(lines)
    page = Page(kind, raw, line, section)
    if kind is PageKind.FACT and "[" in raw and "\n" not in raw.strip() and pointer_of(page.text):
        page = Page(PageKind.POINTER, raw, line, section)
    return [page]
