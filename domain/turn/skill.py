"""Skills: each is a folder with a SKILL.md, whose front matter says when to read the file (agentskills.io).

Only name, description and place of each skill stand in the system prompt; the file is read when needed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePosixPath
from shlex import quote

from domain.text.brief import brief
from domain.text.imitation import defuse
from domain.text.lookalike import normalize

FILE_NAME = "SKILL.md"
FILE_NAMES = (FILE_NAME, "skill.md")
"""Of a skill's file, in order of preference."""
KNOWN_KEYS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
"""Keys of the specification."""
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_COMPATIBILITY = 500
LONGEST_COMMAND = 200
MOST_COMMANDS = 6
FEW_SKILLS = 5
"""Skills that are listed at full length; a list of more has fewer commands of each, and names common folders once."""
COMMANDS_OF_MANY = 2
BUDGET_CHARS = 16_000
"""Of the whole list in the system prompt, some 4,000 tokens."""

_NAME = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
"""Letters and digits of any script."""
_FENCE = "---"
_BASE_DIR = "{baseDir}"
_CODE = re.compile(r"^```(?:bash|sh|shell|console)?[ \t]*\n(?P<lines>.*?)^```", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"\{baseDir\}[\w./-]*")
_HEAD = re.compile(r'<skill name="[^"\n]*" location="[^"\n]*">\n')
_END = "\n</skill>"
"""End of the section that `invocation` makes of a skill's file."""

_HOW_TO_USE = """Commands of skills
For these, call bash with one of the commands below, its words changed. There is no tool but bash.
- If that is not enough, first read the skill's file whole with bash: {read}. Then do as it says.
- Paths in such a file are relative to its folder, also called {{baseDir}}; write them out in full."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One usable skill."""

    name: str
    description: str
    """On one line, at most 1,024 characters."""
    path: str
    """Absolute path of the file."""
    hidden: bool = False
    """True to hide the skill from the model; a person may still invoke the skill."""
    commands: tuple[str, ...] = ()
    """Literal commands as examples, each on one line."""

    @property
    def folder(self) -> str:
        """Folder for relative paths in the skill's file."""
        return str(PurePosixPath(self.path).parent)


@dataclass(frozen=True, slots=True)
class Reading:
    """Result of reading one file."""

    skill: Skill | None
    """None if the file cannot be used."""
    faults: tuple[str, ...] = ()
    """Each names the value and the rule, not the file."""


def split_front_matter(text: str) -> tuple[str, str] | None:
    """The YAML between the two `---` lines at the top, and the text behind; None without front matter."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].rstrip() != _FENCE:
        return None
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() == _FENCE:
            return "".join(lines[1:number]), "".join(lines[number + 1 :])
    return None


def read_front_matter(fields: object, path: PurePosixPath, body: str = "") -> Reading:
    """The skill that `fields` describe.

    Args:
        fields: Content of the front matter's YAML, of any type; unknown keys are ignored.
        path: Absolute path of the file.
        body: Text below the front matter.
    """
    if not isinstance(fields, Mapping):
        return Reading(None, (f"front matter {brief(fields)}: must be `key: value` lines",))
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        return Reading(None, (f"description {brief(description)}: is required, so the skill is not used",))
    expected = path.parent.name if path.name in FILE_NAMES else path.stem
    name, faults = _name(fields.get("name"), expected)
    faults += [fault for check in _CHECKS if (fault := check(fields))]
    skill = Skill(
        name=name,
        description=on_one_line(description)[:LONGEST_DESCRIPTION],
        path=str(path),
        hidden=fields.get("disable-model-invocation") is True,
        commands=example_commands(body, str(path.parent)),
    )
    return Reading(skill, tuple(faults))


def example_commands(body: str, folder: str) -> tuple[str, ...]:
    """Commands of a skill's file for the list: the first lines with `{baseDir}` in its first block of code with any.

    They end at a blank line, at a line of another kind and after `MOST_COMMANDS`.

    Args:
        body: Text of the file.
        folder: Folder of the file, for `{baseDir}`.
    """
    for block in _CODE.finditer(body):
        commands = list[str]()
        for line in block["lines"].splitlines():
            bare = line.strip()
            if _BASE_DIR in bare and len(bare) <= LONGEST_COMMAND:
                commands.append(_PATH.sub(lambda path: quote(path[0].replace(_BASE_DIR, folder)), bare))
            elif commands:
                break
        if commands:
            return tuple(map(on_one_line, commands[:MOST_COMMANDS]))
    return ()


@dataclass(frozen=True, slots=True)
class Listing:
    """Section of the system prompt about skills, and the share of each skill in the section."""

    text: str = ""
    """Empty without skills."""
    entries: Mapping[str, str] = field(default_factory=dict)
    """Name of a skill in the section -> the skill's lines."""


