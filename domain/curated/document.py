"""Document of curated memory: markdown cut into pages, of which the same bytes can be put together again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from domain.curated.page import Page, PageKind, is_bullet, pointer_of
from domain.edit.lines import BOM

_HEADING = re.compile(r"#{1,6}(?:[ \t]+(?P<words>.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


@dataclass(frozen=True)
class Document:
    """The pages of one file, in order; nothing of the file is missing."""

    pages: tuple[Page, ...]
    mark: str = ""
    """The byte order mark, if it has one."""

    @cached_property
    def facts(self) -> tuple[Page, ...]:
        """Facts and pointers."""
        return tuple(page for page in self.pages if page.kind is not PageKind.SECTION)

    @cached_property
    def duplicates(self) -> tuple[Page, ...]:
        """Facts that stand in an earlier place as well."""
        seen: set[str] = set()
        twice = []
        for page in self.facts:
            if page.text in seen:
                twice.append(page)
            seen.add(page.text)
        return tuple(twice)

    def __bytes__(self) -> bytes:
        """The file."""
        return joined(self.mark, *(page.raw for page in self.pages))


def parsed(data: bytes) -> Document:
    """The pages of a file; whatever it holds, `bytes()` of the outcome gives it again."""
    text = decoded(data)
    mark, words = ("\ufeff", text[1:]) if data.startswith(BOM) else ("", text)
    lines = lines_of(words)
    fenced = _fenced(lines)
    pages: list[Page] = []
    begun: list[str] = []
    kind, line, section, after_blank = PageKind.SECTION, 1, "", False
    for number, raw in enumerate(lines, 1):
        bare = raw.rstrip("\r\n")
        heading = None if fenced[number - 1] else heading_words(bare)
        bullet = heading is None and not fenced[number - 1] and is_bullet(bare)
        prose = not fenced[number - 1] and kind is PageKind.FACT and after_blank and bare[:1].strip() != ""
        if heading is not None or bullet or prose:
            pages += _page(kind, begun, line, section)
            begun, line = [], number
            section = section if heading is None else heading
            kind = PageKind.FACT if bullet else PageKind.SECTION
        begun.append(raw)
        after_blank = not bare.strip()
    return Document((*pages, *_page(kind, begun, line, section)), mark)


def decoded(data: bytes) -> str:
    """Text that keeps every byte."""
    return data.decode("utf-8", "surrogateescape")


def joined(*parts: str) -> bytes:
    """The bytes of text that `decoded` gave."""
    return "".join(parts).encode("utf-8", "surrogateescape")


def lines_of(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def heading_words(line: str) -> str | None:
    """The words of a heading; None for a line that is none."""
    match = _HEADING.fullmatch(line.rstrip("\r\n"))
    return None if match is None else (match["words"] or "").strip()


def _fenced(lines: Sequence[str]) -> list[bool]:
    """For each line whether it is of a code block; marks that nothing closes open none."""
    marks = [_FENCE.match(line) for line in lines]
    fenced = [False] * len(lines)
    unclosed: dict[str, int] = {}
    """Character -> fewest marks of it that nothing behind them closes."""
    at = 0
    while at < len(lines):
        match = marks[at]
        if match is not None and len(match[1]) < unclosed.get(match[1][0], len(match[1]) + 1):
            end = next((each for each in range(at + 1, len(lines)) if _closes(match[1], lines[each], marks[each])), 0)
            if end:
                fenced[at : end + 1] = [True] * (end + 1 - at)
                at = end
            else:
                unclosed[match[1][0]] = len(match[1])
        at += 1
    return fenced


def _closes(opening: str, line: str, marks: re.Match[str] | None) -> bool:
    if marks is None or marks[1][0] != opening[0] or len(marks[1]) < len(opening):
        return False
    return not line.strip().strip(opening[0])


def _page(kind: PageKind, lines: Iterable[str], line: int, section: str) -> list[Page]:
    raw = "".join(lines)
    if not raw:
        return []
    page = Page(kind, raw, line, section)
    if kind is PageKind.FACT and "\n" not in raw.strip() and pointer_of(page.text):
        page = Page(PageKind.POINTER, raw, line, section)
    return [page]
