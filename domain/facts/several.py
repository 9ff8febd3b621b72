"""Facts of several messages read together by a model: each fact goes to the message with the fact's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.facts.model_json import MOST_FACTS, fact_in, lists_of, same_words
from domain.facts.reconcile import parse_place, stems


def facts_of_messages(reply: str, messages: Sequence[str]) -> tuple[tuple[str, ...], ...] | None:
    """Facts of each message, at most three and no fact twice; None where the reply has no list.

    Args:
        reply: Of the model: objects with `message` and `fact`, or a list for each message, or facts alone.
        messages: Words of the messages, at least one.
    """
    owners: dict[str, int] = {}
    texts: dict[str, str] = {}
    has_list = False
    for items in lists_of(reply):
        has_list = True
        for number, item in _number_items(items, len(messages)):
            if text := fact_in(item):
                key = same_words(text)
                owners[key] = number - 1 if number else find_source(text, messages)
                texts[key] = text
        if owners or not items:
            break
    if not has_list:
        return None
    return tuple(
        tuple(texts[key] for key, owner in owners.items() if owner == place)[:MOST_FACTS]
        for place in range(len(messages))
    )


def find_source(text: str, sources: Sequence[str]) -> int:
    """Index of the source with most words of a text, the newest of several; the last without any shared word."""
    own = stems(text)
    return max(range(len(sources)), key=lambda place: (len(own & stems(sources[place])), place))


def _number_items(items: Sequence[object], count: int) -> Iterator[tuple[int, object]]:
    """Items with the numbers of their messages, from 1; 0 for an unknown number."""
    if len(items) == count and all(isinstance(item, list) for item in items):
        for number, inner in enumerate(items, 1):
            yield from ((number, item) for item in (inner if isinstance(inner, list) else ()))
        return
    for item in items:
        named = item.get("message") if isinstance(item, dict) else None
        yield parse_place(named, count + 1) or 0, item
