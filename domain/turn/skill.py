"""Skills: each is a folder with a SKILL.md, whose front matter says when to read it (agentskills.io).

Only name, description and place of each skill stand in the system prompt; the file is read when it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath

from domain.text.brief import brief
from domain.text.imitation import defuse

FILE_NAME = "SKILL.md"
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_COMPATIBILITY = 500
BUDGET_CHARS = 16_000
"""Of the whole list in the system prompt, some 4,000 tokens."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FENCE = "---"
_BASE_DIR = "{baseDir}"
_HEAD = re.compile(r'<skill name="[^"\n]*" location="[^"\n]*">\n')
_END = "\n</skill>"
"""End of the section that `invocation` makes of a skill's file."""

_HOW_TO_USE = """Skills
Each of the skills below is a file with instructions for one kind of task.
- When a task fits a description, first read that skill's file whole with bash: cat its location. Then do as it says.
- Paths in such a file are relative to the folder it lies in, which it may also call {baseDir}. Your commands start in
  another folder, so write those paths out in full."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One usable skill."""

    name: str
    description: str
    """On one line, at most 1,024 characters."""
    path: str
    """Of its file, absolute."""
    hidden: bool = False
    """Not offered to the model; a person may still invoke it."""

    @property
    def folder(self) -> str:
        """Folder to which paths in the skill's file are relative."""
        return str(PurePosixPath(self.path).parent)


@dataclass(frozen=True, slots=True)
class Reading:
    """Result of reading one file."""

    skill: Skill | None
    """None if the file cannot be used."""
    faults: tuple[str, ...] = ()
    """Each names the value and the rule, not the file."""


def split_front_matter(text: str) -> tuple[str, str] | None:
    """The YAML between the two `---` lines at the top, and what follows them; None if there is no such thing."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].rstrip() != _FENCE:
        return None
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == _FENCE:
            return "".join(lines[1:number]), "".join(lines[number + 1 :])
    return None


def read_front_matter(fields: object, path: PurePosixPath) -> Reading:
    """The skill that `fields` describe.

    Args:
        fields: What the front matter's YAML says, of whatever type; keys that are not known are ignored.
        path: Of the file, absolute.
    """
    if not isinstance(fields, Mapping):
        return Reading(None, (f"front matter {brief(fields)}: must be `key: value` lines",))
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        return Reading(None, (f"description {brief(description)}: is required, so the skill is not used",))
    expected = path.parent.name if path.name == FILE_NAME else path.stem
    name, faults = _name(fields.get("name"), expected)
    faults += [fault for check in _CHECKS if (fault := check(fields))]
    skill = Skill(
        name=name,
        description=on_one_line(description)[:LONGEST_DESCRIPTION],
        path=str(path),
        hidden=fields.get("disable-model-invocation") is True,
    )
    return Reading(skill, tuple(faults))


def available_skills(skills: Iterable[Skill], budget_chars: int = BUDGET_CHARS) -> str:
    """Section of the system prompt about skills; empty without skills.

    Skills that no longer fit into `budget_chars` are only counted.
    """
    offered = [skill for skill in skills if not skill.hidden]
    if not offered:
        return ""
    entries: list[str] = []
    room = budget_chars - len(_HOW_TO_USE)
    for skill in offered:
        entry = _entry(skill)
        if len(entry) > room:
            break
        entries.append(entry)
        room -= len(entry)
    more = len(offered) - len(entries)
    note = f"\n{more} more skills are left out here, because the list would be too long." if more else ""
    return f"{_HOW_TO_USE}\n\n<available_skills>\n{''.join(entries)}</available_skills>{note}"


def invocation(skill: Skill, text: str, arguments: str) -> str:
    """Text that a person's `/skill:name arguments` puts into the turn: the file's body, then the arguments.

    Args:
        skill: Which one.
        text: Its whole file.
        arguments: Whatever followed the name; may be empty.
    """
    parts = split_front_matter(text)
    body = (parts[1] if parts else text).strip().replace(_BASE_DIR, skill.folder)
    head = f'<skill name="{escape(skill.name)}" location="{escape(skill.path)}">'
    section = f"{head}\nPaths are relative to {skill.folder}.\n\n{body}{_END}"
    return f"{section}\n\nUser: {arguments.strip()}" if arguments.strip() else section


def defused_invocation(text: str) -> str | None:
    """An `invocation` with what is not the runtime's in it defused; None for any other text."""
    head = _HEAD.match(text)
    end = text.find(_END, head.end()) if head else -1
    if head is None or end < 0:
        return None
    return head[0] + defuse(text[head.end() : end]) + _END + defuse(text[end + len(_END) :])


