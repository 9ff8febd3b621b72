"""Stand-ins for the commands of the repository: a wheel has no lab, and `lab.commands` replaces them in a clone."""

from __future__ import annotations

from collections.abc import Iterator

import click

from actors.cli.common import fail

NAMES = ("bench", "chaos", "simulate")
_ANY_WORDS = {"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []}


def repository_commands() -> Iterator[click.Command]:
    """A hidden command for each of `NAMES`, which says where the command of that name is."""
    for name in NAMES:
        words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
        yield click.Command(name, callback=_refuse, params=[words], hidden=True, context_settings=_ANY_WORDS)


@click.pass_context
def _refuse(context: click.Context, words: tuple[str, ...]) -> None:
    typed = " ".join((context.info_name or "", *words))
    fail(
        f"agent {context.info_name} is of the repository only, it measures or tests the agent: clone the repository "
        f"and run there bin/agent {typed}",
        2,
    )
