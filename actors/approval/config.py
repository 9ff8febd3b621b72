"""Configuration of the actor that asks people."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from actors.linux.disk import Disk, RealDisk
from messages.base import Address


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalConfig:
    """Configuration of an ApprovalActor."""

    surface: Address
    """Address of the actor that shows questions to people."""
    operators: frozenset[str] = frozenset()
    """Accounts of operators, who may decide every question."""
    folder: Path | None = None
    """Folder of open questions; None for a single turn, after which no question stays open."""
    disk: Disk = field(default_factory=RealDisk)
