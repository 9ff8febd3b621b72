"""Hosts of an agent spread over processes, as seen by parts of the head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HostState:
    """State of a host."""

    name: str
    stage: str
    """`starting`, `running` or `lost`."""
    pid: int
    """Process id on the host's machine; 0 while unknown."""
    windows: int
    """Number of windows living on the host."""
    live: int
    """Number of windows in memory."""
    unhandled: int
    """Known number of messages that the host has not handled."""


class Hosts(Protocol):
    """All hosts."""

    @property
    def is_busy(self) -> bool:
        """True if a window on any host has work in hand."""

    @property
    def lost(self) -> int:
        """Number of hosts lost in this life of the agent."""

    def states(self) -> tuple[HostState, ...]:
        """State of each host."""
