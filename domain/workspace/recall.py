"""Recall from a workspace's files: the few entries that bear on a message, in the order in which they are shown.

An entry is *admitted* by how telling the terms are that it shares with the message, which no other entry has a say in.
Those that are admitted are *ranked* by BM25 over the files, their source and their age. Most messages admit none.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from heapq import nsmallest

from domain.workspace.entries import Entry, Source, last_day
from domain.workspace.intent import STATE_SECTIONS, Intent, intent, spent_words
from domain.workspace.terms import Telling, asked, terms

POINTS = 2
"""What an entry's terms must be worth: one that says much, or two that say something."""
PREFIX_CHARS = 4
"""A term of so many characters that no entry has is looked for as the beginning of another, which says something."""
TOPIC_POINTS, EMPTY_POINTS = 0.5, 0.5
"""So much less a term says that is the topic of the files; and so much all empty words together."""
BESIDE_SHARE = 0.1
"""Where one entry is admitted, others that share a word with the message are shown too if they score so much of it."""
LONG_MESSAGE = 24
"""A message with so many terms has some in common with much; it asks for a point more, and again at twice as many."""
COMMON_SHARE, COMMON_LEAST = 0.25, 10
"""A term that such a share of the entries have is their topic, where there are so many."""
LIKE_SHARE, SAME_SHARE = 0.25, 0.6
"""Entries that share so much of their terms are about one thing; and that much, one fact."""
MOST = 40
"""Entries that are shown at most."""

_K1, _B = 1.2, 0.75
_PRIOR = {Source.SESSION: 1.25, Source.MEMORY: 1.1, Source.SHARED: 1.0, Source.HISTORY: 0.35}
_KIND = {source: place for place, source in enumerate((Source.SESSION, Source.MEMORY, Source.SHARED, Source.HISTORY))}
_FAVOUR = 1.4
_EMPTY_WEIGHT = 0.5
_PREVIOUS, _PREVIOUS_POINTS = 0.3, 0.5
_HALF_LIFE_DAYS = 365.0
_OWN_HEADINGS = frozenset(
    (
        *("session title", "current state", "user intent", "active files", "decisions", "constraints", "next steps"),
        *("errors & corrections", "worklog", "identity / participants", "preferences", "ongoing work", "open loops"),
        *("durable facts",),
    )
)
"""Headings of every such file, which say nothing of what stands below them."""


class _Found:
    """An entry that shares a term with a message."""

    __slots__ = ("entry", "has_empty", "is_admitted", "number", "points", "score", "shared", "staleness")

    def __init__(self, number: int, entry: Entry) -> None:
        self.number = number
        self.entry = entry
        self.score = 0.0
        self.points = 0.0
        self.has_empty = False
        """Whether it shares a word that every message may have."""
        self.is_admitted = False
        self.shared: set[str] = set()
        self.staleness = _staleness(entry)


class RecallIndex:
    """Index of a workspace's entries by their terms; made once for each change of a file."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Index `entries`, whose order settles what nothing else does."""
        self.entries = tuple(entries)
        self.postings: dict[str, list[tuple[int, float]]] = {}
        """Term -> numbers of the entries that have it, and how often, weighed by BM25."""
        counted = [Counter(_all_terms(entry)) for entry in self.entries]
        self.keys = tuple(frozenset(each) for each in counted)
        lengths = [sum(each.values()) for each in counted]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        for number, counts in enumerate(counted):
            norm = _K1 * (1 - _B + _B * lengths[number] / (mean or 1.0))
            for term, count in counts.items():
                part = count * (_K1 + 1) / (count + norm)
                self.postings.setdefault(term, []).append((number, part))
        self._sorted = sorted(self.postings)

    def beginning_with(self, term: str) -> list[tuple[int, float]]:
        """The postings of the first term that `term` begins, as words do of which one is made with another."""
        at = bisect_left(self._sorted, term)
        longer = self._sorted[at] if at < len(self._sorted) else ""
        return self.postings[longer] if longer.startswith(term) else []

    def weight(self, term: str) -> float:
        """How rare a term is among the entries."""
        having = len(self.postings.get(term, ()))
        return math.log(1 + (len(self.entries) - having + 0.5) / (having + 0.5))

    def is_topic(self, term: str) -> bool:
        """Whether so many entries have a term that it tells none from another."""
        having, count = len(self.postings.get(term, ())), len(self.entries)
        return count >= COMMON_LEAST and having > COMMON_SHARE * count


