"""Items: facts that are said turn after turn, of which each is to be filed once."""

from __future__ import annotations

import re
from collections import Counter

from lab.bench.continuity.workers import ScriptedWorkers

_SAID = re.compile(r"\bmatter (\w+-\d+)\b")
FILED = re.compile(r"\bItem (\w+-\d+) is kept\b")
_FILLER = "That was told to everybody who has to do with it, and nobody had anything against it so far. " * 3


def item_text(name: str, number: int) -> str:
    """What is said of one item."""
    return f"Please take down matter {name}-{number}. {_FILLER}"


def item_worker(name: str) -> ScriptedWorkers:
    """Workers' model that files every item that it is told of; its reports have that name."""
    return ScriptedWorkers((), name=name, files=lambda said: [f"Item {each} is kept." for each in _SAID.findall(said)])


def filed(text: str) -> Counter[str]:
    """Items that a file holds, and how often."""
    return Counter(FILED.findall(text))
