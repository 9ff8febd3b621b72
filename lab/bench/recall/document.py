"""Conversation file: this project's own form of a conversation with questions, a single JSON document."""

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
    """Question, and the ids of the turns with the answer."""

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    """Ids of turns."""
    answer: str | int | float = ""
    """Wanted answer in the set's words; empty where the set names no answer."""
    flagged: bool = False
    """True if an audit of the set doubts the evidence."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """Conversation: turns in time order, and questions; `now` is the time of asking."""

    name: str
    now: datetime
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
