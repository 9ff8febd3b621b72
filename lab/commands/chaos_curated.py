"""`agent chaos curated`: editors, kills and odd documents against the memory that people keep by hand too."""

from __future__ import annotations

import dataclasses
import json
import logging
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line, tick

if TYPE_CHECKING:
    from lab.chaos.curated.documents import DocumentReport
    from lab.chaos.curated.race import RaceReport
    from lab.chaos.lives.campaign import KillReport


@click.command()
@click.option(
    "--edits", type=click.IntRange(1, 100_000), default=1000, show_default=True, help="Writes of the agent in all."
)
@click.option("--kills", type=click.IntRange(0, 100_000), default=500, show_default=True, help="SIGKILLs.")
@click.option(
    "--documents", type=click.IntRange(0, 10_000_000), default=10_000, show_default=True, help="Documents of chance."
)
@click.option("--seed", default="1", show_default=True, help="Reproduces what is done; timing stays the machine's.")
@json_option
def curated(edits: int, kills: int, documents: int, seed: str, as_json: bool) -> None:
    """Race the agent against two kinds of editors, kill it between staging and commit, and try odd documents.

    The real actor in a real system with its workers. The editor makes at least as many edits of the index as the agent
    makes writes, half of them with each way of saving. Each kill ends a process of its own: from outside, or in a call
    of the disk, in half of a write too. What it has said to be staged must stand in the index once, and what people
    wrote must be as it was. Some three minutes; exit 1 if anything was lost, doubled or altered.
    """
    from lab.chaos.curated.documents import try_documents
    from lab.chaos.curated.race import race
    from lab.chaos.editor import Saver
    from lab.chaos.folders import new_folders
    from lab.chaos.lives.campaign import run
    from lab.chaos.lives.curated import CURATED

    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that what was started is ended
    logging.basicConfig(handlers=[logging.NullHandler()])  # what is broken on purpose is no news
    shares = {Saver.RENAME: edits - edits // 2, Saver.IN_PLACE: edits // 2}
    with tempfile.TemporaryDirectory(prefix="agent-chaos-") as scratch, progress_line() as say:
        folders = new_folders(Path(scratch))
        races = [
            race(folders(), saver, share, seed, tick(say, f"{saver.value}: write %s of {share}", share))
            for saver, share in shares.items()
            if share
        ]
        killed = run(CURATED, kills, seed, tick(say, f"kill %s of {kills}", kills))
        tried = try_documents(documents, seed, tick(say, f"document %s of {documents}", documents))
    if as_json:
        rows = {"races": [dataclasses.asdict(row) for row in races], "kills": killed.as_dict()}
        click.echo(json.dumps({"seed": seed, **rows, "documents": dataclasses.asdict(tried)}, indent=2))
    else:
        _print(races, killed, tried)
    if not (all(row.is_sound for row in races) and killed.is_sound and tried.is_sound):
        fail(f"something was lost, doubled or altered (seed {seed})")


def _print(races: list[RaceReport], killed: KillReport, tried: DocumentReport) -> None:
    for row in races:
        click.echo(
            f"race with {row.saver} saver: {row.agent_edits} writes of the agent, {row.agent_lost} lost, "
            f"{row.agent_doubled} doubled, {row.refused} refused, {row.overwritten} overwritten; "
            f"{row.human_edits} edits of the editor, {row.human_lost} lost, {row.human_doubled} doubled "
            f"({row.seconds:.1f} s)"
        )
    counts = killed.counts
    click.echo(
        f"{killed.kills} kills, {counts['in_disk_calls']} in a call of the disk; {counts['waiting']} facts met between "
        f"staging and commit ({killed.seconds:.1f} s)"
    )
    click.echo(
        f"{counts['staged']} facts staged: {counts['lost']} lost, {counts['doubled']} doubled, {counts['strange']} "
        f"that nobody asked for, {counts['harmed']} lines of people harmed, {counts['left']} things left"
    )
    for failure in killed.failures:
        click.echo(f"failed: {failure}")
    click.echo(
        f"{tried.documents:,} documents, {tried.pages:,} pages: {tried.altered} altered, {tried.unequal} chosen "
        f"otherwise the second time, {tried.over_budget} over the budget, {tried.beyond_caps} beyond the caps, "
        f"{tried.not_once} with a fact not once, {tried.disturbed} disturbed by one ({tried.seconds:.1f} s)"
    )
