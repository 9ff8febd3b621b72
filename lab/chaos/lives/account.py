"""Account of lives that end by a kill: lines that survive their writer, and what must be kept for them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

FILE = "account"
STARTED, ASKED, ANSWERED = "started", "asked", "answered"


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


def lost(promised: Iterable[str], kept: Counter[str]) -> int:
    """Count what was promised and is not kept."""
    return sum(not kept[each] for each in promised)


def doubled(kept: Counter[str] | Counter[bytes]) -> int:
    """Count what is kept more than once, each copy beyond the first."""
    return sum(max(0, count - 1) for count in kept.values())
