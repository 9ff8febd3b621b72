"""Row of the skills in the table of parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.kernel import Actor, ActorSpec
from actors.part import (
    Answer,
    Argument,
    Completion,
    Finding,
    Given,
    Level,
    Part,
    Parts,
    Plan,
    SpokenCommand,
    Verb,
    Wording,
)
from actors.skill_files.folders import skill_findings, skill_roots
from messages.base import Address, Message, RequestId
from messages.skills import SKILLS, ListSkills, ReadSkill, SkillRead, SkillsListed

LONGEST_NAME = 100
LONGEST_ARGUMENTS = 4000


def row(plan: Plan, parts: Parts) -> Part:
    """Row of the one actor that lists skills."""

    def roots() -> tuple[Path, ...]:
        return skill_roots(
            parts.skills, plan.settings.data_root, plan.settings.skills.folders, trusts_data=plan.trusts_data
        )

    def build(_key: str) -> Actor:
        from actors.skills.actor import SkillsActor

        return SkillsActor(roots=roots())

    can_run = plan.settings.shell.enabled  # a skill is read, and carried out, by commands
    return Part(
        spec=ActorSpec(SKILLS.kind, build, core=True),
        contributes=can_run,
        operator_verbs={"skills.list": Verb(SKILLS, ListSkills)},
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


def _names(reply: Message) -> tuple[str, ...]:
    return tuple(skill.name for skill in reply.skills) if isinstance(reply, SkillsListed) else ()


def _read(request_id: RequestId, reply_to: Address, values: Given) -> ReadSkill:
    name, arguments = values["name"].strip(), values["arguments"]
    return ReadSkill(request_id=request_id, reply_to=reply_to, name=name, arguments=arguments)


def _start_notice(reply: SkillRead, wording: Wording) -> Answer:
    return Answer(
        f"The skill {wording.quote(reply.name, LONGEST_NAME)} is at work; the answer comes here in the channel."
    )


COMMANDS = (
    SpokenCommand(
        name="skill",
        description="Do something by one of my skills",
        arguments=(
            Argument(
                name="name",
                description="Which skill",
                longest=LONGEST_NAME,
                choices=Completion(
                    to=SKILLS,
                    request=lambda request_id, reply_to: ListSkills(request_id=request_id, reply_to=reply_to),
                    names=_names,
                ),
            ),
            Argument(
                name="arguments",
                description="What to do with it, in your words",
                longest=LONGEST_ARGUMENTS,
                required=False,
            ),
        ),
        to=SKILLS,
        request=_read,
        reply=SkillRead,
        answer=_start_notice,
        speech=lambda reply: reply.text,
    ),
)
