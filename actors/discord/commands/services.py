"""Which actors there are for commands to ask; a command that has nobody to ask is not offered."""

from __future__ import annotations

from dataclasses import dataclass

from messages.base import Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Where commands lead besides the window's own actor."""

    memory: Address | None = None
    scheduler: Address | None = None
    skills: Address | None = None
    describers: tuple[Address, ...] = ()
    """Whoever has something to say for `/status`, in the order to show it."""
    models: tuple[str, ...] = ()
    """What the operator lets people choose from, the usual one first."""
