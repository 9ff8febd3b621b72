"""`agent-load`: many threads at once through the whole agent, and through the floor beside the agent."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option, raise_file_limit, set_up_logging, verbose_option
from actors.cli.terminal import ShownCommand
from actors.cli.terminal.progress import Say, progress_line

if TYPE_CHECKING:
    from lab.load.comparison import Comparison
    from lab.load.plan import Plan, Progress

PROFILES = ("burst", "steady", "noisy", "long", "ramp", "bash", "layers", "churn", "known")


class Numbers(click.ParamType[tuple[int, ...]]):
    """Whole numbers from a least to a most, separated by commas."""

    name = "N[,N…]"

    def __init__(self, least: int, most: int) -> None:
        """Both are allowed."""
        self._each: click.ParamType[int] = click.IntRange(least, most)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Read the comma-separated numbers."""
        if isinstance(value, tuple):
            return value
        return tuple(self._each(each.strip(), param, ctx) for each in str(value).split(","))


@click.command(cls=ShownCommand, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--threads", type=Numbers(1, 100_000), required=True, help="Threads that talk at once; several sizes with commas."
)
@click.option(
    "--turns", type=click.IntRange(1, 100_000), required=True, help="Messages of each thread, one after the other."
)
@click.option(
    "--model-latency-ms",
    type=click.FloatRange(0, 600_000),
    default=500.0,
    show_default=True,
    help="Time until the loopback model begins an answer.",
)
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="burst",
    show_default=True,
    help="burst: all at once, each next message after the answer. steady: by chance (Poisson) at --rate for --seconds. "
    "noisy: one thread floods beside the others. long: windows leave memory and come back, --turns "
    "times. ramp: search for the highest rate that holds for --seconds. bash: a share of the turns runs a command. "
    "layers: burst with all layers on. churn: a new window for each message. known: --known windows before the start.",
)
@click.option(
    "--rate", type=click.FloatRange(0.01, 100_000), default=10.0, show_default=True, help="Messages a second."
)
@click.option(
    "--seconds", type=click.FloatRange(1, 86_400), default=20.0, show_default=True, help="Seconds of arrivals."
)
@click.option("--known", type=Numbers(0, 1_000_000), default="0", help="Windows known by their logs at the start.")
@click.option(
    "--floor", is_flag=True, help="Drive a bare bot on discord.py and litellm as well, by turns, and compare."
)
@click.option(
    "--rounds", type=click.IntRange(1, 100), help="Runs of each subject; medians count.  [default: 2 with --floor]"
)
@click.option("--observed", is_flag=True, help="Open the observer's page; the cost is the CPU above a run without it.")
@click.option(
    "--hosts", type=click.IntRange(1, 1_000), default=1, show_default=True, help="Hosts, as in `agent run --hosts`."
)
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the sizes, or the memory, as a PNG."
)
@json_option
@click.option("--seed", help="Seed of the threads' secrets and of all random choices.  [default: a new one]")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(1),
    default=900.0,
    show_default=True,
    help="Seconds for each phase; messages without an answer by then count as lost.",
)
@click.option(
    "--keep", "keep_in", type=click.Path(path_type=Path, file_okay=False), help="Folder that keeps the agent's files."
)
@verbose_option
def agent_load(
    threads: tuple[int, ...],
    turns: int,
    model_latency_ms: float,
    profile: str,
    rate: float,
    seconds: float,
    known: tuple[int, ...],
    floor: bool,
    rounds: int | None,
    hosts: int,
    observed: bool,
    plot: Path | None,
    as_json: bool,
    seed: str | None,
    timeout_s: float,
    keep_in: Path | None,
    verbose: bool,
) -> None:
    """Drive threads of a loopback Discord at once through the whole agent, and count the answers.

    The agent runs unchanged in a process of its own; the loopback Discord and model run in two others, whose own CPU is
    printed. Each thread has a secret in all its messages, to expose words in the wrong place. Exit code 1 if in the end
    an answer is missing, not whole, doubled, out of order or in another thread, other output of the agent remains, an
    actor crashed, an error was logged, or a requirement of the profile fails.
    """
    if keep_in is not None and keep_in.exists() and any(keep_in.iterdir()):
        fail(f"{keep_in}: not empty")
    from actors.kernel import random_ids
    from lab.load.plan import Plan
    from lab.load.report import AGENT, FLOOR

    _check_plot(plot)
    set_up_logging(verbose=verbose)
    raise_file_limit()
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that the agent is ended too
    seed = seed or random_ids()()
    several = len(threads) * len(known) > 1
    plans = [
        Plan(
            threads=size,
            turns=turns,
            model_latency_s=model_latency_ms / 1000,
            seed=seed,
            timeout_s=timeout_s,
            profile=profile,
            rate=rate,
            seconds=seconds,
            hosts=hosts,
            observed=observed,
            known=windows,
            keep_in=keep_in / f"{size}-{windows}" if keep_in is not None and several else keep_in,
        )
        for size in threads
        for windows in known
    ]
    subjects = (AGENT, FLOOR) if floor else (AGENT,)
    _show(_compare(plans, subjects, rounds or len(subjects)), as_json=as_json, plot=plot)


def _check_plot(plot: Path | None) -> None:
    """End the command before a long run if its plot could not be drawn."""
    if plot is None:
        return
    from lab.load.plot import refusal

    if reason := refusal():
        fail(reason)
    if not plot.absolute().parent.is_dir():
        fail(f"{plot}: there is no such folder")


def _compare(plans: Sequence[Plan], subjects: Sequence[str], rounds: int) -> list[Comparison]:
    from lab.load.comparison import compare
    from lab.load.plan import LoadError

    try:
        with progress_line() as say:
            return [compare(plan, subjects, rounds, _teller(say, plan, len(plans))) for plan in plans]
    except LoadError as error:
        fail(str(error))


def _teller(say: Say, plan: Plan, plans: int) -> Callable[[Progress], None]:
    size = f"{plan.threads} threads: " if plans > 1 else ""
    return lambda progress: say(size + _stage(progress), progress.replied, progress.total)


def _stage(progress: Progress) -> str:
    """Progress of the run."""
    if not progress.total:
        return progress.stage
    rate = progress.replied / progress.seconds if progress.seconds else 0.0
    return f"{progress.replied} of {progress.total} {progress.stage}, {rate:.0f} a second"


def _show(comparisons: Sequence[Comparison], *, as_json: bool, plot: Path | None) -> None:
    """Print the comparisons, draw plots, and exit with 1 on any fault."""
    from lab.load.comparison import report_lines, sizes_lines
    from lab.load.plot import draw, panels_of_memory, panels_of_sizes

    runs = [report for each in comparisons for report in each.runs]
    document = (
        runs[0].as_dict()
        if len(runs) == 1
        else comparisons[0].as_dict()
        if len(comparisons) == 1
        else {"sizes": [each.as_dict() for each in comparisons]}
    )
    lines: Iterable[str] = report_lines(runs[0]) if len(runs) == 1 else sizes_lines(comparisons)
    click.echo(json.dumps(document, indent=2) if as_json else "\n".join(lines))
    if plot is not None:
        draw(panels_of_memory(runs) if any(run.rss_over_time for run in runs) else panels_of_sizes(comparisons), plot)
    failures = [reason for each in comparisons for reason in each.failures()]
    if failures:
        fail("\n".join((*failures, *(detail for run in runs for detail in run.details))))
