"""Reconciliation of new facts with those that there are: a model decides the fate of each fact.

The model knows existing facts by their position. Decisions about unknown positions, and missing decisions, change
nothing. A reply that is no list has all new facts added. Of facts that say the same one always stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain.facts.model_json import is_among, lists_of, text_in

_NAMES = ("text", "new_memory", "memory", "content", "fact")


@dataclass(frozen=True, slots=True)
class Existing:
    """Fact that there is."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Add:
    """A new fact is kept."""

    text: str


@dataclass(frozen=True, slots=True)
class Update:
    """A fact is replaced by one that says more."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    """A fact holds no longer."""

    id: str


Decision = Add | Update | Delete


def unknown_of(new: Sequence[str], existing: Sequence[Existing]) -> tuple[str, ...]:
    """New facts that nothing says word for word."""
    known = [each.content for each in existing]
    fresh: list[str] = []
    for text in new:
        if not is_among(text, [*known, *fresh]):
            fresh.append(text)
    return tuple(fresh)


def decide(reply: str | None, existing: Sequence[Existing], new: Sequence[str]) -> tuple[Decision, ...]:
    """Decisions about existing and new facts.

    Args:
        reply: What the model said; None if it was not asked or did not answer.
        existing: Facts in the order in which the model saw them.
        new: What was extracted; at most as many facts are added as there are of these.
    """
    fresh = unknown_of(new, existing)
    said = next(filter(None, map(_said, lists_of(reply or ""))), None) if existing else None
    return tuple(Add(text) for text in fresh) if said is None else tuple(_decisions(said, existing, len(fresh)))


@dataclass(frozen=True, slots=True)
class _Said:
    """Decision of a model about one memory."""

    event: str
    place: object
    text: str


def _said(items: Sequence[object]) -> list[_Said]:
    """Items that name an event."""
    return [
        _Said(event.strip().upper(), item.get("id"), text_in(item, _NAMES))
        for item in items
        if isinstance(item, Mapping) and isinstance(event := item.get("event"), str)
    ]


def _decisions(said: Sequence[_Said], existing: Sequence[Existing], room: int) -> Iterator[Decision]:
    """Decisions in the model's order; of two decisions about one memory the first counts."""
    changes = _changes(said, existing)
    stays = [each.content for place, each in enumerate(existing) if place not in changes]
    for each in said:
        place = _place(each.place, len(existing))
        is_known = is_among(each.text, stays)
        if each.event == "ADD" and each.text and room and not is_known:
            yield Add(each.text)
            stays.append(each.text)
            room -= 1
        elif place is not None and changes.get(place) is each:
            if each.event == "DELETE" or is_known:
                yield Delete(existing[place].id)
            else:
                yield Update(existing[place].id, each.text)
                stays.append(each.text)


def _changes(said: Sequence[_Said], existing: Sequence[Existing]) -> dict[int, _Said]:
    """The first change of each memory, by its place; new words that are the old ones are none."""
    changes: dict[int, _Said] = {}
    for each in said:
        place = _place(each.place, len(existing))
        if place is None:
            continue
        is_update = each.event == "UPDATE" and each.text
        if each.event == "DELETE" or (is_update and not is_among(each.text, [existing[place].content])):
            changes.setdefault(place, each)
    return changes


def _place(value: object, count: int) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        value = int(value)
    is_place = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count
    return value if is_place and isinstance(value, int) else None
