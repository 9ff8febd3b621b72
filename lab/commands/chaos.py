"""`agent chaos`: breaks things on purpose, for long, and counts what was lost."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path
from typing import Any

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line, tick
from lab.commands.chaos_curated import curated
from lab.commands.chaos_kills import FIFTEEN, KillOptions, run_kills
from lab.commands.chaos_layers import layers


@click.group(invoke_without_command=True)
@click.option("--kills", type=click.IntRange(1, 100_000), default=100, show_default=True, help="SIGKILLs in all.")
@click.option("--seed", default="1", show_default=True, help="Reproduces what is said and broken, not the timing.")
@click.option("--rows", default="", help="Only these rows of the fault matrix, such as 1,3,36-39.  [default: all]")
@click.option("--jobs", type=click.IntRange(1, 64), default=2, show_default=True, help="Batches side by side.")
@click.option("--batch", type=click.IntRange(1), help="Only that batch, as an earlier report named it.")
@click.option("--scene", type=click.Choice([FIFTEEN]), default=None, help="One scene, instead of chance.")
@click.option("--times", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Of the scene.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the data of batches that are not sound there.")
@json_option
@click.pass_context
def chaos(context: click.Context, /, as_json: bool, **options: Any) -> None:
    """Break the agent on purpose and count what was lost or doubled; exit 1 if anything was.

    Without a further word the whole agent is killed again and again, in a loopback Discord with a loopback model:
    hostile texts in channels, threads and direct messages, commands and reminders, and the faults of the matrix that
    can be brought about from outside. Afterwards everything that was said must be logged and answered exactly once.
    """
    if context.invoked_subcommand is None:
        run_kills(KillOptions(**{**options, "scene": options["scene"] or ""}), as_json=as_json)


chaos.add_command(curated)
chaos.add_command(layers)


@chaos.command()
@click.option("--rounds", type=click.IntRange(1), default=1000, show_default=True, help="Edits in each race.")
@click.option("--years", type=click.IntRange(0, 100), default=1, show_default=True, help="Years of minutes replayed.")
@click.option(
    "--seed", default="1", show_default=True, help="Reproduces the races' choices; timing stays the machine's."
)
@json_option
def reminders(rounds: int, years: int, seed: str, as_json: bool) -> None:
    """Race the agent against two kinds of editors, kill it at every step of a firing, and replay years of minutes."""
    from actors.scheduler.zone import load_zone
    from lab.chaos.editor import Saver
    from lab.chaos.folders import new_folders
    from lab.chaos.reminders.crash import crash_everywhere
    from lab.chaos.reminders.race import race
    from lab.chaos.reminders.replay import START, replay

    end = START.replace(year=START.year + years)
    with tempfile.TemporaryDirectory(prefix="agent-chaos-") as scratch, progress_line() as say:
        folders = new_folders(Path(scratch))
        races = [
            race(folders(), saver, rounds, seed, tick=tick(say, f"{saver.value}: round %s of {rounds}", rounds))
            for saver in Saver
        ]
        crashes = crash_everywhere(folders, tick(say, "kill %s"))
        replayed = replay(load_zone(), START, end, tick=tick(say, "replay: %s"))
    rows = {"races": [dataclasses.asdict(row) for row in races], "crashes": dataclasses.asdict(crashes)}
    document = {"seed": seed, **rows, "replay": dataclasses.asdict(replayed)}
    if as_json:
        click.echo(json.dumps(document, indent=2))
    else:
        for row in races:
            click.echo(
                f"race with {row.saver} saver: {row.agent_edits} edits of the agent, {row.agent_lost} lost; "
                f"{row.human_edits} of the editor, {row.human_lost} lost ({row.seconds:.1f} s)"
            )
        click.echo(f"{crashes.kills} kills: {crashes.firings} firings, {crashes.lost} lost, {crashes.doubled} doubled")
        click.echo(
            f"{years} years, {replayed.looks:,} minutes: {replayed.firings:,} firings, {replayed.missing} "
            f"missing, {replayed.doubled} doubled, {replayed.late} late ({replayed.seconds:.1f} s)"
        )
    if not (all(row.is_sound for row in races) and crashes.is_sound and replayed.is_sound):
        fail("something was lost or doubled")
