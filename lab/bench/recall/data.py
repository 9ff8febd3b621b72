"""Conversations with questions answered in known turns, read from files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from lab.bench.recall.document import Document, Question, Turn
from lab.bench.recall.formats import PROBES, document_of

UNCOUNTED = frozenset({"adversarial", "summarization", "event_ordering"})
"""Categories of questions without an answer in the conversation, or with an answer drawn from all of it."""


@dataclass(frozen=True, slots=True)
class Case:
    """Question with the places of its evidence among the turns."""

    question: Question
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Content of a file: turns in time order, and the questions counted."""

    name: str
    now: datetime
    turns: tuple[Turn, ...]
    cases: tuple[Case, ...]


def read(file: Path, limit: int | None = None) -> Conversation:
    """Conversation in `file`, with the first `limit` countable questions.

    Raises:
        ValueError: The document is invalid, or its parts contradict one another.
        OSError: The file cannot be read.
    """
    try:
        content = msgspec.json.decode(file.read_bytes())
        document = document_of(file, content) or msgspec.convert(content, Document, strict=False)
    except msgspec.DecodeError as error:
        raise ValueError(f"{file}: {error}") from error
    places = {turn.id: place for place, turn in enumerate(document.turns)}
    if len(places) != len(document.turns):
        raise ValueError(f"{file}: two turns have the same id")
    for moment in (document.now, *(turn.time for turn in document.turns)):
        if moment.tzinfo is None:
            raise ValueError(f"{file}: {moment.isoformat()} must say its offset from UTC")
    counted = [question for question in document.questions if _counts(question)]
    cases = tuple(_case(question, places, file) for question in counted[:limit])
    return Conversation(document.name, document.now, document.turns, cases)


def files(data: Path, names: tuple[str, ...] = ()) -> list[Path]:
    """Conversation files below `data`, or `data` itself if a file; with `names`, only the files of these names.

    Raises:
        ValueError: There is no file, or a name has no file.
    """
    below = [data] if data.is_file() else sorted(data.rglob(PROBES)) or sorted(data.rglob("*.json"))
    if missing := [name for name in names if name not in {file.stem for file in below}]:
        raise ValueError(f"no file {', '.join(f'{name}.json' for name in missing)} below {data}")
    chosen = [file for file in below if not names or file.stem in names]
    if not chosen:
        raise ValueError(f"no *.json below {data}")
    return chosen


def _counts(question: Question) -> bool:
    return bool(question.evidence) and not question.flagged and question.category not in UNCOUNTED


def _case(question: Question, places: dict[str, int], file: Path) -> Case:
    if unknown := [turn for turn in question.evidence if turn not in places]:
        raise ValueError(f"{file}: question {question.id} names no turn of the conversation: {', '.join(unknown)}")
    return Case(question, frozenset(places[turn] for turn in question.evidence))
