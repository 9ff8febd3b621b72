"""Messages of people and the workspaces they are sent to, all of them our own text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import msgspec

from domain.workspace.recall.entries import Source, entries
from domain.workspace.recall.search import RecallIndex

TODAY = date(2026, 11, 25)
"""When all of it is asked."""
FILES = {Source.SESSION: "SESSION.md", Source.MEMORY: "MEMORY.md", Source.HISTORY: "HISTORY.md"}
TEXTS = Path(__file__).parent / "texts"


class Foreign(msgspec.Struct, frozen=True, kw_only=True):
    """A message that nothing of any workspace bears on."""

    text: str
    tuned: bool = False
    """True if the rules were tuned on this message; False for held-out messages."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A message, and the section that has to be shown for it."""

    workspace: str = msgspec.field(name="in")
    text: str
    section: str
    tuned: bool = False


class Messages(msgspec.Struct, frozen=True, kw_only=True):
    """All messages."""

    everyday: tuple[str, ...]
    """Small talk and errands, as they come to every bot."""
    go_on: tuple[str, ...]
    """Messages that only say that work goes on, for which the state of the work is to be shown."""
    asked: tuple[Question, ...]
    foreign: tuple[Foreign, ...]


@dataclass(frozen=True, slots=True)
class Set:
    """Messages with the indexes of the workspaces they name."""

    messages: Messages
    indexes: Mapping[str, RecallIndex]


def read() -> Set:
    """The messages and workspaces that lie beside this module."""
    messages = msgspec.json.decode((TEXTS / "messages.json").read_bytes(), type=Messages)
    folders = sorted(folder for folder in TEXTS.iterdir() if folder.is_dir())
    return Set(messages, {folder.name: _index(folder) for folder in folders})


def _index(folder: Path) -> RecallIndex:
    return RecallIndex(
        entry
        for source, name in FILES.items()
        for entry in entries((folder / name).read_text(encoding="utf-8"), source, name)
    )
