"""`agent chaos --kills N`: the whole agent killed again and again, and what became of everything that was said."""

from __future__ import annotations

import json
import logging
import signal
import sys
from pathlib import Path
from typing import NamedTuple

import click

from actors.cli.common import fail
from actors.cli.terminal.progress import progress_line

FIFTEEN = "fifteen"


class KillOptions(NamedTuple):
    """Options of the command."""

    kills: int
    seed: str
    rows: str
    jobs: int
    batch: int | None
    scene: str
    times: int
    keep: Path | None


def run_kills(options: KillOptions, *, as_json: bool) -> None:
    """Run the campaign, or the scene, and print its report; exit 1 if it is not sound."""
    from lab.chaos.kills.campaign import FULL_DISK_ROW, KillPlan, run
    from lab.chaos.kills.fifteen import Fifteen
    from lab.chaos.kills.rows import ROWS, parse_rows
    from lab.chaos.kills.small_disk import can_fill_disks

    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that the agents are ended too
    logging.basicConfig(handlers=[logging.NullHandler()])  # what is broken on purpose is no news
    try:
        rows = parse_rows(options.rows) if options.rows else frozenset(ROWS)
    except ValueError as error:
        fail(str(error), 2)
    if FULL_DISK_ROW in rows and not can_fill_disks():
        if options.rows:
            fail(f"row {FULL_DISK_ROW} needs the right to mount a small file system: run it as root", 2)
        rows -= {FULL_DISK_ROW}
    is_scene = options.scene == FIFTEEN
    plan = KillPlan(
        kills=options.times if is_scene else options.kills,
        seed=options.seed,
        rows=frozenset({1}) if is_scene else rows,
        jobs=options.jobs,
        only=options.batch,
        keep_in=options.keep,
    )
    with progress_line() as say:
        made = run(
            plan,
            lambda kills: say(f"{kills} of {plan.kills} kills", kills, plan.kills),
            *((Fifteen,) if is_scene else ()),
        )
    if as_json:
        click.echo(json.dumps(made.as_dict(), indent=2))
    else:
        for line in made.lines():
            click.echo(line)
    if not made.is_sound:
        fail(f"something was lost, doubled, altered or left (seed {plan.seed})")
