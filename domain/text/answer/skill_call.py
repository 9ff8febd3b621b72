"""Calls of a skill as if it were a tool: the intended command, made from the skill's own examples."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from messages.model import ToolCall

BASH = "bash"
"""Name of the tool that runs commands."""
Skills = Mapping[str, Sequence[str]]
"""Name of a skill -> commands that show its use."""

_SHELL = re.compile(r"[|<>;&$]|^\s*(?:echo|cat|ls|python3?|bash|sh|mv|cp|rm|mkdir|grep|sed|find|touch|curl)\s")
"""Marks of a command of the shell's."""
_VERBS = ("command", "action", "subcommand", "verb", "operation", "method")
"""Names of an argument whose value is the word behind the script."""
_ASIDE = ("timeout",)
"""Argument of bash that models give to skills, too."""


_WRITERS = re.compile(r"(?:write|create|save)_?(?:to_?|new_?|text_?)?file|file_?write", re.IGNORECASE)
"""Names of tools to write a whole file."""


@dataclass(frozen=True, slots=True)
class _Example:
    """Parts of an example."""

    script: str
    """Text before the words of the task: an interpreter with options, and the path."""
    verb: str
    """Word behind the script if options or further words follow, else empty."""
    places: tuple[str, ...]
    """Words of the task without options."""
    options: Mapping[str, str]
    """Name with its hyphens -> value."""


def bash_call(call: ToolCall, skills: Skills) -> ToolCall:
    """The bash call that a call of a skill, or of a tool to write a file, means; any other call unchanged."""
    if call.name == BASH or not (call.name in skills or _WRITERS.fullmatch(call.name)):
        return call
    try:
        arguments = json.loads(call.arguments_json)
    except (ValueError, RecursionError):
        return call
    if not isinstance(arguments, dict):
        return call
    command = skill_command(skills.get(call.name, ()), arguments) or _writing_command(arguments)
    if not command:
        return call
    return ToolCall(id=call.id, name=BASH, arguments_json=json.dumps({"command": command}, ensure_ascii=False))


def not_a_tool(name: str, skills: Skills) -> str:
    """Line for a model that called a skill; empty for any other name."""
    if name not in skills:
        return ""
    commands = "; ".join(skills[name]) or "cat its location first"
    return (
        f"{name!r} is a skill and no tool. Call bash with a command like one of these: {commands}. "
        "To read, write, move or search files, call bash with cat, echo, mv or grep."
    )


def _writing_command(arguments: Mapping[str, object]) -> str:
    """Command that writes a file, for arguments with a path, a content and no other key; else empty."""
    values = {name: value for name, value in arguments.items() if name not in _ASIDE}
    path = next((values.pop(key) for key in ("path", "file", "filename", "file_path") if key in values), None)
    text = next((values.pop(key) for key in ("content", "contents", "text") if key in values), None)
    if values or not isinstance(path, str) or not isinstance(text, str) or not path:
        return ""
    return f"printf '%s\\n' {shlex.quote(text)} > {shlex.quote(path)}"


def script_paths(skills: Skills) -> Iterator[str]:
    """Paths of the scripts in the skills' commands."""
    for commands in skills.values():
        for command in commands:
            try:
                words = shlex.split(command, comments=True)
            except ValueError:
                continue
            yield from (word for word in words[:3] if word.startswith("/"))


def skill_command(commands: Sequence[str], arguments: Mapping[str, object]) -> str:
    """The command for the arguments, after the example with the same options or words; empty if no command is clear.

    Args:
        commands: Examples of the skill.
        arguments: Arguments of the call, decoded.
    """
    fields = {_plain(str(name)): value for name, value in arguments.items() if name not in _ASIDE}
    if not fields or not all(value is None or isinstance(value, str | int | float) for value in fields.values()):
        return ""
    examples = [example for command in commands if (example := _take_apart(command)) is not None]
    values = {name: str(value) for name, value in fields.items() if not _is_blank(value)}
    if values.keys() == {"command"} and (written := _written_command(values["command"], examples)):
        return written
    verb = next((values.pop(name) for name in _VERBS if name in values and _is_verb(values[name], examples)), "")
    verbs = [name for name in fields if _is_verb(name, examples)]
    if not verb and len(verbs) == 1:  # the verb as a name, perhaps with the word that follows it
        verb = shlex.join([verbs[0], *([values.pop(verbs[0])] if verbs[0] in values else [])])
    fitting = [example for example in examples if not verb or example.verb == verb.partition(" ")[0]]
    if not values and verb:
        return f"{fitting[0].script} {verb}" if fitting else ""
    if len(values) == 1 and not verb and len(fitting) == 1 and not fitting[0].verb and len(fitting[0].places) == 1:
        return shlex.join([*shlex.split(fitting[0].script), *values.values()])
    return _fill(fitting, values, verb)


def _written_command(command: str, examples: Sequence[_Example]) -> str:
    """A command given in the form of bash's arguments; empty for words of the task alone."""
    if any(command.startswith(example.script) for example in examples):
        return command
    return command if _SHELL.search(command) and not _is_verb(command, examples) else ""


def _fill(examples: Sequence[_Example], values: Mapping[str, str], verb: str) -> str:
    """Command with all values: as options of the first verb whose examples have the options, and one further word."""
    for first in examples:
        alike = [example for example in examples if (example.script, example.verb) == (first.script, first.verb)]
        names = {_plain(option): option for example in alike for option in example.options}
        others = [value for name, value in values.items() if name not in names]
        wanted = len(first.places) - len(shlex.split(verb)[1:])
        if len(others) != max(wanted, 0) or len(others) > 1 or (others and not verb):
            continue
        options = [word for name, value in values.items() if name in names for word in (names[name], value)]
        head = shlex.split(verb) or ([first.verb] if first.verb else [])
        return shlex.join([*shlex.split(first.script), *head, *others, *options])
    return ""


def _take_apart(command: str) -> _Example | None:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return None
    at = next((place for place, word in enumerate(words) if "/" in word), -1)
    if at < 0:
        return None
    script, rest = shlex.join(words[: at + 1]), words[at + 1 :]
    options, places = dict[str, str](), list[str]()
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            options[word] = rest.pop(0) if rest and not rest[0].startswith("--") else ""
        else:
            places.append(word)
    has_verb = bool(places) and places[0].isidentifier() and f'"{places[0]}"' not in command
    verb = places.pop(0) if has_verb else ""
    return _Example(script, verb, tuple(places), options)


def _is_verb(value: str, examples: Sequence[_Example]) -> bool:
    first = value.partition(" ")[0]
    return any(example.verb == first for example in examples if example.verb)


def _is_blank(value: object) -> bool:
    return value is None or value == "" or isinstance(value, bool)


def _plain(name: str) -> str:
    return name.lstrip("-").replace("_", "-").lower()
