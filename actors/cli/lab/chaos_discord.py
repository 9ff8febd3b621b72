"""`agent chaos discord`: a fault at every tenth call between Discord and the bot."""

from __future__ import annotations

import dataclasses
import json
import logging

import click

from actors.cli.common import fail, json_option, set_up_logging, verbose_option
from actors.cli.terminal.progress import progress_line


@click.command()
@click.option("--turns", type=click.IntRange(1, 100_000), default=1000, show_default=True, help="Messages in all.")
@click.option(
    "--windows", type=click.IntRange(1, 1000), default=20, show_default=True, help="Threads they are said in."
)
@click.option("--seed", default="1", show_default=True, help="Reproduces the order of the faults, not the timing.")
@json_option
@verbose_option
def discord(turns: int, windows: int, seed: str, as_json: bool, verbose: bool) -> None:
    """Break every tenth call between the bot and a loopback Discord, and count what was lost.

    Rate limits of every kind, 5xx, HTML, connections reset before and after the work, delays, and on the gateway:
    reconnects, invalid sessions, silent sockets, resets, refused and unanswered RESUMEs, events that come twice. The
    windows are stand-ins that answer at once; 1,000 turns take about a minute.
    """
    if verbose:
        set_up_logging(verbose=True)
    else:
        logging.basicConfig(handlers=[logging.NullHandler()])  # what is broken on purpose is no news
    from lab.chaos.discord.faults import run

    with progress_line() as say:
        outcome = run(turns, windows, seed, lambda answered: say(f"{answered} answered", answered, turns))
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(outcome), indent=2))
    else:
        click.echo(
            f"{outcome.turns} turns in {outcome.windows} windows, {outcome.calls:,} calls, {outcome.faults} faults of "
            f"{len(outcome.by_kind)} kinds, {outcome.sessions} sessions and {outcome.resumes} RESUMEs "
            f"({outcome.seconds:.1f} s)\n"
            f"{outcome.missed} missed, {outcome.doubled} doubled, {outcome.out_of_order} windows out of order, "
            f"{outcome.unexpected} unexpected, {outcome.crashes} crashes"
        )
    if not outcome.is_sound:
        fail("\n".join(("something was lost, doubled, reordered or added", *outcome.details)))
