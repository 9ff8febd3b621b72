"""Directives: lines in which people set a rule that should hold, found without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from messages.turn import SpokenTurn

LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line that says a rule, and where it was said."""

    turn_id: str
    path: str
    line: int
    author: str
    text: str
    score: float
    """Above 0, at most 1."""


_RULES = re.compile(r"(?i)\b(?:never|always|must(?: not|n't)?|only|do not|don't)\b")


def directive_score(line: str) -> float:
    """How sure it is that a line sets a rule, from 0 for none to 1."""
    return 0.5 if _RULES.search(line) and not line.rstrip().endswith("?") else 0.0


def found_lines(spoken: Iterable[SpokenTurn]) -> tuple[FoundLine, ...]:
    """Lines of people's words that set a rule, in order, each once."""
    return tuple(
        FoundLine(turn.turn_id, turn.path, turn.line, turn.author, text[:LONGEST_LINE], score)
        for turn in spoken
        for line in turn.text.splitlines()
        if (text := " ".join(line.split())) and (score := directive_score(text)) > 0
    )
