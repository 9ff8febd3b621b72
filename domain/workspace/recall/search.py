"""Recall from a workspace's files: the few entries relevant to a message, in the order of display.

An entry is *admitted* by the weight of the terms shared with the message, independent of all other entries.
Admitted entries are *ranked* by BM25 over the files, their source and their age. Most messages admit no entry.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from heapq import nlargest, nsmallest

from domain.workspace.recall.entries import Entry, Source, last_day
from domain.workspace.recall.question import Question
from domain.workspace.recall.terms import possible_names, terms, weigh_terms

POINTS = 2
"""Least worth of an entry's terms: one telling term, or two terms that tell a little."""
PREFIX_CHARS = 4
"""Least length of a term without entries to be searched for as the beginning of another, slightly telling term."""
TOPIC_POINTS = 0.5
"""Points subtracted from a term that is the topic of the files."""
BESIDE_SHARE = 0.3
"""Share of an admitted entry's score from which entries with a shared word are shown too."""
SHORT_QUESTION = 3
"""Most telling terms of a question satisfied with a single slightly telling term."""
LONG_MESSAGE = 24
"""A message with so many terms has some in common with much; it asks for a point more, and again at twice as many."""
COMMON_SHARE, COMMON_LEAST = 0.25, 10
"""Share of the entries from which a term is the topic, and least number of such entries."""
LIKE_SHARE, SAME_SHARE = 0.25, 0.6
"""Shares of common terms: from the first, two entries have one subject; from the second, they state one fact."""
WEIGHED, MOST = 100, 40
"""Most entries to rank by age and file, and most entries to show."""

_K1, _B = 1.2, 0.75
_PRIOR = {Source.SESSION: 1.25, Source.MEMORY: 1.1, Source.SHARED: 1.0, Source.HISTORY: 0.3}
_KIND = {source: place for place, source in enumerate((Source.SESSION, Source.MEMORY, Source.SHARED, Source.HISTORY))}
_FAVOUR, _MONTH, _HISTORY = 1.4, 3.0, 1.5
_EMPTY_WEIGHT = 0.5
STATE_SECTIONS = ("current state", "next steps")
"""Headings of ongoing work, in the order of display."""
_PREVIOUS, _PREVIOUS_POINTS = 0.3, 0.5
_HALF_LIFE_DAYS = 365.0
_OWN_HEADINGS = frozenset(
    (
        *("session title", "current state", "user intent", "active files", "decisions", "constraints", "next steps"),
        *("errors & corrections", "worklog", "identity / participants", "preferences", "ongoing work", "open loops"),
        *("durable facts",),
    )
)
"""Headings of every such file, without a hint at the subject of the entries below."""


@dataclass(frozen=True, slots=True)
class _Hit:
    """An entry that shares a term with a message."""

    number: int
    score: float
    is_admitted: bool
    shared: int
    """A bit for each term of the message."""
    staleness: tuple[int, int]


class RecallIndex:
    """Index of a workspace's entries by their terms; made once for each change of a file."""

    def __init__(self, entries: Iterable[Entry], before: RecallIndex | None = None) -> None:
        """Index `entries`, whose order settles ties.

        Args:
            entries: All entries.
            before: An earlier index, possibly with most of the same entries.
        """
        self.entries = tuple(entries)
        self.headings = tuple(entry.section.casefold() for entry in self.entries)
        self.priors = tuple(_PRIOR[entry.source] for entry in self.entries)
        self.staleness = tuple(map(_staleness, self.entries))
        known = before.counts if before is not None else {}
        self.counts: dict[tuple[str, str], Counter[str]] = {}
        """Section and text of an entry -> the entry's terms, and the count of each."""
        for entry in self.entries:
            key = entry.section, entry.text
            self.counts[key] = known[key] if key in known else Counter(_all_terms(entry))
        counted = [self.counts[entry.section, entry.text] for entry in self.entries]
        self.keys = tuple(frozenset(each) for each in counted)
        names = [possible_names(entry.text) for entry in self.entries]
        self.postings: dict[str, list[tuple[int, float]]] = {}
        """Term -> numbers of the entries with the term, and its frequency, weighed by BM25."""
        lengths = [sum(each.values()) for each in counted]
        mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        for number, counts in enumerate(counted):
            norm = _K1 * (1 - _B + _B * lengths[number] / mean)
            for term, count in counts.items():
                self.postings.setdefault(term, []).append((number, count * (_K1 + 1) / (count + norm)))
            for name in names[number]:
                self.postings.setdefault(name, []).append((number, (_K1 + 1) / (1 + norm)))
        self._sorted = sorted(self.postings)
        self._of_headings = {
            heading: frozenset(terms(heading)) for heading in self.headings if heading and not last_day(heading)
        }
        self.heading_terms = frozenset().union(*self._of_headings.values())

    def named_by(self, wanted: Mapping[str, object]) -> frozenset[str]:
        """The headings with all terms wanted."""
        return frozenset(heading for heading, its in self._of_headings.items() if its and its <= wanted.keys())

    def beginning_with(self, term: str) -> list[tuple[int, float]]:
        """The postings of the first term that begins with `term`, as in compound words."""
        at = bisect_left(self._sorted, term)
        longer = self._sorted[at] if at < len(self._sorted) else ""
        return self.postings[longer] if longer.startswith(term) else []

    def weight(self, term: str) -> float:
        """Rarity of a term among the entries."""
        having = len(self.postings.get(term, ()))
        return math.log(1 + (len(self.entries) - having + 0.5) / (having + 0.5))

    def is_topic(self, term: str) -> bool:
        """True if a term occurs in too many entries to distinguish between entries."""
        having, count = len(self.postings.get(term, ())), len(self.entries)
        return count >= COMMON_LEAST and having > COMMON_SHARE * count


