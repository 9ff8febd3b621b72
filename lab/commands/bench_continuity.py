"""`agent bench continuity`: what of a piece of work is still in sight hundreds of turns later, and what that costs."""

from __future__ import annotations

import json

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line
from lab.commands.tables import print_tables


@click.command()
@json_option
@click.option("--quick", is_flag=True, help="Small sizes: shows that it works, not how much or how fast.")
def continuity(as_json: bool, quick: bool) -> None:
    """The layer of workspaces: constraints hundreds of turns later, edits, kills, speed; about nine minutes.

    24 constraints in six pieces of work, each followed by 420 turns of other talk with several cuts of the history, a
    restart and /new. Then the agent is told to continue, asked for an act that each constraint shapes, and for the
    constraint itself: does the request to the model hold what decides? It is the whole agent with a scripted model;
    vectors are hashed. Then 1,000 edits of a person's while workers write, 200 kills, workers that hang, and speed.
    Exit code 1 when a target is missed.
    """
    from lab.bench.continuity.report import as_document, is_sound, lines, table, targets_table
    from lab.bench.continuity.run import QUICK, WHOLE, measure
    from lab.bench.machine import machine, machine_line
    from lab.bench.process import MeasurementError

    facts = machine()
    try:
        with progress_line() as say:
            results = measure(say, QUICK if quick else WHOLE)
    except MeasurementError as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(as_document(results, facts, quick=quick), indent=2))
    else:
        print_tables(machine_line(facts), table(results), *lines(results), targets_table(results, quick=quick))
    if not is_sound(results, quick=quick):
        fail("a promise is not kept, or a target is missed")
