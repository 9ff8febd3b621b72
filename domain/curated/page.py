"""Page of curated memory: kinds, fidelity in a prompt, and faults."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

_MARKER = re.compile(r"[-*+][ \t]+")
_POINTER = re.compile(
    r"\[(?P<title>[^\[\]\n]+)\]\((?P<file>[^()\s/]+\.md)\)[ \t]*(?:(?:[\u2012-\u2015]|--?|:)[ \t]*(?P<gist>.*))?"
)
_CONFIRMED = re.compile(r"(?<![ \t])[ \t]*<!-- confirmed (\d{4}-\d{2}-\d{2}) -->")
_ID_BYTES = 4


class Scope(StrEnum):
    """Reach of a memory folder."""

    GLOBAL = "global"
    """This user, in all projects."""
    PROJECT = "project"
    """A repository and all contributors."""


class PageKind(StrEnum):
    """Kind of a page."""

    SECTION = "section"
    """A heading with the words below outside bullets; also the text before the first heading."""
    FACT = "fact"
    """A bullet with all lines of the bullet."""
    POINTER = "pointer"
    """A bullet of one line that names a topic file."""


class Fidelity(StrEnum):
    """Share of a page in a prompt."""

    FULL = "full"
    GIST = "gist"
    """First line of the page."""
    POINTER = "pointer"
    """Line that names the place of the rest; the whole page for a pointer."""
    ABSENT = "absent"


MINIMUM = {PageKind.SECTION: Fidelity.GIST, PageKind.FACT: Fidelity.GIST, PageKind.POINTER: Fidelity.POINTER}
"""Lowest useful fidelity of each kind; below, the page is absent."""


class FaultKind(StrEnum):
    """Kind of a fault."""

    OVER_BUDGET = "over_budget"
    """Pages did not fit into the budget of tokens."""
    CAPPED = "capped"
    """An index is longer than the injected part."""
    STALE_TABLE = "stale_table"
    """The page table is of an earlier version of the index."""
    INVALID_TABLE = "invalid_table"
    """The page table is missing or unreadable."""
    MISSING_TOPIC = "missing_topic"
    """A pointer names a missing file."""
    DUPLICATE = "duplicate"
    """A fact stands twice."""
    WRITEBACK_REJECTED = "writeback_rejected"
    """The staged fact broke a rule."""
    DENIED = "denied"
    """Access to a file or a scope is denied."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, in words for a person."""

    kind: FaultKind
    scope: str
    detail: str


@dataclass(frozen=True)
class Page:
    """One page of an index or a topic file, with every byte of the page."""

    kind: PageKind
    raw: str
    """Text as in the file, line ends and trailing blank lines included."""
    line: int
    """1-based line of the page's beginning."""
    section: str
    """Words of the heading above, or of the page's own heading; empty before the first heading."""

    @cached_property
    def first_line(self) -> str:
        """First line without the line end."""
        return self.raw.partition("\n")[0].rstrip("\r")

    @cached_property
    def text(self) -> str:
        """Words of the page in one line: without bullet, date and superfluous blanks."""
        words = _CONFIRMED.sub("", self.raw)
        if self.kind is not PageKind.SECTION:
            words = _MARKER.sub("", words, count=1)
        return " ".join(words.split())

    @cached_property
    def confirmed(self) -> str:
        """Day of the last confirmation, `YYYY-MM-DD`; empty without a date."""
        match = _CONFIRMED.search(self.raw)
        return match[1] if match else ""

    @cached_property
    def id(self) -> str:
        """Eight hex digits of the page's kind and words; equal for equal words in any place."""
        seen = "\0".join((self.kind.value, self.text)).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(seen, digest_size=_ID_BYTES).hexdigest()

    @cached_property
    def target(self) -> str:
        """File named by a pointer; empty for every other page."""
        match = pointer_of(self.text) if self.kind is PageKind.POINTER else None
        return match["file"] if match else ""

    @cached_property
    def gist(self) -> str:
        """First line of the page, with a sign if more lines follow."""
        rest = self.raw[len(self.first_line) :].strip()
        return f"{self.first_line} …" if rest else self.first_line


def pointer_of(text: str) -> re.Match[str] | None:
    """Parts `title`, `file` and `gist` of a pointer's words; None for words of another form."""
    return _POINTER.fullmatch(text)


def is_bullet(line: str) -> bool:
    """True if a line begins a bullet of the outermost level with words."""
    return _MARKER.match(line) is not None and bool(line.strip("-*+ \t\r\n").strip())


def with_date(bullet: str, day: str) -> str:
    """Line of a bullet with the day of the last confirmation; without a day if `day` is empty."""
    bare = without_date(bullet)
    return bare.rstrip(" \t") + f" <!-- confirmed {day} -->" if day else bare


def without_date(lines: str) -> str:
    """Lines of a fact without the day of a confirmation."""
    return _CONFIRMED.sub("", lines)


def undated_line(line: bytes) -> bytes:
    """Line of a file, in any encoding, without the day of a confirmation."""
    if b"<!-- confirmed" not in line:
        return line
    return without_date(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
