"""Check of `agent doctor`: examines a dependency of the agent, and reports the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """Severity of a finding."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Repair:
    """Repair of a finding."""

    text: str
    """Instruction for a person."""
    act: Callable[[], None] | None = None
    """Repair while no agent runs on the data root, without a change to anyone's words; None for a repair by a person.

    Raises:
        OSError: the repair failed.
    """
    while_running: bool = False
    """True if the repair may also be made beside a running agent."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a look."""

    name: str
    """Of the thing, in a word or two."""
    level: Level
    detail: str
    """Result, and the remedy if the result is not good."""
    repair: Repair | None = None
    """Repair; None if all is well or no repair is known."""


Check = Callable[[], Iterable[Finding]]
"""Function that looks when called and changes no state."""