def recalled(
    question: str,
    index: RecallIndex,
    *,
    today: date,
    budget_chars: int,
    favoured: Collection[str] = (),
    previous: str = "",
) -> tuple[Entry, ...]:
    """The entries that bear on `question`, the first first; none when nothing does.

    Args:
        question: A person's message.
        index: Of the workspace's files.
        today: In the person's zone.
        budget_chars: So many characters the entries have together, the last of them apart.
        favoured: Headings or paths that count for more; they alone admit nothing.
        previous: The message before, which tells apart what a short question leaves open.
    """
    wanted = asked(question) | dict.fromkeys(terms(spent_words(question)), Telling.NOTHING)
    meant = intent(question, today, has_other_terms=any(wanted.values()))
    if meant.goes_on:
        return _within(_of_state(index), budget_chars)
    found = _admitted(index, wanted, previous, asks=meant.asks)
    favour = frozenset(each.casefold() for each in favoured)
    for each in found:
        each.score *= _factor(each.entry, meant, today, favour)
    best = max((each.score for each in found if each.is_admitted), default=0.0)
    found = _ranked([each for each in found if each.is_admitted or _is_beside(each, best)], index)
    numbers = [each.number for each in found]
    if meant.only_sections:
        numbers += _of_sections(index, meant)
    if meant.months and not (numbers and any(wanted.values())):
        numbers = _of_months(index, meant, numbers)
    chosen = [index.entries[number] for number in dict.fromkeys(numbers)]
    return _within(chosen, budget_chars)


def _all_terms(entry: Entry) -> tuple[str, ...]:
    """An entry's terms, those of its heading among them if people chose it."""
    heading = entry.section
    if last_day(heading) or heading.casefold() in _OWN_HEADINGS:
        return terms(entry.text)
    main, _, deep = heading.partition(" / ")
    return (*terms(entry.text), *terms(deep if main.casefold() in _OWN_HEADINGS else heading))