def recall_entries(
    question: str,
    index: RecallIndex,
    *,
    today: date,
    budget_chars: int,
    favoured: Collection[str] = (),
    previous: str = "",
) -> tuple[Entry, ...]:
    """The entries relevant to `question`, in the order of display; empty without a relevant entry.

    Args:
        question: A person's message.
        index: Index of the workspace's files.
        today: Date in the person's zone.
        budget_chars: Most characters of the entries together, not counting the last entry.
        favoured: Headings or paths that count for more, but admit no entry without a shared word.
        previous: The message before, to resolve a short question.
    """
    if not index.entries:
        return ()
    asked_for = Question.of(question, today)
    if asked_for.goes_on:
        return _within(_of_state(index), budget_chars)
    favour = frozenset(each.casefold() for each in favoured) | index.named_by(asked_for.terms)
    ranked = _find(index, asked_for, previous, lambda number: _factor(index, number, asked_for, today, favour))
    best = max((each.score for each in ranked if each.is_admitted), default=0.0)
    ranked = _rank([each for each in ranked if each.is_admitted or _is_beside(index, each, best)], index, budget_chars)
    numbers = [each.number for each in ranked]
    if asked_for.names_only(index.heading_terms):
        numbers += _of_sections(index, index.named_by(asked_for.terms))
    if asked_for.months and not ranked:
        numbers = [*_of_months(index, asked_for), *numbers]
    chosen = [index.entries[number] for number in dict.fromkeys(numbers)]
    return _within(chosen, budget_chars)


def _all_terms(entry: Entry) -> tuple[str, ...]:
    """An entry's terms, with the terms of the heading if people chose the heading."""
    heading = entry.section
    if last_day(heading) or heading.casefold() in _OWN_HEADINGS:
        return terms(entry.text)
    main, _, deep = heading.partition(" / ")
    return (*terms(entry.text), *terms(deep if main.casefold() in _OWN_HEADINGS else heading))


