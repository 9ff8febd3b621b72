"""Capture: explicit wishes of people to keep a fact, found without a model."""

from __future__ import annotations

import re

from domain.curated.refusal import LONGEST_FACT
from domain.text.lines import one_line

MOST = 3
"""Most proposals of one turn."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_MARKED = re.compile(
    r"""(?ix)
    (?:please[ ,]+)?
    (?: (?:remember|note|keep\ in\ mind|for\ the\ record)(?:\ that\b|\s*[:,])
      | (?:correction|decision|convention|rule|lesson|build\ command|test\ command)\s*:
    )[ ,]*(?P<words>.+)
    """
)
"""Words in front of a fact to keep."""
_DECISION = re.compile(r"(?i)(?:(?:we|i)(?:'ve| have)? decided (?:that|to|on)|from now on)\b.+")
"""Sentences to keep as written."""


def proposals(text: str) -> tuple[str, ...]:
    """Facts that a person's words ask to keep, each in one line; questions give no facts."""
    words = (_part_to_keep(sentence.strip()) for sentence in _SENTENCES.split(text))
    facts = (f"{each[:1].upper()}{each[1:]}" for each in words if len(each.split()) > 1 and len(each) <= LONGEST_FACT)
    return tuple(dict.fromkeys(facts))[:MOST]


def _part_to_keep(sentence: str) -> str:
    """Part of a sentence to keep; empty without any."""
    if sentence.endswith("?"):
        return ""
    if (match := _MARKED.fullmatch(sentence)) is not None:
        return one_line(match["words"])
    return one_line(sentence) if _DECISION.fullmatch(sentence) else ""
