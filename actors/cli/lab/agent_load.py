"""`agent-load`: many threads at once through the whole agent."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option, raise_file_limit, set_up_logging, verbose_option
from actors.cli.lab.progress import progress_line
from actors.cli.terminal import ShownCommand

if TYPE_CHECKING:
    from lab.load.campaign import Progress
    from lab.load.report import Report


@click.command(cls=ShownCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--threads", type=click.IntRange(1, 100_000), required=True, help="How many talk at once.")
@click.option("--turns", type=click.IntRange(1, 100_000), required=True, help="Messages of each, one after the other.")
@click.option(
    "--model-latency-ms",
    type=click.FloatRange(0, 600_000),
    default=500.0,
    show_default=True,
    help="How long the loopback model takes to begin an answer.",
)
@json_option
@click.option("--seed", help="Of the threads' secrets.  [default: a new one]")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(1),
    default=900.0,
    show_default=True,
    help="Seconds, after which what was not answered counts as lost.",
)
@click.option(
    "--keep", "keep_in", type=click.Path(path_type=Path, file_okay=False), help="Leave the agent's files there."
)
@verbose_option
def agent_load(
    threads: int,
    turns: int,
    model_latency_ms: float,
    as_json: bool,
    seed: str | None,
    timeout_s: float,
    keep_in: Path | None,
    verbose: bool,
) -> None:
    """Drive threads of a loopback Discord at once through the whole agent, and count what comes back.

    The agent runs unchanged in a process of its own, before a loopback model. Each thread has a secret in all its
    messages, so that anything said in the wrong place is seen. Exit code 1 when a message was lost, answered twice or
    crossed into another thread, or an actor crashed.
    """
    if keep_in is not None and keep_in.exists() and any(keep_in.iterdir()):
        fail(f"{keep_in}: not empty")
    from actors.kernel import random_ids
    from lab.load.campaign import LoadError, Plan, run

    set_up_logging(verbose=verbose)
    raise_file_limit()
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that the agent is ended too
    plan = Plan(
        threads=threads,
        turns=turns,
        model_latency_s=model_latency_ms / 1000,
        seed=seed or random_ids()(),
        timeout_s=timeout_s,
        keep_in=keep_in,
    )
    try:
        with progress_line() as say:
            report = run(plan, lambda progress: say(_stage(progress)))
    except LoadError as error:
        fail(str(error))
    click.echo(json.dumps(report.as_dict(), indent=2) if as_json else "\n".join(_lines(report)))
    if report.failures():
        fail("\n".join((*report.failures(), *report.details)))


def _stage(progress: Progress) -> str:
    """How far it has come."""
    if not progress.total:
        return progress.stage
    rate = progress.replied / progress.seconds if progress.seconds else 0.0
    return f"{progress.replied} of {progress.total} {progress.stage}, {rate:.0f} a second"


def _lines(report: Report) -> tuple[str, ...]:
    late = report.overhead_ms
    cpu = "unknown" if report.cpu_ms_per_turn is None else f"{report.cpu_ms_per_turn:g} ms"
    return (
        f"{report.threads} threads x {report.turns} turns, model {report.model_latency_ms:g} ms; {report.machine}",
        f"sent {report.sent}, replied {report.replied}, lost {report.lost}, doubled {report.doubled}, "
        f"cross-talk {report.cross_talk}, restarts {report.restarts}",
        f"{report.turns_per_s:g} turns/s over {report.seconds:g} s",
        f"overhead p50 {late.p50} ms, p95 {late.p95} ms, p99 {late.p99} ms",
        f"agent: {cpu} of CPU a turn, peak {report.peak_rss_mb:g} MiB, "
        f"{report.agent_errors} errors and {report.agent_warnings} warnings logged; {report.logs} logs checked",
    )
