"""`agent bench workspace`: what of a piece of work is still in sight after three cuts."""

from __future__ import annotations

import click

from actors.cli.common import json_option
from lab.commands.benchmark import conduct, quick_option


@click.command()
@json_option
@quick_option
def workspace(as_json: bool, quick: bool) -> None:
    """What survives three cuts of the history, a restart and /new, with the layer of workspaces; some minutes.

    12 constraints in three pieces of work, each followed by 420 turns of other talk. Then the agent is told to
    continue, asked for an act that each constraint shapes, and for the constraint itself: does the request to the model
    hold what decides? It is the whole agent with a scripted model; vectors are hashed. Exit code 1 when a target is
    missed.
    """
    from lab.bench.workspace.run import WORKSPACE

    conduct(WORKSPACE, as_json=as_json, quick=quick)
