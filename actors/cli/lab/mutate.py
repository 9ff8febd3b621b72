"""`agent mutate`: small faults in the rules and in the durable path, each of which a test must notice."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line

if TYPE_CHECKING:
    from lab.mutation.campaign import Outcome, Report


@click.command()
@click.option("--mutants", type=click.IntRange(1), default=20, show_default=True, help="How many, durable ones first.")
@click.option("--seed", default="1", show_default=True, help="Any word; chooses which.")
@click.option("--module", help="Only of this module, by its path in the checkout.")
@click.option("--durable-only", is_flag=True, help="Only syncs, orders and checks of identity.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Processes.")
@json_option
def mutate(mutants: int, seed: str, module: str | None, durable_only: bool, workers: int, as_json: bool) -> None:
    """Put small faults into the agent, one at a time, and run the tests of each; exit 1 if too many go unnoticed."""
    from lab.mutation import campaign
    from lab.mutation.loading import PROJECT
    from lab.mutation.targets import TARGETS

    if not (PROJECT / "tests").is_dir():
        fail("mutants need the tests, which only a checkout has")
    targets = [target for target in TARGETS if module in (None, target.module)]
    if not targets:
        fail(f"no target {module!r}: lab/mutation/targets.py names them")
    everything = [each for each in campaign.candidates(targets) if each.mutant.is_durable or not durable_only]
    selected = campaign.chosen(everything, mutants, seed)
    done: list[Outcome] = []
    with progress_line() as say:

        def tick(outcome: Outcome) -> None:
            done.append(outcome)
            say(
                f"{len(done)} of {len(selected)} mutants, {sum(each.is_killed for each in done)} noticed",
                len(done),
                len(selected),
            )

        try:
            report = campaign.Campaign(at_once=workers).run(selected, tick)
        except campaign.FailingAnywayError as error:
            fail(str(error))
    _print(report, as_json)
    if not report.is_sound:
        fail("a mutant of the durable path, or too many others, went unnoticed")


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        summary = {"killed": report.killed, "excused": report.excused, "share": report.share, "sound": report.is_sound}
        click.echo(json.dumps(dataclasses.asdict(report) | summary, indent=2))
        return
    durable = [outcome for outcome in report.outcomes if outcome.is_durable]
    click.echo(
        f"{len(report.outcomes)} mutants ({len(durable)} durable): {report.killed} noticed, {report.excused} named "
        f"with a reason, {len(report.survivors)} unnoticed; {report.share:.1%} of those that can be noticed "
        f"({report.seconds:.0f} s)"
    )
    for outcome in report.outcomes:
        if not outcome.is_killed:
            kind = outcome.reason or ("UNNOTICED, durable" if outcome.is_durable else "unnoticed")
            click.echo(f"{outcome.module}:{outcome.line} {outcome.within}: {outcome.what}\n    {kind}")
