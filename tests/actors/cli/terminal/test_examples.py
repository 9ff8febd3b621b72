"""Every command's examples: there, shown, and read by the command as it reads what is typed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from actors.cli.terminal import examples
from lab.commands import agent, agent_cli, agent_load
from lab.commands import examples as lab_examples

EXAMPLES = {**examples.EXAMPLES, **lab_examples.EXAMPLES}
PROGRAMS = {"agent": agent, "agent-cli": agent_cli, "agent-load": agent_load}


def paths(command: click.Command, path: str) -> Iterator[str]:
    yield path
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from paths(each, f"{path} {name}")


def read(example: str) -> str:
    """The path of the command that takes `example`, with everything that it says read but not done.

    Raises:
        click.UsageError: it cannot be typed.
    """
    program, *arguments = shlex.split(example.split(" >> ")[0].split(" < ")[0])
    command: click.Command = PROGRAMS[program]
    path = program
    context = command.make_context(program, arguments)
    while isinstance(command, click.Group) and (rest := [*context._protected_args, *context.args]):
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command, path = found, f"{path} {name}"
        context = command.make_context(name, rest, parent=context)
    assert not context.args, "words that no command takes"
    return path


def test_every_command_has_examples_and_every_example_a_command() -> None:
    assert sorted(path for name, program in PROGRAMS.items() for path in paths(program, name)) == sorted(EXAMPLES)


def test_examples_can_be_typed_as_they_stand(subtests: pytest.Subtests) -> None:
    for path in EXAMPLES:
        with subtests.test(path=path):
            for example in EXAMPLES[path]:
                assert read(example).startswith(path)


def test_what_cannot_be_typed_is_found(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["agent status --wach", "agent logs tail -n many", "agent completion tcsh"]
    for example in cases:
        with subtests.test(example=example), pytest.raises(click.UsageError):
            read(example)


def test_help_ends_with_the_examples_a_line_each(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["agent status", "agent memory curated recall", "agent-load", "agent"]
    for path in cases:
        with subtests.test(path=path):
            program, *words = path.split()

            shown = CliRunner().invoke(PROGRAMS[program], [*words, "--help"]).output

            lines = [line.strip() for line in shown.rstrip().splitlines()]
            assert tuple(lines[-len(EXAMPLES[path]) :]) == EXAMPLES[path]
