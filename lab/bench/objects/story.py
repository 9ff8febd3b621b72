"""Story of a window: its turns with their rounds of commands, before anything of it has happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Act(StrEnum):
    """Act of a command."""

    PRINT = "print"
    """`cat` of a file."""
    EDIT = "edit"
    """`sed -i`: a few lines of a file are others then."""
    SEARCH = "search"
    """`grep -n` in a file, or below a folder."""
    LIST = "list"
    BUILD = "build"
    """Prints as much as it is told to, and reads no file."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the tool."""

    act: Act
    path: str = ""
    """The file or folder; from the window's folder on."""
    word: str = ""
    """Word to search for, or goal of a build."""
    chars: int = 0
    """Of what is printed."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn: a block and a prompt, rounds of calls that are asked for together, and the answer."""

    block: str
    """Of memories; stands before the prompt as long as that is the newest."""
    prompt: str
    rounds: tuple[tuple[Step, ...], ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Story:
    """One window's conversation, and the files that are there when it begins."""

    name: str
    files: Mapping[str, int]
    """Path -> characters."""
    exchanges: tuple[Exchange, ...]

    @property
    def calls(self) -> int:
        """Of the tool."""
        return sum(len(calls) for exchange in self.exchanges for calls in exchange.rounds)
