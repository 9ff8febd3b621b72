"""`agent bench curated`: what curated memory costs a turn."""

from __future__ import annotations

import json

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line
from lab.commands.tables import print_tables


@click.command()
@json_option
@click.option("--quick", is_flag=True, help="Small sizes: shows that it works, not how fast.")
def curated(as_json: bool, quick: bool) -> None:
    """The curated memory's block of a turn, with files as they were and after each change of one; some ten seconds.

    The real actor in a real system with its workers, asked from outside for 200 windows in turn; a global and a
    project's memory, each with an index of 8 KiB, a page table, a config.json and 50 topic files, and a budget in which
    pages have to be chosen. Beside it an actor that contributes nothing, asked in the same way in the same run. Exit
    code 1 when a file was read though none had changed, a block was not byte for byte the window's one before, a change
    was not shown by the next turn, or a p95 is above its target (1 ms, and 5 ms after a change).
    """
    from lab.bench.curated.report import as_document, is_sound, table, verdicts
    from lab.bench.curated.run import QUICK, WHOLE, measure
    from lab.bench.machine import machine, machine_line
    from lab.bench.target import verdicts_table

    facts = machine()
    with progress_line() as say:
        figures = measure(say, QUICK if quick else WHOLE)
    if as_json:
        click.echo(json.dumps(as_document(figures, facts, quick=quick), indent=2))
    else:
        print_tables(
            machine_line(facts),
            f"real actor, its workers, {figures['windows']:.0f} windows; {figures['files_read']:.0f} files read in "
            f"{figures['turns']:,.0f} turns with files unchanged",
            table(figures),
            verdicts_table(verdicts(figures, quick=quick)),
        )
    if not is_sound(figures, quick=quick):
        fail("a promise is not kept, or a target is missed")
