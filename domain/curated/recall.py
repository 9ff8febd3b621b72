"""Recall from curated memory: the facts with most words of a question, and a code for the outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.curated.page import Page
from domain.memory.keywords import question_words, terms, words
from domain.memory.porter import stem

LONGEST_QUERY = 1_000
MOST = 20
_PAGE_CHARS = 2_000
_ALL_CHARS = 2_000_000
_MOST_STEMS = 20_000
"""Bounds on the characters read of a page and of all pages, and on the different words to stem; beyond the bounds words
count unstemmed. Every other request waits meanwhile."""


class RecallCode(StrEnum):
    """Outcome of a recall."""

    OK = "ok"
    NO_MATCH = "no_match"
    """Memory exists, without a word of the question."""
    DENIED = "denied"
    """The requested text may not be read here."""
    MALFORMED = "malformed"
    """The question has no words, or too many characters."""
    UNAVAILABLE = "unavailable"
    """There is no memory yet."""
    BACKEND_ERROR = "backend_error"
    """A file could not be read."""


@dataclass(frozen=True, slots=True)
class PageMatch:
    """Page found by a recall."""

    scope: str
    file: str
    page: Page
    hits: int
    """Number of the question's words on the page."""


def flaw_of_query(query: str) -> str:
    """Fault of a question; empty for a valid question."""
    if len(query) > LONGEST_QUERY:
        return f"the question has {len(query):,} characters; at most {LONGEST_QUERY:,} are searched"
    if not terms(query):
        return f"{query[:80]!r} has no word to search for"
    return ""


def matches(query: str, pages: Sequence[tuple[str, str, Page]]) -> tuple[PageMatch, ...]:
    """Pages with a word of the question, those with most words first, then in file order.

    Args:
        query: In plain words.
        pages: Scope, file and page, in the order of the files.
    """
    wanted = set(question_words(query)) or set(query.split())
    stems = {term for word in wanted for term in terms(word)}
    begins, known = {term[:2] for term in stems}, dict[str, str]()
    matching, room = [], _ALL_CHARS
    for scope, file, page in pages:
        text = f"{page.section} {page.text}"[:_PAGE_CHARS]
        room -= len(text)
        if room < 0:
            break
        likely = {word for word in words(text) if word[:2] in begins}
        known |= {word: stem(word) for word in likely - known.keys() if len(known) < _MOST_STEMS}
        hits = len(stems & {known.get(word, word) for word in likely})
        if hits:
            matching.append(PageMatch(scope, file, page, hits))
    return tuple(sorted(matching, key=lambda each: -each.hits)[:MOST])
