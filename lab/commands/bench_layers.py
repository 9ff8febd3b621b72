"""`agent bench objects`, `agent bench workspace`, `agent bench facts`: what each layer is worth."""

from __future__ import annotations

from pathlib import Path

import click

from actors.cli.common import json_option
from lab.commands.benchmark import conduct, quick_option


@click.command()
@json_option
@quick_option
def objects(as_json: bool, quick: bool) -> None:
    """The layer of objects beside plain history: size, cached share and price of requests; about a minute.

    Seven conversations of different kinds, two of them recorded sequences of a real model's calls, over real files that
    are really edited, through the real fold and the real actors. Tokens are of 4 characters; cached is what repeats the
    beginning of the request before, at a tenth of the price. Exit code 1 when a target is missed.
    """
    from lab.bench.objects.run import OBJECTS

    conduct(OBJECTS, as_json=as_json, quick=quick)


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


@click.command()
@json_option
@quick_option
@click.option(
    "--peer",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The executable agent-cli of an installed agent-cli[memory] 0.112.0: the same is measured of it.",
)
@click.option("--kills", type=click.IntRange(0, 10_000), default=10, show_default=True, help="How many.")
@click.option("--seed", default="facts", show_default=True, help="Decides when the kills come.")
def facts(as_json: bool, quick: bool, peer: Path | None, kills: int, seed: str) -> None:
    """The gateway of the layer `facts`; two minutes, five with a peer, and a second more for each kill.

    In front of a model's server on loopback that answers at once: what is added to a request, 16 clients at once, CPU
    and bytes a turn, starts with 1,000 facts, searches in 10,000. Then the kills of `agent chaos layers --only
    gateway`: every turn that was answered, and every fact that it owes, must be on the disk exactly once. Exit code 1
    when a target is missed.
    """
    from lab.bench.facts.run import FACTS
    from lab.chaos.lives.campaign import run
    from lab.chaos.lives.gateway import GATEWAY

    def killed() -> dict[str, float]:
        report = run(GATEWAY, min(kills, 2) if quick else kills, seed)
        return {"kills": report.kills, **report.counts}

    also = killed if kills else dict[str, float]
    conduct(FACTS, as_json=as_json, quick=quick, peer=peer.absolute() if peer else None, warn=_warn, also=also)


def _warn(trouble: str) -> None:
    click.echo(f"note: {trouble}", err=True)
