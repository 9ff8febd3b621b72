"""Catalogue of tools: one tool as known to the agent, the search for tools, and their descriptions."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import log

LONGEST_NAME = 256
LONGEST_LINE = 160
LONGEST_DESCRIPTION = 8_000
LONGEST_SCHEMA = 24_000
_NAME_WEIGHT, _SERVER_WEIGHT = 4.0, 2.0
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_./:-]+")
_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(
    ("a", "an", "and", "at", "by", "for", "from", "in", "is", "it", "my", "of", "on", "or", "pleas", "the", "to")
)
"""Words in the form returned by `_terms`."""
_ENDINGS = ("ing", "ed", "es", "s", "e")
_LEAST_STEM = 3
_SENTENCE = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool of a server; all texts are clean."""

    server: str
    name: str
    wire_name: str = ""
    """Name in the server's spelling; empty if equal to `name`."""
    title: str = ""
    description: str = ""
    schema: Mapping[str, object] = field(default_factory=dict, hash=False)
    """JSON Schema of the arguments, as the server sent it."""
    schema_text: str = ""
    """The same, clean."""

    @property
    def line(self) -> str:
        """First sentence of the description, at most `LONGEST_LINE` characters, on one line."""
        text = " ".join(_SENTENCE.split(self.description.strip(), maxsplit=1)[0].split()) or self.title
        return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"


def search_tools(tools: Sequence[Tool], words: str) -> list[Tool]:
    """Tools that have any of `words`, the best first; rare words count more, and names more than descriptions."""
    every = frozenset(_terms(words))
    wanted = every - _STOP_WORDS or every
    weights = [_weights(tool) for tool in tools]
    having = Counter(term for each in weights for term in wanted if term in each)
    scores = [
        sum(weight * log(1 + len(tools) / having[term]) for term in wanted if (weight := each.get(term, 0.0)))
        for each in weights
    ]
    places = sorted((place for place, score in enumerate(scores) if score), key=lambda place: (-scores[place], place))
    return [tools[place] for place in places]


def _terms(text: str) -> list[str]:
    """Words of a text in lower case, without the commonest endings of English."""
    return [_stem(word) for word in _WORD.findall(_HUMP.sub(" ", text).lower())]


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > _LEAST_STEM + 2:
        return f"{word[:-3]}y"
    ending = next((each for each in _ENDINGS if word.endswith(each) and len(word) - len(each) >= _LEAST_STEM), "")
    return word.removesuffix(ending)


def _weights(tool: Tool) -> dict[str, float]:
    """Term -> the term's weight for a tool."""
    weights: dict[str, float] = dict.fromkeys(_terms(f"{tool.title} {tool.description[:LONGEST_DESCRIPTION]}"), 1.0)
    for term in _terms(tool.server):
        weights[term] = max(weights.get(term, 0.0), _SERVER_WEIGHT)
    for term in _terms(tool.name):
        weights[term] = max(weights.get(term, 0.0), _NAME_WEIGHT)
    return weights


def describe_tool(tool: Tool) -> str:
    """Description of a tool with the schema of its arguments."""
    head = f"{tool.server} {tool.name}" + (f" ({tool.title})" if tool.title and tool.title != tool.name else "")
    schema = tool.schema_text
    if len(schema) > LONGEST_SCHEMA:
        schema = f"{schema[:LONGEST_SCHEMA]}\n… ({len(schema) - LONGEST_SCHEMA} more characters)"
    return "\n\n".join(filter(None, (head, cut(tool.description, LONGEST_DESCRIPTION), f"Arguments:\n{schema}")))


def schema_text(schema: Mapping[str, object]) -> str:
    """JSON of a schema, indented."""
    return json.dumps(schema, ensure_ascii=False, indent=1)


def cut(text: str, most: int) -> str:
    """The first `most` characters of `text`."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"


def nearest_names(name: str, known: Iterable[str]) -> str:
    """Words about the names nearest to an unknown name: `did you mean a or b?`, or the first known names."""
    names = list(known)[:1_000]
    close = get_close_matches(name[:LONGEST_NAME], names, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    if not names:
        return "there are none"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"there are {', '.join(names[:10])}{more}"
