"""Looks that all windows share: at what skills declare, and at the definitions of sub-agents."""

from __future__ import annotations

from dataclasses import dataclass

from actors.workspace.skills.lives import SkillLives
from actors.workspace.subagents.definitions import Definitions


@dataclass(frozen=True, slots=True)
class SharedLooks:
    """Readers of the operator's folders; each look is a value that replaces the one before."""

    lives: SkillLives
    definitions: Definitions
