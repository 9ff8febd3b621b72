"""One attack."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.bench.escapes.script import python
from tests.abuse.ground import COMMAND_S, Ground

__all__ = ["Case", "Command", "python"]

Command = Callable[[Ground], str]


@dataclass(frozen=True, slots=True)
class Case:
    """An attack that says itself what worked; nothing must."""

    number: int
    """As in the list of abuse cases; some have several attacks."""
    name: str
    command: Command
    works_bare: bool = False
    """Whether it is harmless enough to be tried without a sandbox, and works there: that it can work at all."""
    timeout_s: float = COMMAND_S

    def __str__(self) -> str:
        return f"{self.number:02}-{self.name.replace(' ', '-')}"
