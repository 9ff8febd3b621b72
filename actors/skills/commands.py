"""Slash commands of the skills: the first puts a skill to work, the second lists all skills with their cost."""

from __future__ import annotations

from urllib.parse import urlsplit

from actors.part import Answer, Argument, ArgumentValues, Command, Completion, SpokenCommand, Wording, Words
from messages.base import Address, Message, RequestId
from messages.skills import SKILLS, ListSkills, ReadSkill, SkillEntry, SkillRead, SkillsListed, SkillState

LONGEST_NAME = 100
LONGEST_ARGUMENTS = 4000
LONGEST_DESCRIPTION = 120
"""Characters of a description in a chat."""
LONGEST_ORIGIN = 100
MOST_SHOWN = 100
"""Most skills of an answer in a chat."""
MOST_WARNINGS = 20
SHIPPED = "shipped"


def answer_list(listed: SkillsListed, wording: Wording) -> Answer:
    """Table of all skills, with their cost in tokens."""
    return Answer("\n".join(_table_lines(listed, wording) if wording.is_terminal else _chat_lines(listed, wording)))


def _chat_lines(listed: SkillsListed, wording: Wording) -> list[str]:
    lines = [wording.title(f"{_count(len(listed.skills), 'skill')}, {listed.tokens:,} tokens of each request")]
    for skill in listed.skills[:MOST_SHOWN]:
        name, state = wording.quote(skill.name, LONGEST_NAME), _state(skill)
        origin = wording.quote(_public_origin(skill.origin), LONGEST_ORIGIN)
        description = wording.quote(skill.description, LONGEST_DESCRIPTION)
        lines.append(f"- {name} ({origin}; {state}; {skill.tokens:,} tokens): {description}")
    if more := len(listed.skills) - MOST_SHOWN:
        lines += [wording.note(f"and {more} more")] if more > 0 else []
    lines.append(wording.note(_sum(listed)))
    if listed.warnings:
        findings = _count(len(listed.warnings), "finding")
        lines.append(wording.note(f"{findings}, which `agent doctor` names"))
    return lines


def _table_lines(listed: SkillsListed, wording: Wording) -> list[str]:
    rows = [("name", "state", "tokens", "from", "description")]
    rows += [
        (
            wording.quote(skill.name, LONGEST_NAME),
            _state(skill),
            f"{skill.tokens:,}",
            wording.quote(skill.origin, 400),
            wording.quote(skill.description, 400),
        )
        for skill in listed.skills
    ]
    rows.append(("use of skills", "", f"{_overhead(listed):,}", "", ""))
    rows.append(("total", "", f"{listed.tokens:,}", "", "estimated tokens of each request"))
    name, state, tokens, origin = (max(len(row[column]) for row in rows) for column in range(4))
    lines = [
        f"{row[0]:{name}}  {row[1]:{state}}  {row[2]:>{tokens}}  {row[3]:{origin}}  {row[4]}".rstrip() for row in rows
    ]
    lines += [f"finding: {wording.quote(warning, 1_000)}" for warning in listed.warnings[:MOST_WARNINGS]]
    return lines


def _sum(listed: SkillsListed) -> str:
    return f"{_overhead(listed):,} of these tokens say how skills are used; tokens are estimated"


def _overhead(listed: SkillsListed) -> int:
    return max(0, listed.tokens - sum(skill.tokens for skill in listed.skills))


def _state(skill: SkillEntry) -> str:
    return "changed, not used" if skill.state is SkillState.CHANGED else skill.state.value


def _public_origin(origin: str) -> str:
    """Origin of a skill for people in a chat, without the folders of the agent's machine."""
    if origin == SHIPPED or ("://" in origin and urlsplit(origin.partition(" ")[0]).scheme in ("https", "ssh")):
        return origin
    return "this machine"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _names(reply: Message) -> tuple[str, ...]:
    """Names of the callable skills."""
    if not isinstance(reply, SkillsListed):
        return ()
    return tuple(skill.name for skill in reply.skills if skill.state is not SkillState.CHANGED)


def _read(request_id: RequestId, reply_to: Address, values: ArgumentValues) -> ReadSkill:
    name, arguments = values["name"].strip(), values["arguments"]
    return ReadSkill(request_id=request_id, reply_to=reply_to, name=name, arguments=arguments)


def _start_notice(reply: SkillRead, wording: Wording) -> Answer:
    return Answer(
        f"The skill {wording.quote(reply.name, LONGEST_NAME)} is at work; the answer comes here in the channel."
    )


COMMANDS = (
    SpokenCommand(
        name="skill",
        description="Run one of my skills",
        arguments=(
            Argument(
                name="name",
                description="Which skill",
                longest=LONGEST_NAME,
                choices=Completion(to=SKILLS, request=ListSkills, names=_names),
            ),
            Argument(
                name="arguments",
                description="The task, in your words",
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
    Command(
        name="skills",
        description="Which skills I have, where they are from, and their cost in tokens",
        to=SKILLS,
        request=lambda call, _values: ListSkills(request_id=call.request_id, reply_to=call.reply_to),
        reply=SkillsListed,
        answer=answer_list,
    ),
)
LISTED = Words(reply=SkillsListed, answer=answer_list)
