"""Reading of a model's reply to a request for JSON: alone, fenced, or with words around."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from domain.facts.sound_text import sound

MOST_FACTS = 3
MOST_FACT_CHARS = 40_000
_MOST_REPLY_CHARS = 1_000_000
_MOST_TRIES = 200
_NAMES = ("fact", "text", "content", "memory", "statement")
_LISTS = ("facts", "memories", "memory", "items", "results", "result", "statements", "data")
_DECODER = json.JSONDecoder()


def json_values(reply: str) -> Iterator[object]:
    """Every outermost JSON list or object in a reply, in order."""
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


def lists_of(reply: str) -> Iterator[list[object]]:
    """Every list in a reply, alone or in an object under a suitable name, in order.

    Successive objects without a list form a list. A model's thoughts before the answer are not part of the answer.
    """
    singles: list[object] = []
    for value in json_values(_answer(reply)):
        if isinstance(value, list):
            yield value
        elif isinstance(value, dict):
            inner = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
            if inner is not None:
                yield inner
            elif any(name in value for name in _NAMES):
                singles.append(value)
    if singles:
        yield singles


def facts_of(reply: str) -> tuple[str, ...]:
    """Facts found by a model, at most three and each once; empty for a reply without JSON."""
    for items in lists_of(reply):
        facts: dict[str, str] = {}
        for text in map(fact_in, items):
            if text:
                facts.setdefault(same_words(text), text)
        if facts or not items:
            return tuple(facts.values())[:MOST_FACTS]
    return ()


def same_words(text: str) -> str:
    """Normal form of a text, for comparison word for word: blanks, case and the form of accents are no difference."""
    if text.isascii():
        return " ".join(text.split()).lower()
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", text).split()).casefold())


def text_in(item: Mapping[str, object], names: Sequence[str]) -> str:
    """First text of an object under one of the names, bounded; empty without any."""
    text = next((value for name in names if isinstance(value := item.get(name), str) and value.strip()), "")
    return sound(text.strip()[:MOST_FACT_CHARS])


def fact_in(item: object) -> str:
    """Text of one item of a list of facts; empty without any."""
    if isinstance(item, str):
        item = {"text": item}
    return text_in(item, _NAMES) if isinstance(item, dict) else ""


def _answer(reply: str) -> str:
    """Reply without the model's thoughts."""
    answer = reply[-_MOST_REPLY_CHARS:].rpartition("</think>")[2]
    return answer if "[" in answer or "{" in answer else reply[:_MOST_REPLY_CHARS]


def is_among(text: str, others: Sequence[str]) -> bool:
    """True if another text has the same words."""
    own = same_words(text)
    return any(same_words(other) == own for other in others)
