"""Row of the skills in the table of parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Level, Part, Parts, Plan, Verb
from actors.skill_files.folders import skill_findings, skill_roots
from actors.skills.commands import COMMANDS, LISTED
from messages.skills import SKILLS, ListSkills


def row(plan: Plan, parts: Parts) -> Part:
    """Row of the single actor that lists skills."""

    def roots() -> tuple[Path, ...]:
        return skill_roots(
            parts.skills, plan.settings.data_root, plan.settings.skills.folders, trusts_data=plan.trusts_data
        )

    def build(_key: str) -> Actor:
        from actors.skills.actor import SkillsActor

        return SkillsActor(roots=roots(), channels=parts.skill_channels)

    can_run = plan.settings.shell.enabled  # a skill is read, and carried out, by commands
    return Part(
        spec=ActorSpec(SKILLS.kind, build, core=True),
        contributes=can_run,
        operator_verbs={"skills.list": Verb(SKILLS, ListSkills, words=LISTED)},
        commands=COMMANDS if can_run else (),
        checks=(lambda: _look(roots(), can_run=can_run),),
    )


def _look(roots: tuple[Path, ...], *, can_run: bool) -> Iterator[Finding]:
    if not can_run:
        yield Finding("skills", Level.OK, "not offered: commands are turned off (shell.enabled)")
        return
    problems = skill_findings(roots)
    if not problems:
        yield Finding("skills", Level.OK, ", ".join(str(root) for root in roots if root.is_dir()) or "none")
    for problem in problems:
        yield Finding("skills", Level.WARN, problem)
