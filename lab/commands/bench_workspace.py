"""`agent bench workspace`: what recall from a workspace's files adds, and when it keeps still."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line
from lab.commands.bench_recall import default_cache
from lab.commands.tables import print_tables

if TYPE_CHECKING:
    from lab.bench.workspace.run import Recorded

QUICK_QUESTIONS = 5
"""Of each conversation."""


@click.command()
@json_option
@click.option("--quick", is_flag=True, help="Few questions, once: shows that it works, not how fast.")
@click.option("--data", type=click.Path(path_type=Path), help="A folder of conversation files, as `bench recall` has.")
@click.option(
    "--facts",
    type=click.Path(path_type=Path),
    help="A folder with LoCoMo's own files: facts and summaries of the same.",
)
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where vectors are kept between runs; by default below $XDG_CACHE_HOME or ~/.cache.",
)
def workspace(as_json: bool, quick: bool, data: Path | None, facts: Path | None, cache: Path | None) -> None:
    """Recall from a workspace's files beside the memory's own block; two minutes, later runs seconds.

    Evidence for the questions of recorded conversations in the memory's own block, with 2,000 characters of recall, and
    with as much more of the memory's own; files are as a good consolidator could have written them. Then messages of
    our own in five languages to five workspaces: everyday ones, such as a section has to be shown for, such as nothing
    bears on. Then speed over 100 KB. Exit code 1 when a target is missed.
    """
    from lab.bench.machine import machine, machine_line
    from lab.bench.workspace.report import as_document, is_sound, tables
    from lab.bench.workspace.run import measure

    machine_facts = machine()
    try:
        recorded = _recorded(data, facts, cache, QUICK_QUESTIONS if quick else None)
        with progress_line() as say:
            figures = measure(say, recorded, 1 if quick else 5)
    except (ValueError, OSError) as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(as_document(figures, machine_facts, quick=quick), indent=2))
    else:
        print_tables(machine_line(machine_facts), *tables(figures, quick=quick))
    if not is_sound(figures, quick=quick):
        fail("a target is missed")


def _recorded(data: Path | None, facts: Path | None, cache: Path | None, limit: int | None) -> Recorded | None:
    """What evidence is looked for in; None, with a note, where there is none."""
    from actors.embedder.local import LocalModel, is_installed
    from lab.bench.recall.data import files, read
    from lab.bench.recall.vectors import KeptVectors
    from lab.bench.workspace.facts import read as read_facts
    from lab.bench.workspace.run import Recorded

    if data is None or facts is None or not data.exists() or not facts.exists():
        click.echo("note: without --data and --facts there are no rows of evidence", err=True)
        return None
    if not is_installed():
        click.echo("note: without the local model there are no rows of evidence", err=True)
        return None
    conversations = [read(file, limit) for file in files(data)]
    found = read_facts(facts)
    if not any(each.name in found for each in conversations):
        names = ", ".join(each.name for each in conversations)
        raise ValueError(f"{facts}: must have the facts of one of {names}")
    return Recorded(conversations, found, KeptVectors(LocalModel.load(), cache or default_cache()))
