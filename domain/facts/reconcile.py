"""Reconciliation of new facts with those that there are: a model says of every one what becomes of it.

The model knows existing facts by their position. What it says of a position that there is not, and of what it leaves
out, changes nothing. A reply that is no list has all new facts added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.facts.model_json import MOST_FACT_CHARS, is_among, list_of, same_words


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
    """What becomes of existing and new facts.

    Args:
        reply: What the model said; None if it was not asked or did not answer.
        existing: In the order in which it was shown them.
        new: What was extracted; at most as many facts are added as there are of these.
    """
    fresh = unknown_of(new, existing)
    items = list_of(reply) if reply is not None else None
    if not existing or not items or not any(isinstance(item, Mapping) and "event" in item for item in items):
        return tuple(Add(text) for text in fresh)
    return tuple(_decisions(items, existing, fresh))


def _decisions(items: Sequence[object], existing: Sequence[Existing], fresh: Sequence[str]) -> list[Decision]:
    decisions: list[Decision] = []
    done: set[int] = set()
    said = [each.content for each in existing]
    room = len(fresh)
    for item in items:
        if not isinstance(item, Mapping):
            continue
        event, text = str(item.get("event", "")).strip().upper(), _text(item)
        place = _place(item.get("id"), len(existing))
        if event == "ADD" and text and room and not is_among(text, said):
            decisions.append(Add(text))
            said.append(text)
            room -= 1
        elif place is None or place in done:
            continue
        elif event == "DELETE":
            decisions.append(Delete(existing[place].id))
            done.add(place)
        elif event == "UPDATE" and text and same_words(text) != same_words(existing[place].content):
            done.add(place)
            if is_among(text, said):
                decisions.append(Delete(existing[place].id))
            else:
                decisions.append(Update(existing[place].id, text))
                said.append(text)
    return decisions


def _place(value: object, count: int) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        value = int(value)
    is_place = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count
    return value if is_place and isinstance(value, int) else None


def _text(item: Mapping[str, object]) -> str:
    for name in ("text", "new_memory", "memory", "content", "fact"):
        if isinstance(value := item.get(name), str) and value.strip():
            return value.strip()[:MOST_FACT_CHARS]
    return ""
