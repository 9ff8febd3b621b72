"""`agent bench objects`: what the layer of objects makes of requests, and what it costs."""

from __future__ import annotations

import json

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line
from lab.commands.tables import print_tables


@click.command()
@json_option
@click.option("--quick", is_flag=True, help="Small sizes: shows that it works, not how much or how fast.")
def objects(as_json: bool, quick: bool) -> None:
    """The layer of objects beside plain history: size, cached share and price of requests; about four minutes.

    Seven conversations of different kinds, two of them recorded sequences of a real model's calls, over real files that
    are really edited, through the real fold and the real actors. Then the same in 100 windows at 60 turns a second, for
    what is added to a model call; memory of windows at rest, disk, and 200 kills of a process that observes a file.
    Tokens are of 4 characters; cached is what repeats the beginning of the request before, at a tenth of the price.
    Exit code 1 when a target is missed, or a version that was answered is lost or doubled.
    """
    from lab.bench.machine import machine, machine_line
    from lab.bench.objects.report import as_document, is_sound, lines, table, targets_table
    from lab.bench.objects.run import QUICK, WHOLE, measure
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
        print_tables(
            machine_line(facts), table(results, quick=quick), *lines(results), targets_table(results, quick=quick)
        )
    if not is_sound(results, quick=quick):
        fail("a promise is not kept, or a target is missed")
