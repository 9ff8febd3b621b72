"""`agent bench start`: how soon the agent answers on a data root with many logs."""

from __future__ import annotations

import dataclasses
import json
import sys

import click

from actors.cli.common import fail, json_option
from actors.cli.lab.progress import progress_line


@click.command()
@click.option("--logs", type=click.IntRange(1), default=100_000, show_default=True, help="Threads, one log each.")
@click.option("--events", type=click.IntRange(0), default=0, help="In all logs together, at least; else three in each.")
@click.option(
    "--target", "target_s", type=float, help="Seconds until an answer; exit code 1 when a restart takes longer."
)
@json_option
def start(logs: int, events: int, target_s: float | None, as_json: bool) -> None:
    """From the start of the process to its first answer, the real agent on a loopback Discord; some minutes.

    Logs are made for it. The first start has no index and makes one; then it is started three times more, and once with
    nothing of the disk in memory (for root only).
    """
    from lab.bench.process import MeasurementError
    from lab.bench.start.run import measure

    try:
        with progress_line() as say:
            starts = measure(logs, events, say)
    except MeasurementError as error:
        fail(str(error))
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(starts), indent=2))
    else:
        click.echo(f"{starts.logs} logs, {starts.events} events")
        click.echo("seconds until online, until an answer, of CPU until then, and to stop; MiB resident when online")
        rows = [("first", starts.first), *(("again", each) for each in starts.restarts)]
        rows += [("cold", starts.cold)] if starts.cold is not None else []
        for name, each in rows:
            seconds = (each.online_s, each.answers_s, each.cpu_s, each.stop_s)
            click.echo(f"{name:6} {' '.join(f'{each_s:7.2f}' for each_s in seconds)} {each.online_mb:7.1f}")
        click.echo(f"the index held everything {starts.index_s:g} s after the first start began")
    if target_s is not None and starts.slowest_s > target_s:
        sys.exit(1)
