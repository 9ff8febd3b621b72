"""Configuration of the actor that forgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from actors.linux.disk import Disk, RealDisk
from messages.base import Address, Window

FOLDER = "forget"
"""Name of the journal's folder, in the data root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetConfig:
    """Configuration of a ForgetActor."""

    data_root: Path
    rooms: tuple[Address | Callable[[Window], Address], ...] = ()
    """Parts with data derived from the logs."""
    memory: Address | None = None
    """Address of the memory for searches of topics; None if switched off."""
    operators: frozenset[str] = frozenset()
    """Accounts of operators."""
    elsewhere: tuple[str, ...] = ()
    """Places out of the agent's reach, for a person."""
    resumes: bool = True
    """True to go on at the start with work left unfinished by an earlier life."""
    list_s: float = 300.0
    """Longest wait for a window's list of events; a window of 100,000 messages takes a minute or two."""
    answer_s: float = 120.0
    """Longest wait for a window or a room to take words out, before the question is asked again."""
    retry_s: float = 30.0
    """Pause before windows and rooms without an answer are asked again."""
    shortest: timedelta | None = None
    """Shortest retention of words in any channel; None if words never expire."""
    disk: Disk = field(default_factory=RealDisk)
