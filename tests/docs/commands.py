"""Commands that pages name: whether the program has them, with these options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise

import click

from lab.commands import agent, agent_cli, agent_load
from tests.docs.prose import ROOT, lines_outside_code

_PROGRAMS = {"agent": agent, "agent-cli": agent_cli, "agent-load": agent_load}
_NAMED = re.compile(r"(?:^|[\s/])bin/(?P<program>agent|agent-cli|agent-load|test)(?P<rest>(?: .*)?)$")
_SPAN = re.compile(r"`([^`\n]+)`")
_END = re.compile(r" #|[|;&>…]|\.\.\.| {3}")
"""Where a command ends on its line."""
_CHOICES = re.compile(r"\b[a-z]+(?:\|[a-z]+)+")
_OPTIONAL = re.compile(r"\[[^\]]*\]")


def named(page: str) -> Iterator[tuple[int, str]]:
    """(line, command) of each command of ours that a page names, in fences and between backticks."""
    in_text = {number for number, _ in lines_outside_code(page)}
    for number, line in enumerate(page.splitlines(), 1):
        for code in _SPAN.findall(line) if number in in_text else [line]:
            if found := _NAMED.search(code):
                rest = _CHOICES.sub(lambda choices: choices[0].partition("|")[0], _OPTIONAL.sub("", found["rest"]))
                yield number, f"{found['program']}{_END.split(rest)[0]}".strip()


def flaw_of(command: str) -> str:
    """What of a command there is not; empty for nothing."""
    program, *words = shlex.split(command)
    if program == "test":
        return _flaw_of_test(words)
    found: click.Command = _PROGRAMS[program]
    context = click.Context(found, info_name=program)
    while isinstance(found, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        below = found.get_command(context, name)
        if below is None:
            return f"{context.command_path} has no command {name!r}"
        found, context = below, click.Context(below, info_name=name, parent=context)
    try:
        _, left, _ = found.make_parser(context).parse_args(words)
    except click.UsageError as error:
        return f"{context.command_path}: {error.format_message()}"
    return f"{context.command_path} takes no {left[0]!r}" if left else ""


def _flaw_of_test(words: list[str]) -> str:
    for option, value in pairwise([*words, ""]):
        if option == "-k" and (sources := list(_sources(words))) and not any(value in text for text in sources):
            return f"no test has {value!r} in its name"
        path, _, name = option.partition("::")
        if path.startswith("tests") and not (ROOT / path).exists():
            return f"{path} is not there"
        if name and f"def {name}(" not in (ROOT / path).read_text("utf-8"):
            return f"{path} has no {name}"
    return ""


def _sources(words: list[str]) -> Iterator[str]:
    for word in words:
        if word.startswith("tests"):
            path = ROOT / word
            yield from (file.read_text("utf-8") for file in ([path] if path.is_file() else path.rglob("*.py")))
