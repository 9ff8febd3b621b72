"""Reading of what a model says when it was asked for JSON: alone, fenced, or with words around it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

MOST_FACTS = 3
MOST_FACT_CHARS = 40_000
_MOST_REPLY_CHARS = 1_000_000
_MOST_TRIES = 200
_NAMES = ("fact", "text", "content", "memory", "statement")
_LISTS = ("facts", "memories", "memory", "items", "results", "result", "statements", "data")
_DECODER = json.JSONDecoder()


def json_values(reply: str) -> Iterator[object]:
    """Every JSON list or object in a reply that does not stand within another, in order."""
    text, at, tries = reply[:_MOST_REPLY_CHARS], 0, 0
    while tries < _MOST_TRIES:
        starts = [place for bracket in "[{" if (place := text.find(bracket, at)) >= 0]
        if not starts:
            return
        at, tries = min(starts), tries + 1
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
        else:
            yield value


def list_of(reply: str) -> list[object] | None:
    """The list that a reply is, or that stands in its object under a name that says so; None for no list."""
    for value in json_values(reply):
        if isinstance(value, list):
            return value
        if isinstance(value, dict):
            for name in _LISTS:
                if isinstance(value.get(name), list):
                    found: list[object] = value[name]
                    return found
            if any(name in value for name in _NAMES):
                return [value]
    return None


def facts_of(reply: str) -> tuple[str, ...]:
    """Facts that a model found, at most three and none twice; none where it did not say it in JSON."""
    found: dict[str, str] = {}
    for item in list_of(reply) or ():
        text = _text(item)
        if text:
            found.setdefault(same_words(text), text[:MOST_FACT_CHARS])
    return tuple(found.values())[:MOST_FACTS]


def same_words(text: str) -> str:
    """What two texts have in common that say the same word for word."""
    return " ".join(text.split()).casefold()


def _text(item: object) -> str:
    if isinstance(item, dict):
        item = next((item[name] for name in _NAMES if isinstance(item.get(name), str)), None)
    return item.strip() if isinstance(item, str) else ""


def is_among(text: str, others: Sequence[str]) -> bool:
    """Whether one of the others says the same word for word."""
    own = same_words(text)
    return any(same_words(other) == own for other in others)
