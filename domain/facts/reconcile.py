"""Reconciliation of new facts with existing facts: a model decides the fate of each fact.

The model knows existing facts by their position. Decisions about unknown positions, and missing decisions, change
nothing. Of facts with equal words one always stays. No reply loses a person's words: a new fact without an ADD, UPDATE
or NONE is added, an ADD without a new fact is invented, and a repeated fact stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain.facts.model_json import is_among, lists_of, same_words, text_in

_NAMES = ("text", "new_memory", "memory", "content", "fact")
_WORD_PATTERN = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W_]+")
_STEM = 4
"""Number of first letters in which two forms of a word agree."""
_EMPTY_TEXT = """
    the user users s a an is are was has have had do does did and or of to in on at for with
"""
_EMPTY_WORDS = frozenset(_EMPTY_TEXT.split())


@dataclass(frozen=True, slots=True)
class Existing:
    """Existing fact."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Add:
    """A new fact is kept."""

    text: str


@dataclass(frozen=True, slots=True)
class Update:
    """Replacement of a fact by a fuller fact."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    """A fact holds no longer."""

    id: str


Decision = Add | Update | Delete


def unknown_of(new: Sequence[str], existing: Sequence[Existing]) -> tuple[str, ...]:
    """New facts without an existing fact of equal words."""
    known = [each.content for each in existing]
    fresh: list[str] = []
    for text in new:
        if not is_among(text, [*known, *fresh]):
            fresh.append(text)
    return tuple(fresh)


def decide(reply: str | None, existing: Sequence[Existing], new: Sequence[str]) -> tuple[Decision, ...]:
    """Decisions about existing and new facts.

    Args:
        reply: Answer of the model; None without a question or an answer.
        existing: Facts in the order shown to the model.
        new: All extracted facts, known facts too; at most as many facts are added.
    """
    fresh = unknown_of(new, existing)
    statements = next(filter(None, map(_statements, lists_of(reply or ""))), None) if existing else None
    if statements is None:
        return tuple(Add(text) for text in fresh)
    repeated = frozenset(place for place, each in enumerate(existing) if is_among(each.content, new))
    return tuple(_decisions(statements, existing, fresh, repeated))


@dataclass(frozen=True, slots=True)
class _Decision:
    """Decision of a model about one memory."""

    event: str
    place: object
    text: str


def _statements(items: Sequence[object]) -> list[_Decision]:
    """Items with the name of an event."""
    return [
        _Decision(event.strip().upper(), item.get("id"), text_in(item, _NAMES))
        for item in items
        if isinstance(item, Mapping) and isinstance(event := item.get("event"), str)
    ]


def _decisions(
    statements: Sequence[_Decision], existing: Sequence[Existing], fresh: Sequence[str], repeated: frozenset[int]
) -> Iterator[Decision]:
    """Decisions in the model's order; of two decisions about one memory the first counts."""
    changes = _changes(statements, existing, repeated)
    stays = [each.content for place, each in enumerate(existing) if place not in changes]
    accounts = _accounts(statements, fresh, len(existing))
    accounted: list[str] = []
    for number, each in enumerate(statements):
        place = parse_place(each.place, len(existing))
        is_known = is_among(each.text, stays)
        if each.event == "ADD" and number in accounts and not is_known:
            yield Add(each.text)
            stays.append(each.text)
            accounted.append(accounts[number])
        elif place is not None and changes.get(place) is each:
            if each.event == "DELETE" or is_known:
                yield Delete(existing[place].id)
            else:
                yield Update(existing[place].id, each.text)
                stays.append(each.text)
                accounted += [accounts[number]] if number in accounts else []
        elif each.event == "NONE" and number in accounts:
            accounted.append(accounts[number])
    for text in fresh:
        if text not in accounted and not any(_says(other, text) for other in stays[len(existing) - len(changes) :]):
            yield Add(text)


def _changes(
    statements: Sequence[_Decision], existing: Sequence[Existing], repeated: frozenset[int]
) -> dict[int, _Decision]:
    """First change of each memory, by position; a change to equal words does not count.

    A repeated memory changes only to a text with all of the memory's words, and a memory that is added again stays.
    """
    again = [each.text for each in statements if each.event == "ADD"]
    changes: dict[int, _Decision] = {}
    for each in statements:
        place = parse_place(each.place, len(existing))
        if place is None:
            continue
        old = existing[place].content
        is_update = each.event == "UPDATE" and each.text and not is_among(each.text, [old])
        is_delete = each.event == "DELETE" and not is_among(old, again)
        if (is_update and (place not in repeated or _says(each.text, old))) or (is_delete and place not in repeated):
            changes.setdefault(place, each)
    return changes


def _accounts(statements: Sequence[_Decision], fresh: Sequence[str], count: int) -> dict[int, str]:
    """New facts covered by the model's decisions, by the decision's number: equal words, else most shared words.

    ADD and UPDATE account for a new fact, and NONE for a new fact listed by the model as a separate memory.
    """
    accounts: dict[int, str] = {}
    for number, each in enumerate(statements):
        same = [text for text in fresh if is_among(text, [each.text]) and text not in accounts.values()]
        if same and each.event in ("ADD", "UPDATE", "NONE"):
            accounts[number] = same[0]
    for number, each in enumerate(statements):
        is_new_none = each.event == "NONE" and parse_place(each.place, count) is None
        if number in accounts or not (each.event in ("ADD", "UPDATE") or is_new_none):
            continue
        left = [text for text in fresh if text not in accounts.values()]
        nearest = max(left, key=lambda text: len(stems(text) & stems(each.text)), default="")
        if stems(nearest) & stems(each.text):
            accounts[number] = nearest
    if set(fresh) <= set(accounts.values()):
        accounts |= _parts(statements, fresh, accounts)
    return accounts


def _parts(statements: Sequence[_Decision], fresh: Sequence[str], accounts: Mapping[int, str]) -> dict[int, str]:
    """Further ADDs about new facts already accounted for, as with a split fact; no more ADDs than new facts."""
    adds = [number for number, each in enumerate(statements) if each.event == "ADD"]
    room = len(fresh) - sum(number in accounts for number in adds)
    parts: dict[int, str] = {}
    for number in adds:
        whole = next((text for text in fresh if stems(text) & stems(statements[number].text)), "")
        if whole and number not in accounts and len(parts) < room:
            parts[number] = whole
    return parts


def _says(text: str, fact: str) -> bool:
    """True if `text` has all words of `fact`."""
    return stems(fact) <= stems(text)


def stems(text: str) -> frozenset[str]:
    """Words of a text by first letters, numbers whole; without words common to every fact, if other words are left."""
    words = {word if word.isdigit() else word[:_STEM] for word in _WORD_PATTERN.findall(same_words(text))}
    return frozenset(words - _EMPTY_WORDS or words)


def parse_place(value: object, count: int) -> int | None:
    """Position named by a model, from 0 below `count`; None for anything else."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        value = int(value)
    is_place = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count
    return value if is_place and isinstance(value, int) else None
