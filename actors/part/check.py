"""Check of `agent doctor`: looks at one thing that the agent depends on, and says what it found."""

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
    """What puts a finding right."""

    text: str
    """What is to be done, as one would tell somebody to do it."""
    act: Callable[[], None] | None = None
    """Does it while no agent runs on the data root, and never alters what anybody said; None where that needs a person.

    Raises:
        OSError: it could not be done.
    """
    while_running: bool = False
    """Whether it may be done beside a running agent, too."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one look."""

    name: str
    """Of the thing, in a word or two."""
    level: Level
    detail: str
    """What was found, and what to do if that is not well."""
    repair: Repair | None = None
    """None where all is well, or nothing is known that helps."""


Check = Callable[[], Iterable[Finding]]
"""Looks when it is called; changes nothing."""
