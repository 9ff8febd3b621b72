"""List of facts in a file, as written by people and programs: JSON, or a line for each fact."""

from __future__ import annotations

import json
import re

MOST_CHARS = 4_000
"""Characters of one fact."""
_BULLET = re.compile(r"^\s*(?:[-*+\u2022]|[0-9]{1,4}[.)])\s+")
_LISTS = ("memories", "facts")
_TEXTS = ("content", "text", "memory", "fact")


def read_facts(text: str) -> list[str]:
    """Facts of a file, in order.

    Args:
        text: A JSON list of texts or of objects with one of the keys content, text, memory and fact; a JSON object with
            such a list as memories or facts; or lines, with or without bullets.

    Raises:
        ValueError: the list has no facts, or an item is no text; names the item and the rule.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] in ("[", "{"):
        try:
            document = json.loads(text)
        except ValueError as error:
            if text.lstrip().startswith("{"):
                raise ValueError(f"it begins like JSON, but is not valid JSON: {error}") from error
            document = None
        if document is not None:
            return check_facts(_items(document))
    return check_facts([_BULLET.sub("", line).strip() for line in text.splitlines() if line.strip()])


def check_facts(facts: list[str]) -> list[str]:
    """Facts, each checked as allowed.

    Raises:
        ValueError: the list is empty, or a fact has no words or too many characters.
    """
    if not facts:
        raise ValueError("there are no facts: at least one text is required")
    for place, fact in enumerate(facts, 1):
        if not fact.strip():
            raise ValueError(f"fact {place} of {len(facts)}: {fact!r} has no words")
        if len(fact) > MOST_CHARS:
            raise ValueError(f"fact {place} of {len(facts)}: {len(fact)} characters; at most {MOST_CHARS} are allowed")
    return facts


def _items(document: object) -> list[str]:
    if isinstance(document, dict):
        document = next((document[name] for name in _LISTS if name in document), None)
    if not isinstance(document, list):
        raise ValueError("a JSON list of texts is required, or an object that has one as memories or facts")
    facts = []
    for place, item in enumerate(document, 1):
        value = next((item[name] for name in _TEXTS if name in item), None) if isinstance(item, dict) else item
        if not isinstance(value, str):
            raise ValueError(f"item {place} of {len(document)}: {json.dumps(item)[:60]} is not a text")
        facts.append(value)
    return facts
