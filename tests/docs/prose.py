"""What people write in markdown: its paragraphs and items, without code, tables, headings and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
GENERATED = frozenset({"protocol.md"})
FENCE = re.compile(r"\s*(`{3,}|~{3,})")
NO_PROSE = re.compile(r"\s*(\||#|<!--|!\[|---)|\s*$")
MARKER = re.compile(r"\s*([-*]|\d+\.) ")
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
TARGET = re.compile(r"\]\([^)]*\)|<https?:[^>]*>")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|cf|vs)\.")
LABEL = re.compile(r"^\*\*[^*]*\.\*\* ")
TWO_SENTENCES = re.compile(r"[.!?][)”’\"*_\]]*\s+\S")
ENDS = re.compile(r"[.!?:…][)”’\"*_\]]*$")


def pages() -> list[Path]:
    """Every page that is written by hand."""
    return sorted([*ROOT.glob("*.md"), *(page for page in (ROOT / "docs").rglob("*.md") if page.name not in GENERATED)])


def lines_outside_code(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) of all that is in no fence."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence:
            yield number, line


def paragraphs(text: str) -> Iterator[list[tuple[int, str]]]:
    """The numbered lines of each paragraph or list item, bare of markers, code, links' targets and abbreviations' dots."""
    block: list[tuple[int, str]] = []
    before = 0
    for number, line in lines_outside_code(text):
        if NO_PROSE.match(line) or MARKER.match(line) or number != before + 1:
            if block:
                yield block
            block = []
        if not NO_PROSE.match(line):
            block.append((number, bare(line)))
        before = number
    if block:
        yield block


def bare(line: str) -> str:
    """A line's words, with nothing in it whose dots end no sentence."""
    words = TARGET.sub("]", SPAN.sub("X", MARKER.sub("", line, count=1).strip()))
    return ABBREVIATION.sub("X", LABEL.sub("", words))


def faults(text: str) -> Iterator[tuple[int, str]]:
    """(line, what is wrong) wherever a line is not one sentence."""
    for block in paragraphs(text):
        for number, line in block:
            if TWO_SENTENCES.search(line):
                yield number, "two sentences in one line"
        for number, line in block[:-1]:
            if not ENDS.search(line):
                yield number, "the sentence goes on in the next line"
