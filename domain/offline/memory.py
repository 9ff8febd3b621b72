"""Rules of the offline model about memories: it quotes those that share a word with the question."""

from __future__ import annotations

import json
from dataclasses import dataclass

from domain.memory.keywords import question_terms, terms
from domain.turn.prompt import MEMORY_PREFIX

MOST_QUOTED = 3


@dataclass(frozen=True, slots=True)
class Reminded:
    """One memory as a request shows it."""

    excerpt: str
    path: str
    line: int


def memories_of(text: str) -> tuple[Reminded, ...]:
    """The memories in the block at the start of a user message, in its order; none where there is no block."""
    name, _, rest = text.partition("\n")
    if name != MEMORY_PREFIX:
        return ()
    line, _, _ = rest.partition("\n")
    try:
        block = json.loads(line)
        return tuple(Reminded(str(m["excerpt"]), str(m["path"]), int(m["line"])) for m in block["memories"])
    except (ValueError, KeyError, TypeError):
        return ()


def quotes(question: str, memories: tuple[Reminded, ...]) -> str:
    """The memories that bear on `question`, quoted; empty when none does."""
    stems = question_terms(question)
    fitting = [memory for memory in memories if not stems.isdisjoint(terms(memory.excerpt))]
    if "?" not in question or not fitting:
        return ""
    quoted = "\n".join(f"> {memory.excerpt}\n-# {memory.path}:{memory.line}" for memory in fitting[:MOST_QUOTED])
    return f"That brings to my mind what was said before:\n{quoted}"