def arguments_of(text: str) -> str:
    """Arguments that a person added to an `invocation`; empty for any other text."""
    head = _HEAD.match(text)
    end = text.find(_END, head.end()) if head else -1
    return "" if end < 0 else text[end + len(_END) :]


def _entry(skill: Skill) -> str:
    return (
        "  <skill>\n"
        f"    <name>{escape(skill.name, quote=False)}</name>\n"
        f"    <description>{escape(skill.description, quote=False)}</description>\n"
        f"    <location>{escape(skill.path, quote=False)}</location>\n"
        "  </skill>\n"
    )


def _name(value: object, expected: str) -> tuple[str, list[str]]:
    """The name to use, and what is wrong with the given one; a wrong one is used all the same."""
    if not isinstance(value, str) or not value.strip():
        return on_one_line(expected), [f"name {brief(value)}: is required; {brief(expected)} is used"]
    name = on_one_line(value)[:LONGEST_NAME]
    faults = []
    if len(value) > LONGEST_NAME or not _NAME.fullmatch(value):
        faults.append(f"name {brief(value)}: must be 1 to {LONGEST_NAME} of a-z, 0-9 and single hyphens between them")
    if value != expected:
        faults.append(f"name {brief(value)}: must equal the folder's, {brief(expected)}")
    return name, faults


def _fault_of_description(fields: Mapping[object, object]) -> str:
    length = len(str(fields["description"]))
    if length <= LONGEST_DESCRIPTION:
        return ""
    return f"description of {length} characters: at most {LONGEST_DESCRIPTION} are allowed, the rest is cut off"


def _fault_of_text(key: str, most: int | None = None) -> Callable[[Mapping[object, object]], str]:
    rule = f"must be text of at most {most} characters" if most else "must be text"

    def check(fields: Mapping[object, object]) -> str:
        value = fields.get(key, "")
        fits = isinstance(value, str) and (most is None or len(value) <= most)
        return "" if fits else f"{key} {brief(value)}: {rule}"

    return check


def _fault_of_metadata(fields: Mapping[object, object]) -> str:
    value = fields.get("metadata", {})
    return "" if isinstance(value, Mapping) else f"metadata {brief(value)}: must be `key: value` lines"


def _fault_of_tools(fields: Mapping[object, object]) -> str:
    value = fields.get("allowed-tools", "")
    listed = isinstance(value, list) and all(isinstance(tool, str) for tool in value)
    return "" if isinstance(value, str) or listed else f"allowed-tools {brief(value)}: must be names of tools"


def _fault_of_hiding(fields: Mapping[object, object]) -> str:
    value = fields.get("disable-model-invocation", False)
    return "" if isinstance(value, bool) else f"disable-model-invocation {brief(value)}: must be true or false"


_CHECKS = (
    _fault_of_description,
    _fault_of_text("license"),
    _fault_of_text("compatibility", LONGEST_COMPATIBILITY),
    _fault_of_metadata,
    _fault_of_tools,
    _fault_of_hiding,
)


def on_one_line(text: str) -> str:
    """`text` with its white space and everything unprintable made single spaces."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
