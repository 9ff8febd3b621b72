"""`agent bench`: the figures of the documents, measured again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line
from lab.commands.bench_agent import cluster, start
from lab.commands.bench_crashes import crashes
from lab.commands.bench_discord import discord
from lab.commands.bench_layers import facts, objects, workspace
from lab.commands.bench_memory import memory
from lab.commands.bench_recall import recall
from lab.commands.benchmark import conduct, quick_option
from lab.commands.tables import print_tables

if TYPE_CHECKING:
    from lab.bench.kernel.workload import Workload


@click.group()
def bench() -> None:
    """Measure the parts, each beside the peer that its row names."""


bench.add_command(cluster)
bench.add_command(crashes)
bench.add_command(discord)
bench.add_command(facts)
bench.add_command(memory)
bench.add_command(objects)
bench.add_command(recall)
bench.add_command(start)
bench.add_command(workspace)


@bench.command()
@json_option
@click.option("--quick", is_flag=True, help="Small sizes, once: shows that it works, not how fast.")
@click.option(
    "--only", "names", multiple=True, metavar="NAME", help="Only this row; repeatable. churn_10m runs only so."
)
def kernel(as_json: bool, quick: bool, names: tuple[str, ...]) -> None:
    """The actor runtime beside plain pykka, asyncio and Erlang/OTP; about five minutes.

    Medians of three rounds (memory: one); in each, all systems follow one another, every one in a fresh process.
    Python's garbage collector passes over what lives at the start, as in the agent; no system writes a log. Plain pykka
    gets fewer messages. Exit code 1 when our kernel lost, doubled or reordered a message, or a measurement failed.
    """
    from lab.bench.campaign import is_sound, run
    from lab.bench.process import Erlang, MeasurementError
    from lab.bench.report import as_document

    rows = _chosen(names)
    if not Erlang.is_installed():
        click.echo("note: erl and erlc are not both installed: rows are without Erlang/OTP", err=True)
    try:
        with progress_line() as say:
            results = run(rows, say, quick=quick)
    except MeasurementError as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(as_document(results), indent=2))
    else:
        from lab.bench.table import renderables

        print_tables(*renderables(results))
    if not is_sound(results):
        fail("a message was lost, doubled or overtaken")


@bench.command()
@json_option
@quick_option
def shell(as_json: bool, quick: bool) -> None:
    """What each sandbox costs beside plain bash; about two minutes.

    Start of a command (all levels in turn, in one run), 64 windows at once of which four hang, a flood of 2 GB of
    output, and how soon after a cancel nothing lives of a command with daemons that ignore signals. Levels that do not
    work here are left out. Exit code 1 when a command did not come to its end.
    """
    from lab.bench.shell.run import SHELL, WRAPPERS, available

    if missing := sorted(set(WRAPPERS) - set(available())):
        click.echo(f"note: not measured, for it does not work here: {', '.join(missing)}", err=True)
    conduct(SHELL, as_json=as_json, quick=quick)


def _chosen(names: tuple[str, ...]) -> tuple[Workload, ...]:
    """The rows by these names; ends the command when there is no such row."""
    from lab.bench.campaign import chosen
    from lab.bench.kernel.workload import WORKLOADS

    known = [row.name for row in WORKLOADS]
    unknown = [name for name in names if name not in known]
    if unknown:
        fail(f"no row {', '.join(unknown)}; there are: {', '.join(known)}", 2)
    return chosen(names)
