"""Hosts of an agent that is spread over processes, as the parts of its head see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HostState:
    """How one host is."""

    name: str
    stage: str
    """`starting`, `running` or `lost`."""
    pid: int
    """Of its process, on its machine; 0 while it is not known."""
    windows: int
    """How many live there."""
    live: int
    """How many of them it has in memory."""
    unhandled: int
    """Messages that it has not handled, as far as is known."""


class Hosts(Protocol):
    """All of them."""

    @property
    def is_busy(self) -> bool:
        """Whether a window somewhere has something in hand."""

    @property
    def lost(self) -> int:
        """How many were lost in this life of the agent."""

    def states(self) -> tuple[HostState, ...]:
        """How each is."""
