"""Recall from a workspace's files: the few entries that bear on a message, in the order in which they are shown.

An entry is *admitted* by how telling the terms are that it shares with the message, which no other entry has a say in.
Those that are admitted are *ranked* by BM25 over the files, their source and their age. Most messages admit none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from domain.workspace.entries import Entry, Source, last_day
from domain.workspace.intent import STATE_SECTIONS, Intent, intent, spent_words
from domain.workspace.terms import Telling, asked, terms

POINTS = 2
"""What an entry's terms must be worth: one that says much, or two that say something."""
BESIDE, BESIDE_SHARE = 1, 0.3
"""Beside an entry that is admitted stands one of so many points that scores so much of the best one's score."""
LONG_MESSAGE = 24
"""A message with so many terms has some in common with much; it asks for a point more, and again at twice as many."""
COMMON_SHARE = 0.25
COMMON_LEAST = 10
"""A term that a share of so many entries have is their topic: it says one point less."""
SAME_SHARE = 0.6
"""Two entries that share so much of their terms are one fact, of which only the one that holds is shown."""
MOST = 40
"""Entries that are shown at most."""

_K1, _B = 1.2, 0.6
_PRIOR = {Source.SESSION: 1.25, Source.MEMORY: 1.1, Source.SHARED: 1.0, Source.HISTORY: 0.75}
_KIND = {source: place for place, source in enumerate((Source.SESSION, Source.MEMORY, Source.SHARED, Source.HISTORY))}
_FAVOUR = 1.4
EMPTY_WEIGHT = 0.5
_PREVIOUS = 0.3
_HALF_LIFE_DAYS = 365.0
_OWN_HEADINGS = frozenset(
    (
        *("session title", "current state", "user intent", "active files", "decisions", "constraints", "next steps"),
        *("errors & corrections", "worklog", "identity / participants", "preferences", "ongoing work", "open loops"),
        *("durable facts",),
    )
)
"""Headings of every such file, which say nothing of what stands below them."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An entry that is admitted."""

    number: int
    score: float
    shared: frozenset[str]


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
    favour = frozenset(each.casefold() for each in favoured)
    found = _ranked(_admitted(index, wanted, meant, today, favour, previous), index)
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


def _admitted(
    index: RecallIndex,
    wanted: Mapping[str, Telling],
    meant: Intent,
    today: date,
    favour: Collection[str],
    previous: str,
) -> list[_Found]:
    """The entries that share enough with the message, with their scores."""
    before = {key: each for key, each in asked(previous).items() if key not in wanted} if previous and wanted else {}
    points, scores = dict[int, float](), dict[int, float]()
    shared: dict[int, set[str]] = {}
    for table, share in ((wanted, 1.0), (before, _PREVIOUS)):
        for term, telling in table.items():
            worth = max(0, telling - index.is_topic(term)) * (1.0 if share == 1.0 else 0.5)
            weight = index.weight(term) * (EMPTY_WEIGHT if telling is Telling.NOTHING else 1.0) * share
            for number, part in index.postings.get(term, ()):
                if share < 1.0 and number not in points:
                    continue
                points[number] = points.get(number, 0.0) + worth
                scores[number] = scores.get(number, 0.0) + weight * part
                if share == 1.0:
                    shared.setdefault(number, set()).add(term)
    needed = POINTS + len(wanted) // LONG_MESSAGE
    if max(points.values(), default=0) < needed:
        return []
    found = [
        _Found(number, scores[number] * _factor(index.entries[number], meant, today, favour), frozenset(shared[number]))
        for number, worth in points.items()
        if worth >= BESIDE
    ]
    least = BESIDE_SHARE * max(each.score for each in found if points[each.number] >= needed)
    return [each for each in found if points[each.number] >= needed or each.score >= least]


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
    """The best first; of those that share the same terms with the message, what holds before what held."""
    best = sorted(found, key=lambda each: (-each.score, each.number))
    groups: dict[frozenset[str], list[_Found]] = {}
    for each in best:
        groups.setdefault(each.shared, []).append(each)
    for group in groups.values():
        group.sort(key=lambda each: _stale(index.entries[each.number]))
        group.reverse()
    ordered = [groups[each.shared].pop() for each in best]
    kept: list[_Found] = []
    for each in ordered[: 2 * MOST]:
        if not any(_is_outdated(index, each, other) for other in kept):
            kept.append(each)
    return kept[:MOST]


def _stale(entry: Entry) -> tuple[int, int]:
    """Greater is staler: by what kind of file it stands in, then by its day."""
    return _KIND[entry.source], -(entry.day.toordinal() if entry.day else 0)


def _is_outdated(index: RecallIndex, one: _Found, other: _Found) -> bool:
    """Whether `one` says what `other` says, from a staler place."""
    first, second = index.entries[one.number], index.entries[other.number]
    if _stale(first) <= _stale(second):
        return False
    keys, others = index.keys[one.number], index.keys[other.number]
    return len(keys & others) >= SAME_SHARE * len(keys | others)


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
    return sorted(numbers, key=lambda number: _stale(index.entries[number]))


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
