"""Rules of the offline model about earlier words: quote words relevant to a question, and invent no words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from domain.offline.asking import Question, is_question, tells
from domain.turn.prompt import MEMORY_PREFIX, is_block

MOST_QUOTED = 3
EXCERPT_LIMIT_CHARS = 300

HEADER = re.compile(r"\[(?P<at>[^\]\n]* UTC)\] (?P<who>[^\n]*):\n")
"""Line with the author and the time of a prompt."""
_NO_TELLING = re.compile(
    r"\s*(?:>|run:|run `|INJECTED_CONTEXT_|\[|(?:… ?)?(?:I have read “|That brings to my mind))|.*\bremind me\b",
    re.IGNORECASE,
)
"""Lines without information: quoted people, orders to the bot, the runtime's own lines, and this model's answers."""
_VOICE_FRAME = re.compile(
    r"\[voice message: [^\]\n]*\]|\[attached file: [^\]\n]*; spoken words follow,[^\]\n]*\]\s*`{3,}text|`{3,}\s*\Z"
)
"""Frame of spoken words."""


@dataclass(frozen=True, slots=True)
class Reminded:
    """One memory in the form of a request."""

    excerpt: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Utterance:
    """Words of a person in this window."""

    who: str
    at: str
    text: str


def memories_of(text: str) -> tuple[Reminded, ...]:
    """Memories in the blocks at the start of a user message, in order; empty without such a block."""
    name, _, rest = text.partition("\n")
    line, _, rest = rest.partition("\n")
    if name != MEMORY_PREFIX:
        return memories_of(rest.removeprefix("\n")) if is_block(f"{name}\n{line}") else ()
    try:
        block = json.loads(line)
        return tuple(Reminded(str(m["excerpt"]), str(m["path"]), int(m["line"])) for m in block["memories"])
    except (ValueError, KeyError, TypeError):
        return ()


def quotes(question: Question, asker: str, history: Iterable[Utterance], memories: Iterable[Reminded]) -> str:
    """Quotations relevant to `question`: of this window first, the newest first; then memories; empty without any.

    Args:
        asker: Name of the asker, as shown in the header.
        history: People's earlier words in this window, the newest first.
        memories: Memories of the request, in order; without a speaker's name, so never quoted as a person's words.
    """
    if not question.terms:
        return ""
    sources: dict[str, str] = {}
    for utterance in history:
        for line in utterance.text.split("\n") if _is_by(utterance.who, question.by, asker) else ():
            if _is_telling(line) and tells(line, question):
                sources.setdefault(" ".join(line.split()), f"{utterance.who}, {utterance.at}")
    for memory in () if question.by else memories:
        excerpt = _VOICE_FRAME.sub(" ", memory.excerpt).strip()
        if _is_telling(excerpt) and tells(excerpt, question):
            sources.setdefault(" ".join(excerpt.split()), f"{memory.path}:{memory.line}")
    quoted = list(sources.items())[:MOST_QUOTED]
    return "\n".join(f"> {_short(text)}\n-# {source}" for text, source in quoted)


def _is_by(who: str, by: str, asker: str) -> bool:
    if by == "i":
        return who == asker
    return not by or by in re.split(r"\W+", who.lower())


def _is_telling(line: str) -> bool:
    return bool(line.strip()) and _NO_TELLING.match(line) is None and not is_question(line)


def _short(text: str) -> str:
    return text if len(text) <= EXCERPT_LIMIT_CHARS else text[: EXCERPT_LIMIT_CHARS - 1].rstrip() + "…"
