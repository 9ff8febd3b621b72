"""Hosts of an agent that is spread over processes, as the parts of its head see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HostState:
    """State of one host."""

    name: str
    stage: str
    """`starting`, `running` or `lost`."""
    pid: int
    """Process id on the host's machine; 0 while unknown."""
    windows: int
    """Number of windows that live on the host."""
    live: int
    """Number of windows in memory."""
    unhandled: int
    """Messages that it has not handled, as far as is known."""


class Hosts(Protocol):
    """All of them."""

    @property
    def is_busy(self) -> bool:
        """True if a window on any host has work in hand."""

    @property
    def lost(self) -> int:
        """Number of hosts lost in this life of the agent."""

    def states(self) -> tuple[HostState, ...]:
        """State of each host."""
