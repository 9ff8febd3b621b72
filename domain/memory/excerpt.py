"""Shown part of a turn: short, from the start of a sentence, around the words of the question."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection
from typing import NamedTuple

from domain.memory.keywords import STOP_TERMS, fold_words
from domain.memory.letters import plain_letters
from domain.memory.porter import stem
from domain.memory.searchable import UNSPACED

MARK = "…"
"""Ends every incomplete excerpt; also begins an excerpt that starts later than the turn."""
_START = re.compile(
    "[.!?…][\"')\\]*_\u201d\u2019]? (?=\\S)"  # a blank after a sentence, its quote closed or not
    "|[\u3002\uff01\uff1f](?=\\S)"  # the full stops of Chinese and Japanese, which need no blank
)


class Excerpt(NamedTuple):
    """Shown part of a turn, and True if the part is incomplete."""

    text: str
    is_truncated: bool


def collapse(text: str) -> str:
    """`text` with each run of whitespace as one space, without spaces at the ends."""
    return " ".join(text.split())


def excerpt(text: str, limit: int, terms: Collection[str] = (), *, width: Callable[[str], int] = len) -> Excerpt:
    """Stretch of `text` most relevant to `terms` within `limit`, whitespace collapsed.

    An excerpt begins with a sentence. Of equals the longer stretch wins, then the earlier stretch.

    Args:
        text: Words of the turn.
        limit: Most of `width` for the excerpt, marks included.
        terms: Index terms of the question, see `domain.memory.keywords.terms`; terms of stop words do not count.
        width: Space of a string on display; at least 1 a character, additive.

    Raises:
        ValueError: `limit` has not even room for the mark.
    """
    if limit < width(MARK):
        raise ValueError(f"limit {limit}: must have room for {MARK!r}")
    whole = collapse(text)
    if width(whole) <= limit:
        return Excerpt(whole, is_truncated=False)
    head = f"{MARK} "
    starts = [match.end() for match in _START.finditer(whole)] if limit > 2 * width(head) else []
    occurrences = _occurrences(whole, frozenset(terms) - STOP_TERMS)
    begins = [at for at, _, _ in occurrences]
    start, body = 0, _fitting(whole, limit - width(MARK), width)
    best = _gain(occurrences, begins, 0, len(body)), len(body)
    for place in starts:
        # No character takes less than 1, so the stretch ends here at the latest.
        if _gain(occurrences, begins, place, place + limit) < best[0]:
            continue
        stretch = _fitting(whole[place : place + limit], limit - width(head + MARK), width)
        worth = _gain(occurrences, begins, place, place + len(stretch)), len(stretch)
        if worth > best:
            start, body, best = place, stretch, worth
    return Excerpt((head if start else "") + body + MARK, is_truncated=True)


def _occurrences(text: str, terms: frozenset[str]) -> list[tuple[int, int, str]]:
    """Places of the wanted terms, in order: begin, end, term; slightly off with marks left out of words."""
    if not terms:
        return []
    padded = f" {fold_words(text)} "
    occurrences: list[tuple[int, int, str]] = []
    for word in set(padded.split()):
        if (term := stem(plain_letters(word))) in terms:
            place = padded.find(f" {word} ")
            while place >= 0:
                occurrences.append((place, place + len(word), term))
                place = padded.find(f" {word} ", place + len(word))
    for pair in terms:
        if UNSPACED.match(pair):
            occurrences += [(match.start(), match.end(), pair) for match in re.finditer(re.escape(pair), text)]
    return sorted(occurrences)


def _gain(occurrences: list[tuple[int, int, str]], begins: list[int], begin: int, end: int) -> int:
    """Number of different terms between `begin` and `end`."""
    within = occurrences[bisect_left(begins, begin) : bisect_left(begins, end)]
    return len({term for _, to, term in within if to <= end})


def _fitting(text: str, room: int, width: Callable[[str], int]) -> str:
    """The longest beginning of `text` within `room`, cut between words if that costs little.

    No character may take less than 1 of `width`.
    """
    low, high = 0, min(len(text), room)
    if width(text[:high]) <= room:
        low = high
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width(text[:middle]) <= room else (low, middle - 1)
    cut = text[:low].rstrip()
    space = cut.rfind(" ")
    return cut[:space] if low < len(text) and text[low] != " " and space > low * 3 // 4 else cut
