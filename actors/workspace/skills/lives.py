"""Lives of skills: the declarations of usable skills beyond their descriptions."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from actors.kernel import Host
from actors.skill_files.folders import FrontMatter, SkillFolders
from domain.turn.skill import Skill
from domain.workspace.skills.life import SkillLife, read_life

log = logging.getLogger(__name__)

FRESH_S = 3.0
"""Seconds for which a look at the folders serves all turns of all windows."""


@dataclass(frozen=True, slots=True)
class Lives:
    """Declarations of all skills, and their faults."""

    lives: tuple[SkillLife, ...] = ()
    """Declarations, in the order of the list of skills."""
    faults: tuple[str, ...] = ()
    """Each names the file, the value and the rule."""


@dataclass(frozen=True, slots=True)
class _Look:
    """Look at the folders: time and result."""

    at: float
    front_matters: dict[str, FrontMatter]
    lives: Lives


class SkillLives:
    """Declarations of skills, shared by all windows: each look is a value that replaces the last look.

    Skills shipped with the agent may declare conditions and subjects; hooks are the operator's only.
    """

    def __init__(self, shipped: Iterable[Path], roots: Iterable[Path]) -> None:
        """Begin without a look.

        Args:
            shipped: Folders of the skills that parts of the agent bring.
            roots: The operator's, in order of precedence; neither need exist.
        """
        shipped = tuple(shipped)
        self._folders = SkillFolders((*shipped, *roots))
        self._shipped = tuple(Path(os.path.realpath(root)) for root in shipped)
        self._look: _Look | None = None
        self._hook_faults: dict[tuple[str, str], str] = {}

    def look(self, host: Host) -> Lives:
        """Present declarations, at most `FRESH_S` seconds old."""
        now, before = host.monotonic(), self._look
        if before is not None and 0 <= now - before.at < FRESH_S:
            return before.lives
        with host.blocking():
            scan = self._folders.scan()
        front_matters = dict(scan.front_matters)
        if before is not None and _same(before.front_matters, front_matters):
            lives = before.lives
        else:
            lives = self._read(scan.skills, front_matters)
            for fault in lives.faults:
                if before is None or fault not in before.lives.faults:
                    log.warning("skill %s", fault)
        self._look = _Look(now, front_matters, lives)
        return lives

    @property
    def hook_faults(self) -> tuple[str, ...]:
        """Reasons of hooks' last failures, in any window; each names the skill and the event."""
        return tuple(self._hook_faults.values())

    def note_hook(self, skill: str, event: str, fault: str) -> None:
        """Keep the last outcome of a hook; a fault is logged unless it repeats the last fault.

        Args:
            skill: Name of the skill.
            event: Event of the run.
            fault: Reason of a failure; empty for success.
        """
        notice = f"skill {skill}: hook {event}: {fault}" if fault else ""
        before = self._hook_faults.pop((skill, event), "")
        if not notice:
            return
        self._hook_faults[skill, event] = notice
        if notice != before:
            log.warning("%s", notice)

    def findings(self) -> tuple[str, ...]:
        """Faults in the declarations of skills; reads the folders."""
        scan = self._folders.scan()
        return self._read(scan.skills, dict(scan.front_matters)).faults

    def _read(self, skills: Iterable[Skill], front_matters: dict[str, FrontMatter]) -> Lives:
        lives, faults = [], []
        for skill in skills:
            life, wrong = read_life(skill, front_matters[skill.name])
            faults += [f"{skill.path}: {fault}" for fault in wrong]
            if life.hooks and any(Path(skill.folder).is_relative_to(root) for root in self._shipped):
                life = replace(life, hooks=())
            if life.says_something:
                lives.append(life)
        return Lives(tuple(lives), tuple(faults))


def _same(one: dict[str, FrontMatter], other: dict[str, FrontMatter]) -> bool:
    """True if all files are unchanged: an unchanged file was not read again."""
    return list(one) == list(other) and all(fields is other[name] for name, fields in one.items())
