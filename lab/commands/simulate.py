"""`agent simulate`: whole lives of the agent on a seeded clock, disk, network and scheduler."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line

if TYPE_CHECKING:
    from lab.simulation.campaign import Campaign
    from lab.simulation.schedule import Schedule

_SHOWN_SEEDS = 3


@click.command()
@click.option("--seeds", type=click.IntRange(1), default=1000, show_default=True, help="Seeds to run.")
@click.option("--from", "first", type=click.IntRange(0), default=0, show_default=True, help="First seed.")
@click.option("--seed", type=click.IntRange(0), help="Run this seed only.")
@click.option("--scenes", help="With --seed: these scenes of its script only, such as 0,3,7-9.")
@click.option(
    "--variant", type=click.IntRange(0), default=0, help="With --seed: other random choices behind the script."
)
@click.option("--layers", help="With --seed: these layers, such as curated,facts, or none, instead of the seed's own.")
@click.option("--trace", is_flag=True, help="With --seed: show its schedule, step by step.")
@click.option("--workers", type=click.IntRange(0), default=0, help="Processes.  [default: one for each core]")
@click.option(
    "--resume",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of finished seeds: run the others.",
)
@click.option("--other-programs", is_flag=True, help="Add up seeds of the file that another version has run.")
@json_option
def simulate(
    seeds: int,
    first: int,
    seed: int | None,
    scenes: str | None,
    variant: int,
    layers: str | None,
    trace: bool,
    workers: int,
    resume: Path | None,
    other_programs: bool,
    as_json: bool,
) -> None:
    """Simulate lives of the agent: kills, power losses, faults of disk and network; exit 1 for a broken promise.

    A seed with a broken promise is shrunk before display: scenes of its script are taken out while the same
    promise stays broken. Files of --resume from several machines are added up by `cat`.
    """
    from lab.resume.pieces import Pieces
    from lab.simulation import campaign
    from lab.simulation.schedule import Schedule, layers_in, numbers_in

    if seed is not None:
        try:
            only = None if scenes is None else numbers_in(scenes)
            schedule = Schedule(seed, variant, only, None if layers is None else layers_in(layers))
            schedule.scenes()
        except ValueError as error:
            fail(str(error), 2)
        _show_one(schedule, trace=trace, as_json=as_json)
        return
    with progress_line() as say:
        try:
            report = campaign.simulate(
                first,
                seeds,
                workers=workers,
                pieces=Pieces(resume, takes_all=other_programs) if resume is not None else None,
                tick=lambda so_far: say(
                    f"{so_far.seeds} of {seeds} seeds, {len(so_far.failed)} failed", so_far.seeds, seeds
                ),
            )
        except ValueError as error:
            fail(str(error), 2)
    click.echo(json.dumps(report.as_dict(), indent=2) if as_json else _summary(report))
    for broken, faults in list(report.one_of_each().items())[: 0 if as_json else _SHOWN_SEEDS]:
        _show_smaller(Schedule(broken), faults)
    if not report.is_sound:
        fail(f"{len(report.failed)} seeds break a promise; the first is {min(report.failed)}")


def _summary(report: Campaign) -> str:
    speed = f"{report.seconds:.1f} s, {report.seeds_per_s:.1f} seeds/s in {report.workers} processes"
    resumed = f", {report.seeds - report.ran:,} of an earlier run" if report.seeds > report.ran else ""
    counts = ", ".join(f"{count:,} {name}" for name, count in sorted(report.counts.items()))
    programs = ", ".join(f"{count:,} of program {name}" for name, count in report.programs.items())
    return (
        f"{report.seeds:,} seeds{resumed}: {report.lives:,} lives, {report.said:,} messages, {report.steps:,} steps, "
        f"{counts}, {len(report.failed)} failed ({speed}; {programs})"
    )


def _show_one(schedule: Schedule, *, trace: bool, as_json: bool) -> None:
    from lab.simulation import campaign

    result = campaign.replay(schedule)
    if as_json:
        document = dataclasses.asdict(result)
        click.echo(json.dumps(document if trace else document | {"lines": ()}, indent=2))
    else:
        for line in result.lines if trace else ():
            click.echo(line)
        click.echo(f"seed {result.seed}: {result.lives} lives, {result.said} messages, schedule {result.digest}")
        for fault in result.faults:
            click.echo(f"  {fault}")
        if result.faults and not trace:
            _show_smaller(schedule, result.faults)
    if result.faults:
        fail(f"seed {result.seed} breaks a promise")


def _show_smaller(schedule: Schedule, faults: tuple[str, ...]) -> None:
    from lab.simulation import campaign

    smaller = campaign.make_smaller(schedule, faults)
    scenes = smaller.schedule.scenes()
    size = f"{len(scenes)} of {len(schedule.scenes())} scenes, found in {smaller.runs} runs"
    click.echo(f"seed {schedule.seed}: {'; '.join(faults[:3])}\n  {size}: {smaller.faults[0]}")
    for number, scene in scenes.items():
        click.echo(f"  {number:3d}  {scene}")
    click.echo(f"  {smaller.schedule.command()}")
