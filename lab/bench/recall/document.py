"""Conversation file: the house's own form of a conversation with questions, one JSON document."""

from __future__ import annotations

from datetime import datetime

import msgspec


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Utterance of one speaker."""

    id: str
    speaker: str
    time: datetime
    session: str
    text: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Question, and the ids of the turns that answer it."""

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    """Ids of turns."""
    answer: str | int | float = ""
    """Wanted answer in the set's words; empty where it names none."""
    flagged: bool = False
    """True if an audit of the set doubts the evidence."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation: turns in time order, and questions; `now` is when these are asked."""

    name: str
    now: datetime
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