def _find(index: RecallIndex, question: Question, previous: str, factor: Callable[[int], float]) -> list[_Hit]:
    """The best entries that share a term with the message; empty without an admitted entry."""
    count = len(index.entries)
    scores, points, shared = [0.0] * count, [0.0] * count, [0] * count
    for place, (term, telling) in enumerate(question.terms.items()):
        bit, postings = 1 << place, index.postings.get(term)
        worth = telling - TOPIC_POINTS if telling and index.is_topic(term) else float(telling)
        if postings is None and telling and len(term) >= PREFIX_CHARS:
            postings = index.beginning_with(term)
            worth = 1.0 if postings else worth
        weight = index.weight(term) * (1.0 if telling else _EMPTY_WEIGHT)
        for number, part in postings or ():
            scores[number] += weight * part
            shared[number] |= bit
            points[number] += worth
    for term, telling in weigh_terms(previous).items():
        if term not in question.terms:
            weight, worth = index.weight(term) * _PREVIOUS, telling * _PREVIOUS_POINTS
            for number, part in index.postings.get(term, ()):
                if shared[number]:
                    scores[number] += weight * part
                    points[number] += worth
    is_short = question.asks and sum(map(bool, question.terms.values())) <= SHORT_QUESTION
    needed = 1.0 if is_short else float(POINTS + len(question.terms) // LONG_MESSAGE)
    scored = [
        (points[number] >= needed, scores[number] * index.priors[number], number)
        for number, bits in enumerate(shared)
        if bits
    ]
    if not any(is_admitted for is_admitted, _, _ in scored):
        return []
    best = nlargest(WEIGHED, scored)
    return [
        _Hit(number, score * factor(number), is_admitted, shared[number], index.staleness[number])
        for is_admitted, score, number in best
    ]


def _is_beside(index: RecallIndex, hit: _Hit, best: float) -> bool:
    """True if an entry without admission stands beside admitted entries."""
    return index.entries[hit.number].source is not Source.HISTORY and hit.score >= BESIDE_SHARE * best


def _factor(index: RecallIndex, number: int, question: Question, today: date, favour: Collection[str]) -> float:
    """Factor of an entry's score for its heading, path and day."""
    entry, factor = index.entries[number], 1.0
    if favour and (index.headings[number] in favour or entry.path.casefold() in favour):
        factor *= _FAVOUR
    if question.months and entry.source is Source.HISTORY:
        factor *= _HISTORY
    if entry.day is None:
        return factor
    if question.months:
        return factor * (_MONTH if (entry.day.year, entry.day.month) in question.months else 1.0)
    age = max(0, (today - entry.day).days)
    return factor * (0.8 + 0.2 * math.pow(0.5, age / _HALF_LIFE_DAYS))


def _rank(hits: list[_Hit], index: RecallIndex, room: int) -> list[_Hit]:
    """The best first, but stale entries after valid entries, and of a repeated fact only the valid entry.

    The result has slightly more entries than `room` has characters for.
    """
    ranked: list[_Hit] = []
    left = 2 * room
    for each in nsmallest(MOST, hits, key=lambda one: (not one.is_admitted, -one.score, one.number)):
        size = len(index.entries[each.number].text)
        left -= size if size <= room else 0
        if left < 0:
            break
        fresher = [other for other in ranked if _is_fresher(other, each)]
        if any(_is_same(index, each, other) for other in fresher):
            continue
        staler = [other for other in ranked if _is_fresher(each, other)]
        if staler:
            outdated = {other.number for other in staler if _is_same(index, other, each)}
            ranked = [other for other in ranked if other.number not in outdated]
            behind = {other.number for other in staler if _yields(index, other, each)}
            place = next((at for at, other in enumerate(ranked) if other.number in behind), len(ranked))
            ranked.insert(place, each)
        else:
            ranked.append(each)
    return ranked


def _staleness(entry: Entry) -> tuple[int, int]:
    """Greater is staler: by the kind of the file, then by the entry's day."""
    return _KIND[entry.source], -(entry.day.toordinal() if entry.day else 0)


def _is_same(index: RecallIndex, one: _Hit, other: _Hit) -> bool:
    """True if two entries say the same, and one of them has no word of the message that the other lacks."""
    if one.shared & ~other.shared and other.shared & ~one.shared:
        return False
    return _likeness(index, one, other) >= SAME_SHARE


def _is_fresher(one: _Hit, other: _Hit) -> bool:
    """True if an entry holds rather than another: the later of two days, else the file that is kept closer to now."""
    (kind, day), (other_kind, other_day) = one.staleness, other.staleness
    if day and other_day and day != other_day:
        return day < other_day  # days count backwards
    return (kind, day) < (other_kind, other_day)


def _yields(index: RecallIndex, stale: _Hit, fresh: _Hit) -> bool:
    """True if a fresher entry has the same subject as a stale entry, whatever their shares of the message's words.

    Entries with much in common have one subject, and so do two entries with a number and half of the words shared
    between the stale entry and the message; HISTORY.md is exempt, since it describes the past. Between entries in
    different files a common word of the message is enough if the stale entry has no other word of the message.
    """
    if not stale.shared & fresh.shared:
        return False
    is_alike = _likeness(index, stale, fresh) >= LIKE_SHARE
    both = (stale.shared & fresh.shared).bit_count()
    is_other_value = 2 * both >= stale.shared.bit_count() and _has_digit(index, stale) and _has_digit(index, fresh)
    if (is_alike or is_other_value) and index.entries[stale.number].source is not Source.HISTORY:
        return True
    return not stale.shared & ~fresh.shared and (is_alike or stale.staleness[0] != fresh.staleness[0])


def _has_digit(index: RecallIndex, hit: _Hit) -> bool:
    return any(map(str.isdigit, index.entries[hit.number].text))


def _likeness(index: RecallIndex, one: _Hit, other: _Hit) -> float:
    """Share of the terms of two entries found in both."""
    keys, others = index.keys[one.number], index.keys[other.number]
    both = len(keys & others)
    return both / (len(keys) + len(others) - both)


def _of_state(index: RecallIndex) -> list[Entry]:
    """Entries on present work, then entries on next steps."""
    return [
        entry
        for heading in STATE_SECTIONS
        for entry in index.entries
        if entry.source is Source.SESSION and entry.section.casefold() == heading
    ]


def _of_sections(index: RecallIndex, headings: Collection[str]) -> list[int]:
    """The entries below some headings, valid entries first."""
    numbers = [number for number, heading in enumerate(index.headings) if heading in headings]
    return sorted(numbers, key=index.staleness.__getitem__)


def _of_months(index: RecallIndex, question: Question) -> list[int]:
    """Entries of the history for the months in question."""
    return [
        number
        for number, entry in enumerate(index.entries)
        if entry.source is Source.HISTORY and entry.day and (entry.day.year, entry.day.month) in question.months
    ]


def _within(entries: list[Entry], budget_chars: int) -> tuple[Entry, ...]:
    """The first entries within the budget, but at least one entry."""
    chosen: list[Entry] = []
    for entry in entries[:MOST]:
        size = len(entry.text)
        if size <= budget_chars or not chosen:
            chosen.append(entry)
            budget_chars -= size
    return tuple(chosen)