def _admitted(index: RecallIndex, wanted: Mapping[str, Telling], previous: str, *, asks: bool) -> list[_Found]:
    """The entries that share a term with the message, if one of them shares enough; scores are by their words alone."""
    found: dict[int, _Found] = {}
    for term, telling in wanted.items():
        worth = telling - TOPIC_POINTS if telling and index.is_topic(term) else float(telling)
        weight = index.weight(term) * (1.0 if telling else _EMPTY_WEIGHT)
        postings = index.postings.get(term)
        if postings is None and telling and len(term) >= PREFIX_CHARS:
            worth, postings = 1.0, index.beginning_with(term)
        for number, part in postings or ():
            one = found.get(number) or found.setdefault(number, _Found(number, index.entries[number]))
            one.score += weight * part
            one.points += worth
            one.has_empty |= not telling
            one.shared.add(term)
    for term, telling in asked(previous).items() if wanted else ():
        if term not in wanted:
            for number, part in index.postings.get(term, ()):
                if before := found.get(number):
                    before.score += index.weight(term) * part * _PREVIOUS
                    before.points += telling * _PREVIOUS_POINTS
    needed = float(POINTS + len(wanted) // LONG_MESSAGE)
    if asks:
        needed = min(needed, max(1.0, float(sum(wanted.values()))))
    for one in found.values():
        one.is_admitted = one.points + EMPTY_POINTS * one.has_empty >= needed
    return [*found.values()] if any(one.is_admitted for one in found.values()) else []


def _is_beside(found: _Found, best: float) -> bool:
    """Whether an entry that is not admitted stands beside those that are."""
    return found.entry.source is not Source.HISTORY and found.score >= BESIDE_SHARE * best


def _factor(entry: Entry, meant: Intent, today: date, favour: Collection[str]) -> float:
    """What an entry's score is multiplied by for where and when it stands."""
    factor = _PRIOR[entry.source] * meant.weight(entry)
    if entry.section.casefold() in meant.sections:
        factor *= _FAVOUR
    if entry.section.casefold() in favour or entry.path.casefold() in favour:
        factor *= _FAVOUR
    if entry.day and (entry.day.year, entry.day.month) in meant.months:
        factor *= 3
    if entry.day and not meant.months:
        factor *= 0.8 + 0.2 * 0.5 ** (max(0, (today - entry.day).days) / _HALF_LIFE_DAYS)
    return factor


def _ranked(found: list[_Found], index: RecallIndex) -> list[_Found]:
    """The best first, but nothing stale before what holds, and of a fact that is said twice only what holds."""
    ranked: list[_Found] = []
    for each in nsmallest(MOST, found, key=lambda one: (not one.is_admitted, -one.score, one.number)):
        if any(_repeats(index, each, other) for other in ranked):
            continue
        ranked = [other for other in ranked if not _repeats(index, other, each)]
        place = next((at for at, other in enumerate(ranked) if _yields(index, other, each)), len(ranked))
        ranked.insert(place, each)
    return ranked


def _staleness(entry: Entry) -> tuple[int, int]:
    """Greater is staler: by what kind of file it stands in, then by its day."""
    return _KIND[entry.source], -(entry.day.toordinal() if entry.day else 0)


def _repeats(index: RecallIndex, one: _Found, other: _Found) -> bool:
    """Whether `one` says what `other` says, and is staler."""
    return one.staleness > other.staleness and _likeness(index, one, other) >= SAME_SHARE


def _yields(index: RecallIndex, one: _Found, other: _Found) -> bool:
    """Whether `one` is staler, and has nothing of the message that `other` has not."""
    if one.staleness <= other.staleness or not one.shared <= other.shared:
        return False
    return one.staleness[0] != other.staleness[0] or _likeness(index, one, other) >= LIKE_SHARE


def _likeness(index: RecallIndex, one: _Found, other: _Found) -> float:
    """Share of the terms of two entries that both have."""
    keys, others = index.keys[one.number], index.keys[other.number]
    both = len(keys & others)
    return both / (len(keys) + len(others) - both)


def _of_state(index: RecallIndex) -> list[Entry]:
    """What goes on, then what comes next."""
    return [
        entry
        for heading in STATE_SECTIONS
        for entry in index.entries
        if entry.source is Source.SESSION and entry.section.casefold() == heading
    ]


def _of_sections(index: RecallIndex, meant: Intent) -> list[int]:
    """The entries below the headings that a message names, what holds first."""
    numbers = [number for number, each in enumerate(index.entries) if each.section.casefold() in meant.sections]
    return sorted(numbers, key=lambda number: _staleness(index.entries[number]))


def _of_months(index: RecallIndex, meant: Intent, numbers: list[int]) -> list[int]:
    """What the history has of the months that are asked about, what was found already first."""
    within = [
        number
        for number, entry in enumerate(index.entries)
        if entry.source is Source.HISTORY and entry.day and (entry.day.year, entry.day.month) in meant.months
    ]
    return [number for number in numbers if number in within] + within if within else numbers


def _within(entries: list[Entry], budget_chars: int) -> tuple[Entry, ...]:
    """Those of the first entries that there is room for, but at least one."""
    chosen: list[Entry] = []
    for entry in entries[:MOST]:
        size = len(entry.text)
        if size <= budget_chars or not chosen:
            chosen.append(entry)
            budget_chars -= size
    return tuple(chosen)
