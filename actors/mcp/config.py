"""Configuration of McpActor: the servers, and the readership of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from messages.base import Surface, Window

LEAST_START_S = 10.0
LONGEST_START_S = 60.0
"""Longest time for the start of a server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """A server: a program, or an address on the web."""

    name: str
    command: tuple[str, ...] = ()
    """Program and its arguments; empty for a server on the web."""
    url: str = ""
    key: str = field(default="", repr=False)
    """Bearer token of the server on the web; empty for no token."""
    environment: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    has_network: bool = False
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    channels: frozenset[str] = frozenset()
    """Channels with access for their conversations; empty for all."""
    timeout_s: float = 60.0
    fault: str = ""
    """Reason for not using the server, e.g. a missing secret; empty if usable."""

    @property
    def leaves_sandbox(self) -> bool:
        """True if a call may have an effect outside of the server's sandbox."""
        return bool(self.url or self.has_network or self.writes)

    def may_be_used(self, window: Window, places: Collection[str]) -> bool:
        """True if a conversation may use the server.

        Args:
            window: The conversation's window; the command line is the operator's, with access to every server.
            places: Ids of the channel tables in force there.
        """
        return not self.channels or window.surface is Surface.CLI or not self.channels.isdisjoint((*places, window.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class McpConfig:
    """Configuration of McpActor."""

    servers: Mapping[str, ServerConfig] = field(default_factory=dict)
    idle_s: float = 600.0
    """A server without a call for so long is ended."""
    start_s: float = LONGEST_START_S
    """Longest time for the start of a server."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """The agent's secrets, hidden in every answer."""
    asks_outside: bool = False
    """True if a person is asked before a call that leaves the server's sandbox."""
    asks_always: bool = False
    """True if a person is asked before each call."""

    def start_of(self, server: ServerConfig) -> float:
        """Longest time for the start of a server: as long as a call has, and `LEAST_START_S` at least."""
        return min(self.start_s, max(server.timeout_s, LEAST_START_S))

    def asks_first(self, server: ServerConfig) -> bool:
        """True if a person is asked before a call of the given server."""
        return self.asks_always or (self.asks_outside and server.leaves_sandbox)

    @property
    def is_restricted(self) -> bool:
        """True if not every conversation may use every server."""
        return any(server.channels for server in self.servers.values())
