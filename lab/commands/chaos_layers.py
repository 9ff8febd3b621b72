"""`agent chaos layers`: kills of what keeps the layers' data, one subject after the other."""

from __future__ import annotations

import json
import logging
import signal
import sys

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line, tick

SUBJECTS = ("curated", "objects", "workspace", "gateway")


@click.command()
@click.option("--kills", type=click.IntRange(1, 100_000), default=100, show_default=True, help="SIGKILLs of each.")
@click.option("--only", "names", type=click.Choice(SUBJECTS), multiple=True, help="Only this one; repeatable.")
@click.option("--seed", default="1", show_default=True, help="Reproduces what is done; timing stays the machine's.")
@json_option
def layers(kills: int, names: tuple[str, ...], seed: str, as_json: bool) -> None:
    """Kill lives that write the layers' data at random moments, and judge what they leave.

    curated: facts between staging and commit, many in a call of the disk. objects: versions of a file and outputs.
    workspace: files that workers write. gateway: turns and the facts that they owe. What a life was answered must be
    kept once. A second or two for each kill; exit 1 if anything was lost, doubled, broken or left.
    """
    from lab.chaos.lives.campaign import run
    from lab.chaos.lives.curated import CURATED
    from lab.chaos.lives.gateway import GATEWAY
    from lab.chaos.lives.objects import OBJECTS
    from lab.chaos.lives.workspace import WORKSPACE

    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that what was started is ended
    logging.basicConfig(handlers=[logging.NullHandler()])  # what is broken on purpose is no news
    subjects = {each.name: each for each in (CURATED, OBJECTS, WORKSPACE, GATEWAY)}
    reports = {}
    with progress_line() as say:
        for name in names or SUBJECTS:
            reports[name] = run(subjects[name], kills, seed, tick(say, f"{name}: kill %s of {kills}", kills))
    if as_json:
        click.echo(json.dumps({"seed": seed, **{name: each.as_dict() for name, each in reports.items()}}, indent=2))
    else:
        for name, report in reports.items():
            counts = ", ".join(f"{count:,} {what}" for what, count in report.shown().items())
            click.echo(f"{name}: {report.kills} kills: {counts} ({report.seconds:.1f} s)")
            for failure in report.failures:
                click.echo(f"failed: {failure}")
    if not all(each.is_sound for each in reports.values()):
        fail(f"something was lost, doubled, broken or left (seed {seed})")
