"""`agent bench facts`: the gateway that remembers, beside the one whose specification it follows."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import Say, progress_line
from lab.commands.bench_recall import default_cache
from lab.commands.tables import print_tables

QUICK_QUESTIONS = 5
"""Of each conversation."""


@click.command()
@json_option
@click.option("--quick", is_flag=True, help="Small sizes: shows that it works, not how fast.")
@click.option(
    "--peer",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The executable agent-cli of an installed agent-cli[memory] 0.112.0: the same is measured of it.",
)
@click.option("--kills", type=click.IntRange(0, 10_000), default=10, show_default=True, help="How many.")
@click.option("--seed", default="facts", show_default=True, help="Decides when the kills come.")
@click.option("--data", type=click.Path(path_type=Path), help="A folder of conversation files, as `bench recall` has.")
@click.option(
    "--facts", "told", type=click.Path(path_type=Path), help="A folder with LoCoMo's own files: facts of the same."
)
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where vectors are kept between runs; by default below $XDG_CACHE_HOME or ~/.cache.",
)
def facts(
    as_json: bool,
    quick: bool,
    peer: Path | None,
    kills: int,
    seed: str,
    data: Path | None,
    told: Path | None,
    cache: Path | None,
) -> None:
    """The gateway of the layer `facts`; two minutes, five with a peer, and a second more for each kill.

    In front of a model's server on loopback that answers at once: what is added to a request, 16 clients at once, CPU
    and bytes a turn, starts with 1,000 facts, searches in 10,000, then kills during the work behind the answers: every
    turn that was answered, and every fact that it owes, must be on the disk exactly once. With --data and --facts then
    evidence for the questions of recorded conversations, beside the default memory's. Exit code 1 when a target is
    missed.
    """
    from lab.bench.facts.report import as_document, is_sound, tables
    from lab.bench.facts.run import PEERS, QUICK, WHOLE, Sizes, measure
    from lab.bench.facts.systems import Ours, Peer, System
    from lab.bench.machine import machine, machine_line
    from lab.bench.process import MeasurementError

    if (data is None) != (told is None):
        fail("--data and --facts are two halves of one set: both are required", 2)

    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that what was started is ended
    machine_facts = machine()
    systems: list[tuple[System, Sizes]] = [(Ours(), QUICK if quick else WHOLE)]
    if peer is not None:
        systems.append((Peer(peer.absolute()), QUICK if quick else PEERS))
    try:
        with progress_line() as say:
            figures = measure(say, _warn, systems, min(kills, 2) if quick else kills, seed)
            if data is not None and told is not None:
                figures[Ours.name] |= _evidence(data, told, cache, QUICK_QUESTIONS if quick else None, say)
    except (MeasurementError, ValueError, OSError) as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(as_document(figures, machine_facts, quick=quick), indent=2))
    else:
        print_tables(machine_line(machine_facts), *tables(figures, quick=quick))
    if not is_sound(figures, quick=quick):
        fail("a promise is not kept, or a target is missed")


def _evidence(data: Path, told: Path, cache: Path | None, limit: int | None, say: Say) -> dict[str, float]:
    """Figures of what stands in the blocks."""
    from actors.embedder.local import LocalModel
    from lab.bench.facts.recall import evidence
    from lab.bench.recall.data import files, read
    from lab.bench.recall.vectors import KeptVectors
    from lab.bench.workspace.facts import read as read_facts

    conversations = [read(file, limit) for file in files(data)]
    return evidence(conversations, read_facts(told), KeptVectors(LocalModel.load(), cache or default_cache()), say)


def _warn(trouble: str) -> None:
    click.echo(f"note: {trouble}", err=True)
