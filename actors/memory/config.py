"""Settings of the memory actor, as a single value."""

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
    """Index to open, and its search."""
    budget: Budget = field(default_factory=Budget)
    """Budget of the block for a turn."""
    query_timeout_s: float = 4.5
    """Longest wait for the vector of a question; less than contributors have."""
    surface: Address | None = None
    """Address of the readership service; None without a service: then no window is shown another window's words."""
    reconcile_every_s: float = RECONCILE_EVERY_S
    """Between two comparisons with the logs."""
