"""Levels of summaries: detail by length of a text, and the parts of a long text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

CHARS_OF_TOKEN = 4
CHUNK_TOKENS = 3_000
OVERLAP_TOKENS = 200
GROUP = 5
_BOUNDARIES = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+"),
    re.compile(r"\s+"),
)


class Level(StrEnum):
    """Depth of a summary."""

    NONE = "none"
    BRIEF = "brief"
    """One sentence."""
    STANDARD = "standard"
    """One paragraph."""
    DETAILED = "detailed"
    """Summaries of parts, and a summary of the parts' summaries."""
    HIERARCHICAL = "hierarchical"
    """Summaries of parts, of groups of parts, and of all."""


def tokens_of(text: str) -> int:
    """Tokens of a text, four characters each."""
    return -(-len(text) // CHARS_OF_TOKEN)


def level_of(tokens: int) -> Level:
    """Level of summary for a text of so many tokens."""
    if tokens < 100:
        return Level.NONE
    if tokens < 500:
        return Level.BRIEF
    if tokens < CHUNK_TOKENS:
        return Level.STANDARD
    return Level.DETAILED if tokens <= 15_000 else Level.HIERARCHICAL


def chunks(text: str) -> tuple[str, ...]:
    """Parts of a text, each of at most 3,000 tokens; each begins with the last 200 of the part before.

    A part ends after a paragraph, else a line, a sentence, a word; anywhere without such a boundary.
    """
    size, overlap = CHUNK_TOKENS * CHARS_OF_TOKEN, OVERLAP_TOKENS * CHARS_OF_TOKEN
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= size else start + _cut(text[start : start + size])
        if part := text[start:end].strip():
            parts.append(part)
        if end == len(text):
            break
        start = _beginning(text, max(start + 1, end - overlap), end)
    return tuple(parts)


def groups(items: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Items in groups of five, in order."""
    return tuple(tuple(items[at : at + GROUP]) for at in range(0, len(items), GROUP))


def _cut(window: str) -> int:
    """End of a part: the last boundary of the second half."""
    for boundary in _BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(window, len(window) // 2)]
        if ends:
            return ends[-1]
    return len(window)


def _beginning(text: str, at: int, end: int) -> int:
    """Beginning of the next part: at a word, from `at` on."""
    match = _BOUNDARIES[-1].search(text, at, end)
    return match.end() if match is not None and match.end() < end else at
