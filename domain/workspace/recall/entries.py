"""Entries of a workspace's files: the single facts shown with a message, each with its place and time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from domain.workspace.files.outline import Item, Section, items, sections

LONGEST = 400
"""A paragraph of more characters is several entries."""
_PART = 300
"""Most characters of each part, if its sentences permit."""

_DAY = re.compile(r"(?<![0-9])(\d{4})-(\d{2})-(\d{2})(?![0-9])")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])")
_BOX = re.compile(r"\A\[[ xX]\]\s+")
"""Box of a bullet that can be ticked off."""
_HASHES = 6


class Source(StrEnum):
    """File of a workspace used for recall."""

    SESSION = "session"
    MEMORY = "memory"
    SHARED = "shared"
    """`workspace/MEMORY.md`, shared by all channels."""
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class Entry:
    """One bullet with all text below, or one paragraph or a part of a paragraph."""

    source: Source
    path: str
    section: str
    """The `#` or `##` heading above, and behind ` / ` a deeper heading."""
    text: str
    """On one line, without comments."""
    line: int
    """Line number in the file, from 1."""
    day: date | None = None
    """Day of writing, by the heading or the first words; None without a day."""


def entries(text: str, source: Source, path: str) -> tuple[Entry, ...]:
    """The entries of a file in order.

    Args:
        text: Text of the file.
        source: Kind of the file.
        path: Name of the file in the block.
    """
    collected: list[Entry] = []
    above: list[Section] = []
    line = 1
    for section in sections(text.encode("utf-8", "surrogateescape"), _HASHES):
        above = [*(each for each in above if each.level < section.level), section]
        name = _name(above)
        day = next((day for each in reversed(above) if (day := last_day(each.title))), None)
        for begin, whole in _wholes(section):
            parts = _parts(whole)
            collected.extend(Entry(source, path, name, part, line + begin, _own_day(part) or day) for part in parts)
        line += len(section.lines)
    return tuple(collected)


def _wholes(section: Section) -> Iterator[tuple[int, str]]:
    """Beginning of each item, and the item's text; a code block belongs to the item above."""
    wholes: list[tuple[int, str]] = []
    for item in items(section, prose=True):
        if wholes and _is_code(section, item):
            begin, text = wholes.pop()
            wholes.append((begin, f"{text} {item.text}"))
        else:
            wholes.append((item.begin, _BOX.sub("", item.text, count=1)))
    yield from wholes


def _is_code(section: Section, item: Item) -> bool:
    return section.lines[item.begin].is_code


def last_day(text: str) -> date | None:
    """The last date that `text` names in ISO's form; None without a date."""
    return next((day for match in reversed([*_DAY.finditer(text)]) if (day := _date(match))), None)


def _name(above: list[Section]) -> str:
    """The nearest heading of one or two hashes, and the nearest deeper heading."""
    main = next((each.title for each in reversed(above) if each.level <= 2), "")
    deep = above[-1].title if above[-1].level > 2 else ""
    return " / ".join(title for title in (main, deep) if title not in ("", "#"))


def _own_day(text: str) -> date | None:
    """The date at an entry's beginning."""
    match = _DAY.search(text[:14])
    return _date(match) if match else None


def _date(match: re.Match[str]) -> date | None:
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None


def _parts(text: str) -> Iterator[str]:
    """`text` itself, or groups of a few of the text's sentences."""
    if len(text) <= LONGEST:
        yield text
        return
    part = ""
    for sentence in _SENTENCE.split(text):
        if part and len(part) + 1 + len(sentence) > _PART:
            yield part
            part = ""
        part = f"{part} {sentence}" if part else sentence
    yield part
