"""Skill's life: the time when a skill is wanted, its files and sections, and its scripts beside turns.

All declarations stand in the front matter of the skill's file, beside the fields read by `domain.turn.skill`, and
all are optional.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape

from domain.text.brief import brief
from domain.turn.skill import Skill, on_one_line
from domain.workspace.skills.path_pattern import fault_of_pattern, matcher, mentioned_paths

BEFORE_PROMPT = "before_prompt"
AFTER_RESPONSE = "after_response"
BEFORE_COMPACT = "before_compact"
AFTER_SUBAGENT = "after_subagent"
EVENTS = (BEFORE_PROMPT, AFTER_RESPONSE, BEFORE_COMPACT, AFTER_SUBAGENT)

LONGEST_WHEN = 500
MOST_PATTERNS = 32
MOST_SCOPES = 16
LONGEST_SCOPE = 80
LONGEST_SCRIPT = 200
TEXT_CHARS = 4_000
"""Of the text for the system prompt."""

_SCRIPT = re.compile(r"[\w.+@-]+(?:/[\w.+@-]+)*", re.ASCII)
_HEADING = """When a skill is wanted
Beyond their descriptions, some of the skills say when they are. Read a skill's file when its line below fits:"""


@dataclass(frozen=True, slots=True)
class SkillLife:
    """Declarations of one skill."""

    name: str
    folder: str
    """Folder for relative script paths; absolute."""
    when_to_use: str = ""
    """On one line, at most 500 characters; empty for a skill without this text, or hidden from the model."""
    paths: tuple[str, ...] = ()
    """Patterns of files for the skill; empty for no pattern."""
    memory_scope: tuple[str, ...] = ()
    """Names of relevant files (`SESSION`, `MEMORY`, `HISTORY`) or titles of relevant sections."""
    hooks: tuple[tuple[str, str], ...] = ()
    """Event -> script's path below the folder."""

    def script_at(self, event: str) -> str:
        """The skill's script for `event`; empty for no script."""
        return dict(self.hooks).get(event, "")

    @property
    def says_something(self) -> bool:
        """True if the skill has any declaration."""
        return bool(self.when_to_use or self.paths or self.memory_scope or self.hooks)


def read_life(skill: Skill, fields: Mapping[object, object]) -> tuple[SkillLife, tuple[str, ...]]:
    """Declarations by `fields` of the front matter of `skill`, and the faults.

    A wrong value is left out, with a fault that names the value and the rule; everything else counts. Unknown keys
    are ignored.
    """
    faults: list[str] = []
    life = SkillLife(
        name=skill.name,
        folder=skill.folder,
        when_to_use=_when(fields.get("when_to_use"), faults),
        paths=_texts("paths", fields.get("paths"), MOST_PATTERNS, fault_of_pattern, faults),
        memory_scope=_texts("memory_scope", fields.get("memory_scope"), MOST_SCOPES, _fault_of_scope, faults),
        hooks=_hooks(fields.get("hooks"), faults),
    )
    if skill.hidden:  # the model is not to know of it; what runs beside turns is the operator's wish all the same
        life = replace(life, when_to_use="", paths=())
    return life, tuple(faults)


def when_to_use_text(lives: Iterable[SkillLife]) -> str:
    """Section of the system prompt on the use of skills; empty without declarations.

    Lines that no longer fit into `TEXT_CHARS` are left out from the end, and counted.
    """
    lines = [
        f"\n- {escape(life.name, quote=False)}: {escape(life.when_to_use, quote=False)}"
        for life in lives
        if life.when_to_use
    ]
    if not lines:
        return ""
    text = _HEADING
    for number, line in enumerate(lines):
        rest = f"\n- … and {len(lines) - number} more"
        room = TEXT_CHARS - len(text) - (len(rest) if number + 1 < len(lines) else 0)
        if len(line) > room:
            return text + rest
        text += line
    return text


def named_for(question: str, active_files: Iterable[str], lives: Iterable[SkillLife]) -> tuple[str, ...]:
    """Names of the skills with a pattern for a file in the question or among the active files.

    Args:
        question: Text of the question.
        active_files: Lines of SESSION's section on active files.
        lives: Declarations in the order to name the skills.
    """
    about = [life for life in lives if life.paths]
    if not about:
        return ()
    mentioned = "\n".join(dict.fromkeys([*mentioned_paths(question), *mentioned_paths("\n".join(active_files))]))
    return tuple(life.name for life in about if mentioned and matcher(life.paths).search(mentioned))


def scopes_of(names: Iterable[str], lives: Iterable[SkillLife]) -> tuple[str, ...]:
    """Files and sections for the named skills, each once."""
    wanted = frozenset(names)
    return tuple(dict.fromkeys(scope for life in lives if life.name in wanted for scope in life.memory_scope))


def _when(value: object, faults: list[str]) -> str:
    if value is None:
        return ""
    text = on_one_line(value) if isinstance(value, str) else ""
    if not text or len(text) > LONGEST_WHEN:
        faults.append(f"when_to_use {brief(value)}: must be text of 1 to {LONGEST_WHEN} characters")
        return ""
    return text


def _texts(key: str, value: object, most: int, fault_of: Callable[[str], str], faults: list[str]) -> tuple[str, ...]:
    """One text or a list of texts, without texts for which `fault_of` returns a fault."""
    if value is None:
        return ()
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list):
        faults.append(f"{key} {brief(value)}: must be text or a list of texts")
        return ()
    if len(values) > most:
        faults.append(f"{key} with {len(values)} entries: at most {most} count")
    texts = []
    for each in values[:most]:
        rule = fault_of(each) if isinstance(each, str) else "must be text"
        if rule:
            faults.append(f"{key} {brief(each)}: {rule}")
        else:
            texts.append(each.strip())
    return tuple(dict.fromkeys(texts))


def _fault_of_scope(scope: str) -> str:
    fits = scope.strip() and len(scope) <= LONGEST_SCOPE and scope.isprintable()
    return "" if fits else f"must be the name of a file or section, of 1 to {LONGEST_SCOPE} characters"


def _hooks(value: object, faults: list[str]) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        faults.append(f"hooks {brief(value)}: must be `event: script` lines")
        return ()
    faults += [f"hooks {brief(key)}: must be one of {', '.join(EVENTS)}" for key in value if key not in EVENTS]
    hooks = []
    for event in EVENTS:
        if event not in value:
            continue
        if rule := _fault_of_script(value[event]):
            faults.append(f"hooks.{event} {brief(value[event])}: {rule}")
        else:
            hooks.append((event, value[event]))
    return tuple(hooks)


def _fault_of_script(script: object) -> str:
    if not isinstance(script, str) or not _SCRIPT.fullmatch(script) or len(script) > LONGEST_SCRIPT:
        characters = f"at most {LONGEST_SCRIPT} of a-z, A-Z, 0-9 and ._+@-/"
        return f"must be the path of a script below the skill's folder, {characters}"
    return "must not hold `..`" if ".." in script.split("/") else ""
