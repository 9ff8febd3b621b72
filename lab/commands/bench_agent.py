"""`agent bench start` and `agent bench cluster`: how soon the agent answers on many logs, and its windows on hosts."""

from __future__ import annotations

import dataclasses
import json
import sys

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import progress_line

MESSAGES_PER_S = 50_000
SLOWER = 1.5


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


@click.command()
@click.option("--messages", type=click.IntRange(1000), default=300_000, show_default=True, help="Over the link.")
@click.option("--threads", type=click.IntRange(1), default=200, show_default=True, help="With a turn in flight each.")
@click.option("--model-latency-ms", type=click.IntRange(0), default=8000, show_default=True, help="Of the model.")
@click.option("--link-only", is_flag=True, help="Kill no host.")
@json_option
def cluster(messages: int, threads: int, model_latency_ms: int, link_only: bool, as_json: bool) -> None:
    """Windows on hosts, by Ray: a link's rate, and a host killed with turns in flight; some minutes.

    Wanted are 50,000 messages a second, no message lost or doubled by the kill, and the other hosts' windows answered
    within 1.5 times what they take without it. Exit code 1 when something was lost or doubled.
    """
    from actors.cluster.ray_pool import missing
    from lab.bench.cluster.killed_host import measure
    from lab.bench.process import MeasurementError
    from lab.bench.process import measure as in_process

    if reason := missing():
        fail(reason)
    runs = {}
    try:
        with progress_line() as say:
            say("measuring the link")
            link = in_process("lab.bench.cluster.link_rate", {"messages": messages})
            if not link_only:
                for name, kills in (("undisturbed", False), ("killed", True)):
                    runs[name] = measure(threads, model_latency_ms / 1000, say, kills=kills)
    except MeasurementError as error:
        fail(str(error))
    if as_json:
        figures = {name: dataclasses.asdict(run) for name, run in runs.items()}
        click.echo(json.dumps({"link": link, **figures}, indent=2))
    else:
        click.echo(f"link, one way:   {link['one_way_per_s']:>9,} messages/s (wanted {MESSAGES_PER_S:,})")
        click.echo(f"link, both ways: {link['both_ways_per_s']:>9,} messages/s")
        click.echo(f"CPU a message:   {link['head_cpu_us']:g} us on the head, {link['host_cpu_us']:g} us on the host")
        click.echo(f"there and back:  {link['round_trip_ms']:>9} ms for one message")
        for name, run in runs.items():
            click.echo(
                f"{name:12} {run.in_flight} turns in flight, {run.answered} answered, {run.lost} lost, "
                f"{run.doubled} doubled; p95 of the others {run.p95_s:g} s"
            )
        if runs:
            ratio = runs["killed"].p95_s / runs["undisturbed"].p95_s
            click.echo(f"p95 of the others with a host killed: {ratio:.2f} times (wanted <= {SLOWER})")
    if any(run.lost or run.doubled for run in runs.values()):
        fail("a message was lost or answered twice")
