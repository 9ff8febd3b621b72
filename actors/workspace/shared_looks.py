"""Looks shared by all windows: at skills' declarations, and at the definitions of sub-agents."""

from __future__ import annotations

from dataclasses import dataclass

from actors.workspace.skills.lives import SkillLives
from actors.workspace.subagents.definitions import Definitions


@dataclass(frozen=True, slots=True)
class SharedLooks:
    """Readers of the operator's folders; each look is a value that replaces the last look."""

    lives: SkillLives
    definitions: Definitions
