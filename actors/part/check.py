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
class Finding:
    """Result of one look."""

    name: str
    """Of the thing, in a word or two."""
    level: Level
    detail: str
    """What was found, and what to do if that is not well."""


Check = Callable[[], Iterable[Finding]]
"""Looks when it is called; changes nothing."""
