"""Store of a system on the disk: reads the entries, and writes entries before the system's start."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from lab.bench.facts.words import fact

ENTRIES = "entries"
_BEGINS_AT = datetime(2026, 1, 5, 8, tzinfo=UTC)
_STEP = timedelta(minutes=7)
_ROLE_WORDS = {"memory", "user", "assistant", "summary"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One file."""

    path: str
    """Below the store, POSIX."""
    role: str
    conversation: str
    body: str

    @property
    def is_live(self) -> bool:
        """True if the entry is not deleted."""
        return "deleted" not in self.path.split("/")


@dataclass(frozen=True, slots=True)
class Stored:
    """All files below `entries`."""

    entries: tuple[Entry, ...]
    broken: tuple[str, ...]
    """Broken entries, with the reason."""


def read(store: Path) -> Stored:
    """Read every file."""
    entries, broken = list[Entry](), list[str]()
    for path in sorted((store / ENTRIES).rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(store).as_posix()
        try:
            entries.append(_entry(name, path.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
            broken.append(f"{name}: {type(error).__name__}: {error}")
    return Stored(tuple(entries), tuple(broken))


def _entry(name: str, text: str) -> Entry:
    if not name.endswith(".md"):
        raise ValueError("a file of another kind: .md is required")
    begin, front, body = text.split("---\n", 2)
    fields: dict[str, Any] = yaml.safe_load(front)
    role = str(fields["role"])
    if begin or role not in _ROLE_WORDS or not fields["id"] or not fields["created_at"] or not body.strip():
        raise ValueError("id, role, created_at and a body are required")
    return Entry(name, role, str(fields["conversation_id"]), body.strip("\n"))


def fill(store: Path, conversation: str, series: str, count: int) -> None:
    """Write facts, as a long use would leave; both systems read the same files."""
    folder = store / ENTRIES / conversation / "facts"
    folder.mkdir(parents=True)
    chance = random.Random(series)
    for number in range(count):
        at = (_BEGINS_AT + number * _STEP).isoformat(timespec="microseconds")
        name = f"{chance.getrandbits(32):08x}-0000-4000-8000-{number:012x}"
        (folder / f"{at.replace(':', '-').replace('+', '-')}__{name}.md").write_text(
            f"---\nid: {name}\nrole: memory\nconversation_id: {conversation}\ncreated_at: '{at}'\n---\n"
            f"{fact(series, number)}\n"
        )
