"""`agent simulate`: whole lives of the agent on a seeded clock, disk, network and scheduler."""

from __future__ import annotations

import dataclasses
import json

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line

_SHOWN = 10


@click.command()
@click.option("--seeds", type=click.IntRange(1), default=1000, show_default=True, help="How many seeds to run.")
@click.option("--from", "first", type=click.IntRange(0), default=0, show_default=True, help="The first of them.")
@click.option("--seed", type=click.IntRange(0), help="Run this one only.")
@click.option("--trace", is_flag=True, help="With --seed: show its schedule, step by step.")
@click.option("--workers", type=click.IntRange(0), default=0, help="Processes.  [default: one for each core]")
@json_option
def simulate(seeds: int, first: int, seed: int | None, trace: bool, workers: int, as_json: bool) -> None:
    """Simulate lives of the agent: kills, power losses, faults of disk and network; exit 1 if a promise was broken."""
    from lab.simulation import campaign

    if seed is not None:
        result = campaign.replay(seed)
        document = dataclasses.asdict(result)
        if as_json:
            click.echo(json.dumps(document if trace else document | {"lines": ()}, indent=2))
        else:
            for line in result.lines if trace else ():
                click.echo(line)
            click.echo(f"seed {seed}: {result.lives} lives, {result.said} messages, schedule {result.digest}")
            for fault in result.faults:
                click.echo(f"  {fault}")
        if result.faults:
            fail(f"seed {seed} breaks a promise")
        return
    with progress_line() as say:
        report = campaign.simulate(
            first,
            seeds,
            workers=workers,
            tick=lambda done, failed: say(f"{done} of {seeds} seeds, {failed} failed", done, seeds),
        )
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(report) | {"seeds_per_s": report.seeds_per_s}, indent=2))
    else:
        click.echo(
            f"{report.seeds} seeds from {first}: {report.lives:,} lives, {report.said:,} messages, "
            f"{report.steps:,} steps, events {_counts(report.harmed)}, {len(report.failed)} failed "
            f"({report.seconds:.1f} s, {report.seeds_per_s:.1f} seeds/s in {report.workers} processes)"
        )
        for result in report.failed[:_SHOWN]:
            click.echo(f"seed {result.seed}: {'; '.join(result.faults[:3])}")
    if not report.is_sound:
        fail(f"the first seed that breaks a promise is {report.failed[0].seed}; see it with --seed and --trace")


def _counts(harmed: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {how}" for how, count in sorted(harmed.items())) or "all sent"