def list_skills(skills: Iterable[Skill], budget_chars: int = BUDGET_CHARS) -> Listing:
    """Section of the system prompt about skills.

    Skills that no longer fit into `budget_chars` are only counted.
    """
    offered = [skill for skill in skills if not skill.hidden]
    if not offered:
        return Listing()
    root = _common_root(offered) if len(offered) > FEW_SKILLS else ""
    most = COMMANDS_OF_MANY if len(offered) > FEW_SKILLS else MOST_COMMANDS
    how_to_use = _HOW_TO_USE.format(read=f"cat {root}/NAME/{FILE_NAME}" if root else "cat it")
    entries: dict[str, str] = {}
    room = budget_chars - len(how_to_use)
    for skill in offered:
        entry = _entry(skill, root, most)
        if len(entry) > room:
            break
        entries[skill.name] = entry
        room -= len(entry)
    more = len(offered) - len(entries)
    note = f"{more} more skills are left out here, because the list would be too long." if more else ""
    return Listing(f"{how_to_use}\n\n{''.join(entries.values())}{note}".rstrip("\n") + "\n", entries)


def invocation(skill: Skill, text: str, arguments: str) -> str:
    """Text that a person's `/skill:name arguments` puts into the turn: the file's body, then the arguments.

    Args:
        skill: The invoked skill.
        text: The whole file of the skill.
        arguments: Text behind the name; may be empty.
    """
    parts = split_front_matter(text)
    body = (parts[1] if parts else text).strip().replace(_BASE_DIR, skill.folder)
    head = f'<skill name="{escape(skill.name)}" location="{escape(skill.path)}">'
    section = f"{head}\nPaths are relative to {skill.folder}.\n\n{body}{_END}"
    return f"{section}\n\nUser: {arguments.strip()}" if arguments.strip() else section


def defused_invocation(text: str) -> str | None:
    """An `invocation` with all text foreign to the runtime defused; None for any other text."""
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


def _common_root(skills: Sequence[Skill]) -> str:
    """Folder in which most skills have folders of their own names; empty if no two skills share a folder."""
    roots = Counter(
        str(PurePosixPath(skill.folder).parent)
        for skill in skills
        if skill.path == f"{skill.folder}/{FILE_NAME}" and PurePosixPath(skill.folder).name == skill.name
    )
    root, count = roots.most_common(1)[0] if roots else ("", 0)
    return root if count > 1 and quote(on_one_line(root)) == root else ""


def _entry(skill: Skill, root: str, most: int) -> str:
    commands = "".join(f"$ {command}\n" for command in skill.commands[:most])
    is_usual = root and skill.path == f"{root}/{skill.name}/{FILE_NAME}"
    place = "" if is_usual else f" ({on_one_line(skill.path)})"
    name = "" if f"/{skill.name}/" in f"{place}{commands}" else f"{skill.name}: "
    return f"# {name}{skill.description}{place}\n{commands}\n"


def _name(value: object, expected: str) -> tuple[str, list[str]]:
    """The name to use, and the fault of the given name; a faulty name is used all the same."""
    if not isinstance(value, str) or not value.strip():
        return on_one_line(expected), [f"name {brief(value)}: is required; {brief(expected)} is used"]
    faults = [fault] if (fault := name_fault(value)) else []
    if normalize("NFKC", value.strip()) != normalize("NFKC", expected):
        faults.append(f"name {brief(value)}: must equal the folder's, {brief(expected)}")
    return on_one_line(normalize("NFKC", value))[:LONGEST_NAME], faults


def name_fault(value: str) -> str:
    """Fault of a skill's name by the specification; empty for a valid name."""
    name = normalize("NFKC", value.strip())
    if len(name) <= LONGEST_NAME and _NAME.fullmatch(name) and name == name.lower():
        return ""
    return f"name {brief(value)}: must be 1 to {LONGEST_NAME} small letters, digits and single hyphens between them"


def unknown_keys(fields: Mapping[object, object]) -> tuple[str, ...]:
    """Keys of a front matter unknown to the specification; readers ignore unknown keys."""
    return tuple(sorted(brief(key) for key in fields if key not in KNOWN_KEYS))


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
    """`text` with white space and unprintable characters replaced by single spaces."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
