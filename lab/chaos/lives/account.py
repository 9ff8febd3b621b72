"""Plan and account of lives ended by a kill: lines that survive their writer, and the resulting obligations."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

FILE = "account"
PLAN_FILE = "plan.json"
STARTED, ASKED, ANSWERED = "started", "asked", "answered"


@dataclass(frozen=True, slots=True)
class LifePlan:
    """Course of a life."""

    number: int
    """Number of the life, unique in the campaign."""
    is_last: bool = False
    """True for a life that only finishes or notes the leftovers of earlier lives, and ends in good order."""
    cut: int = 0
    """Number of the disk call in which the life dies; 0 for a kill from outside."""
    ends: bool = False
    """True for a life planned to begin an orderly end, and to die during the orderly end at the latest."""

    @property
    def dies(self) -> bool:
        """True if the life kills itself."""
        return bool(self.cut) or self.ends

    def write(self, folder: Path) -> Path:
        """Write the plan; return its file in the folder."""
        path = folder / PLAN_FILE
        path.write_text(json.dumps(asdict(self)))
        return path

    @classmethod
    def read(cls, path: Path) -> Self:
        """Plan in a file."""
        return cls(**json.loads(path.read_text()))


class Account:
    """File to which lives add a line for each event, there as soon as `note` returns, whenever the writer dies."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def note(self, word: str, about: str = "") -> None:
        """Append a line."""
        fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, f"{word} {about}\n".encode())
        finally:
            os.close(fd)

    def lines(self) -> list[tuple[str, str]]:
        """(word, about) of every whole line; a torn last line is left out."""
        text = self._path.read_text() if self._path.exists() else ""
        return [(word, about) for word, _, about in (line.partition(" ") for line in text.split("\n")[:-1])]

    def about(self, word: str) -> list[str]:
        """All notes with word `word`."""
        return [about for each, about in self.lines() if each == word]


def count_lost(promised: Iterable[str], counts: Counter[str]) -> int:
    """Count promised entries not kept."""
    return sum(not counts[each] for each in promised)


def count_doubled(counts: Counter[str] | Counter[bytes]) -> int:
    """Count duplicates among kept entries, each copy beyond the first."""
    return sum(max(0, count - 1) for count in counts.values())
