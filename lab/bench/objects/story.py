"""Story of a window: turns with their rounds of commands, before any has run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Act(StrEnum):
    """Act of a command."""

    PRINT = "print"
    """`cat` of a file."""
    EDIT = "edit"
    """`sed -i`: changes a few lines of a file."""
    SEARCH = "search"
    """`grep -n` in a file, or below a folder."""
    LIST = "list"
    BUILD = "build"
    """Command with a given amount of output, reading no file."""


@dataclass(frozen=True, slots=True)
class Step:
    """Call of the tool."""

    act: Act
    path: str = ""
    """The file or folder; from the window's folder on."""
    word: str = ""
    """Word to search for, or goal of a build."""
    chars: int = 0
    """Number of characters printed."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Turn: a block and a prompt, rounds of calls requested together, and the answer."""

    block: str
    """Block of memories, before the prompt while the prompt is the newest."""
    prompt: str
    rounds: tuple[tuple[Step, ...], ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Story:
    """Conversation of a window, and the files present at the beginning."""

    name: str
    files: Mapping[str, int]
    """Path -> characters."""
    exchanges: tuple[Exchange, ...]

    @property
    def calls(self) -> int:
        """Of the tool."""
        return sum(len(calls) for exchange in self.exchanges for calls in exchange.rounds)
