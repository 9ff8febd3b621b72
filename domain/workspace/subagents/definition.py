"""Definition of a sub-agent: a markdown file with permissions as front matter and identity as the body."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from domain.text.brief import brief
from domain.turn.bash_tool import MAX_TIMEOUT_S
from messages.workspace import ChildRole

ISOLATED, CONTEXTUAL = "isolated", "contextual"
MODES = (ISOLATED, CONTEXTUAL)
"""Text before a task: no text, or as much of the parent's working state and memory as fits."""
NONE, SESSION, RELEVANT = "none", "session", "relevant"
MEMORIES = (NONE, SESSION, RELEVANT)
"""Amount of the text: no text, the working state, or also memory found by the task."""
TOOLS = ("read", "bash")
"""Names that both mean bash, the only tool."""

BODY_CHARS = 16_000
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_MODEL = 200
MOST_PATHS = 50
LONGEST_PATH = 300
MOST_TURNS = 200
MOST_CALLS = 1_000
MOST_WALL_S = 3_600.0
LEAST_S = 1.0

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_BLANK = ("", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentDefinition:
    """One sub-agent on offer."""

    name: str
    description: str
    """On one line."""
    body: str
    """Identity and method, for the system prompt."""
    can_run: bool = True
    """True if the sub-agent has bash."""
    model: str = ""
    """litellm's name; empty for the configured model."""
    max_turns: int = 24
    max_calls: int = 48
    max_wall_s: float = 300.0
    bash_timeout_s: float = 120.0
    mode: str = ISOLATED
    memory: str = RELEVANT
    """Of a contextual run."""
    paths: tuple[str, ...] = ()
    """Paths of the work: part of the question for the search in memory."""

    @property
    def role(self) -> ChildRole:
        """Permissions of runs."""
        return ChildRole(
            name=self.name,
            body=self.body,
            can_run=self.can_run,
            model=self.model,
            max_turns=self.max_turns,
            max_calls=self.max_calls,
            max_wall_s=self.max_wall_s,
            bash_timeout_s=self.bash_timeout_s,
        )


@dataclass(frozen=True, slots=True)
class DefinitionReading:
    """Result of reading one file."""

    definition: SubagentDefinition | None
    """None if the file cannot be used."""
    faults: tuple[str, ...] = ()
    """Each names the value and the rule, not the file."""


def read_definition(fields: object, body: str) -> DefinitionReading:
    """The sub-agent described by a file; a sub-agent with any fault is not used.

    Args:
        fields: Content of the front matter's YAML, of any type; unknown keys are ignored.
        body: Text behind the front matter.
    """
    if not isinstance(fields, Mapping):
        return DefinitionReading(None, (f"front matter {brief(fields)}: must be `key: value` lines",))
    reader = _FieldReader(fields)
    body = body.strip()
    if len(body) > BODY_CHARS:
        reader.faults.append(f"text of {len(body)} characters: at most {BODY_CHARS} are allowed")
    definition = SubagentDefinition(
        name=reader.name(),
        description=reader.description(),
        body=body,
        can_run=bool(reader.words("tools", ("bash",), lambda tool: tool in TOOLS, f"one of {', '.join(TOOLS)}")),
        model=reader.text("model", LONGEST_MODEL),
        max_turns=reader.whole("maxTurns", 24, 1, MOST_TURNS),
        max_calls=reader.whole("maxToolCalls", 48, 0, MOST_CALLS),
        max_wall_s=reader.number("maxWallTimeSec", 300.0, LEAST_S, MOST_WALL_S),
        bash_timeout_s=reader.number("bashTimeoutSec", 120.0, LEAST_S, MAX_TIMEOUT_S),
        mode=reader.choice("contextMode", MODES, ISOLATED),
        memory=reader.choice("memory", MEMORIES, RELEVANT),
        paths=reader.words("paths", (), lambda path: len(path) <= LONGEST_PATH, f"at most {LONGEST_PATH} characters"),
    )
    reader.faults += [
        f"paths {brief(path)}: each must be on one line" for path in definition.paths if not path.isprintable()
    ]
    if len(definition.paths) > MOST_PATHS:
        reader.faults.append(f"paths: {len(definition.paths)} are given, at most {MOST_PATHS} are allowed")
    return DefinitionReading(None if reader.faults else definition, tuple(reader.faults))


@dataclass(slots=True)
class _FieldReader:
    """Fields of a front matter; faults are noted, and a usable value is returned instead of a faulty value."""

    fields: Mapping[object, object]
    faults: list[str] = field(default_factory=list)

    def name(self) -> str:
        value = self.fields.get("name")
        if isinstance(value, str) and len(value) <= LONGEST_NAME and _NAME.fullmatch(value):
            return value
        self._note("name", f"is required: 1 to {LONGEST_NAME} of a-z, 0-9 and single hyphens between them")
        return ""

    def description(self) -> str:
        value = self.fields.get("description")
        if not isinstance(value, str) or not value.strip():
            self._note("description", "is required")
            return ""
        if len(value) > LONGEST_DESCRIPTION:
            self.faults.append(f"description of {len(value)} characters: at most {LONGEST_DESCRIPTION} are allowed")
        return " ".join("".join(char if char.isprintable() else " " for char in value).split())

    def text(self, key: str, most: int) -> str:
        value = self.fields.get(key)
        if value in _BLANK:
            return ""
        if isinstance(value, str) and len(value) <= most and value.isprintable():
            return value.strip()
        self._note(key, f"must be text of at most {most} characters on one line")
        return ""

    def whole(self, key: str, usual: int, least: int, most: int) -> int:
        value = self.fields.get(key, usual)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self._note(key, f"must be a whole number from {least} to {most}")
        return usual

    def number(self, key: str, usual: float, least: float, most: float) -> float:
        value = self.fields.get(key, usual)
        if isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most:
            return float(value)
        self._note(key, f"must be a number from {least:g} to {most:g}")
        return usual

    def choice(self, key: str, choices: tuple[str, ...], usual: str) -> str:
        value = self.fields.get(key, usual)
        if isinstance(value, str) and value in choices:
            return value
        self._note(key, f"must be one of {', '.join(choices)}")
        return usual

    def words(self, key: str, usual: tuple[str, ...], fits: Callable[[str], bool], rule: str) -> tuple[str, ...]:
        """A list of words, or a list made of a single word."""
        if key not in self.fields:
            return usual
        value = self.fields[key]
        listed = [] if value in _BLANK else [value] if isinstance(value, str) else value
        if not isinstance(listed, list):
            self._note(key, f"must be a list, each of it {rule}")
            return ()
        for each in listed:
            if not isinstance(each, str) or not each or not fits(each):
                self.faults.append(f"{key} {brief(each)}: each must be {rule}")
        return tuple(each for each in listed if isinstance(each, str))

    def _note(self, key: str, rule: str) -> None:
        self.faults.append(f"{key} {brief(self.fields.get(key))}: {rule}")
