"""Settings of the memory actor, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field

from actors.memory.store import MemoryPlan
from domain.memory.injection import Budget
from messages.base import Address

RECONCILE_EVERY_S = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConfig:
    """Configuration of a memory actor."""

    plan: MemoryPlan
    """What is opened, and how it is searched."""
    budget: Budget = field(default_factory=Budget)
    """Of the block that one turn gets."""
    query_timeout_s: float = 4.5
    """Longest wait for the vector of a question; less than contributors have."""
    surface: Address | None = None
    """Who says which window is read by whom; None for nobody: then no window is shown another's words."""
    reconcile_every_s: float = RECONCILE_EVERY_S
    """Between two comparisons with the logs."""
