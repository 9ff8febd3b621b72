"""`agent chaos`: breaks parts on purpose, for long, and counts the losses."""

from __future__ import annotations

import dataclasses
import json
import logging
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actors.cli.common import fail, json_option
from actors.cli.terminal.progress import Say, progress_line, tick

if TYPE_CHECKING:
    from lab.chaos.race import RaceReport

FIFTEEN = "fifteen"
LAYERS = ("curated", "objects", "workspace", "gateway")
seed_option = click.option("--seed", default="1", show_default=True, help="Reproduces the choices, not the timing.")


@click.group(invoke_without_command=True)
@click.option("--kills", type=click.IntRange(1, 100_000), default=100, show_default=True, help="SIGKILLs in all.")
@seed_option
@click.option("--rows", default="", help="Only these rows of the fault matrix, such as 1,3,36-39.  [default: all]")
@click.option("--jobs", type=click.IntRange(1, 64), default=4, show_default=True, help="Batches side by side.")
@click.option("--batch", type=click.IntRange(1), help="Only the batch of this number in an earlier report.")
@click.option("--scene", type=click.Choice([FIFTEEN]), help="One scene, instead of random kills.")
@click.option("--times", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Runs of the scene.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for the data of batches that are not sound.")
@click.option("--resume", type=click.Path(path_type=Path), help="File of finished batches; the others are added to it.")
@click.option("--other-programs", is_flag=True, help="Add up batches of the file that another version has run.")
@json_option
@click.pass_context
def chaos(
    context: click.Context,
    /,
    kills: int,
    seed: str,
    rows: str,
    jobs: int,
    batch: int | None,
    scene: str | None,
    times: int,
    keep: Path | None,
    resume: Path | None,
    other_programs: bool,
    as_json: bool,
) -> None:
    """Break the agent on purpose and count what was lost or doubled; exit 1 if anything was.

    Without a further word the whole agent is killed again and again, in a loopback Discord with a loopback model:
    hostile texts in channels, threads and direct messages, commands and reminders, and the faults of the matrix that
    can be brought about from outside. Afterwards everything that was said must be logged and answered exactly once.
    A campaign that was ended goes on from the file of `--resume`.
    """
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that the agents are ended too
    logging.basicConfig(handlers=[logging.NullHandler()])  # what is broken on purpose is no news
    if context.invoked_subcommand is not None:
        return
    from lab.chaos.kills.batch import Batch
    from lab.chaos.kills.campaign import KillPlan, run
    from lab.chaos.kills.fifteen import Fifteen

    chosen = frozenset({1}) if scene else _rows_of(rows)
    plan = KillPlan(
        kills=times if scene else kills,
        seed=seed,
        rows=chosen,
        jobs=jobs,
        only=batch,
        keep_in=keep,
        resume=resume,
        takes_all=other_programs,
    )
    try:
        plan.read_finished()
    except ValueError as error:
        fail(str(error), 2)
    with progress_line() as say:
        report = run(plan, tick(say, f"%s of {plan.kills} kills", plan.kills), Fifteen if scene else Batch)
    _show(report.as_dict(), report.lines(), as_json=as_json, is_sound=report.is_sound, seed=seed)


def _rows_of(text: str) -> frozenset[int]:
    """Rows of the matrix; ends the command for unavailable rows."""
    from lab.chaos.kills.campaign import FULL_DISK_ROW
    from lab.chaos.kills.rows import ROWS, parse_rows
    from lab.chaos.kills.small_disk import can_fill_disks

    try:
        rows = parse_rows(text) if text else frozenset(ROWS)
    except ValueError as error:
        fail(str(error), 2)
    if FULL_DISK_ROW not in rows or can_fill_disks():
        return rows
    if text:
        fail(f"row {FULL_DISK_ROW} needs the right to mount a small file system: run it as root", 2)
    return rows - {FULL_DISK_ROW}


@chaos.command("sum")
@click.argument("files", type=click.Path(path_type=Path, dir_okay=False), nargs=-1, required=True)
@json_option
def sum_files(files: tuple[Path, ...], as_json: bool) -> None:
    """Add up files of `agent chaos --resume`, such as files of several machines; each batch counts once."""
    from lab.chaos.kills.report import KillReport
    from lab.chaos.kills.saved import read_batches

    for path in files:
        if not path.exists():
            fail(f"{path}: no such file", 2)
    try:
        report = KillReport(batches=tuple(read_batches(files)))
    except ValueError as error:
        fail(str(error), 2)
    _show(report.as_dict(), report.lines(), as_json=as_json, is_sound=report.is_sound, seed=report.seed)


@chaos.command()
@click.option(
    "--kills", type=click.IntRange(1, 100_000), default=100, show_default=True, help="SIGKILLs of each layer."
)
@click.option("--only", "names", type=click.Choice(LAYERS), multiple=True, help="Only this layer; repeatable.")
@seed_option
@json_option
def layers(kills: int, names: tuple[str, ...], seed: str, as_json: bool) -> None:
    """Kill lives that write the layers' data at random moments, and judge their leftovers.

    curated: facts between staging and commit, many in a call of the disk. objects: versions of a file and outputs.
    workspace: files written by workers. gateway: turns and their facts. Each answered request must be kept
    once. A second or two for each kill; exit 1 if data was lost, doubled, broken or left behind.
    """
    from lab.chaos.lives.campaign import run
    from lab.chaos.lives.curated import CURATED
    from lab.chaos.lives.gateway import GATEWAY
    from lab.chaos.lives.objects import OBJECTS
    from lab.chaos.lives.workspace import WORKSPACE

    subjects = {each.name: each for each in (CURATED, OBJECTS, WORKSPACE, GATEWAY)}
    with progress_line() as say:
        reports = {
            name: run(subjects[name], kills, seed, tick(say, f"{name}: kill %s of {kills}", kills))
            for name in names or LAYERS
        }
    document = {"seed": seed, **{name: each.as_dict() for name, each in reports.items()}}
    lines = [line for name, each in reports.items() for line in each.lines(name)]
    _show(document, lines, as_json=as_json, is_sound=all(each.is_sound for each in reports.values()), seed=seed)


@chaos.command("curated")
@click.option(
    "--edits", type=click.IntRange(1, 100_000), default=1000, show_default=True, help="Writes of the agent in all."
)
@seed_option
@json_option
def race_curated(edits: int, seed: str, as_json: bool) -> None:
    """Race the actor of curated memory against a person's editor with two ways of saving.

    The real actor in a real system with its workers. The editor makes at least as many edits of the index as the agent
    makes writes, half of them with each way of saving. Two minutes; exit 1 if an edit was lost or doubled.
    """
    from lab.chaos.curated.race import race

    with progress_line() as say:
        races = _run_races(say, -(-edits // 2), partial(race, seed=seed))
    document = {"seed": seed, "races": [dataclasses.asdict(each) for each in races]}
    is_sound = all(each.is_sound for each in races)
    _show(document, [each.line() for each in races], as_json=as_json, is_sound=is_sound, seed=seed)


@chaos.command()
@click.option("--rounds", type=click.IntRange(1), default=1000, show_default=True, help="Edits in each race.")
@click.option("--years", type=click.IntRange(0, 100), default=1, show_default=True, help="Years of minutes replayed.")
@seed_option
@json_option
def reminders(rounds: int, years: int, seed: str, as_json: bool) -> None:
    """Race the agent against two kinds of editors, kill it at every step of a firing, and replay years of minutes."""
    from actors.scheduler.zone import load_zone
    from lab.chaos.reminders.crash import crash_everywhere
    from lab.chaos.reminders.race import race
    from lab.chaos.reminders.replay import START, replay

    end = START.replace(year=START.year + years)
    with progress_line() as say, tempfile.TemporaryDirectory(prefix="agent-chaos-") as scratch:
        races = _run_races(say, rounds, partial(race, seed=seed))
        crashes = crash_everywhere(Path(scratch), tick(say, "kill %s"))
        replayed = replay(load_zone(), START, end, tick=tick(say, "replay: %s"))
    document = {
        "seed": seed,
        "races": [dataclasses.asdict(each) for each in races],
        "crashes": dataclasses.asdict(crashes),
        "replay": dataclasses.asdict(replayed),
    }
    lines = [
        *(each.line() for each in races),
        f"{crashes.kills} kills: {crashes.firings} firings, {crashes.lost} lost, {crashes.doubled} doubled",
        f"{years} years, {replayed.looks:,} minutes: {replayed.firings:,} firings, {replayed.missing} missing, "
        f"{replayed.doubled} doubled, {replayed.late} late ({replayed.seconds:.1f} s)",
    ]
    is_sound = all(each.is_sound for each in races) and crashes.is_sound and replayed.is_sound
    _show(document, lines, as_json=as_json, is_sound=is_sound, seed=seed)


@chaos.command()
@click.option("--tries", type=click.IntRange(1, 1_000_000), default=10_000, show_default=True, help="Commands begun.")
@json_option
def mounts(tries: int, as_json: bool) -> None:
    """Swap the names kept by a command's sandbox for links leading out of the folder, while mounts are made.

    The swapping command works in the same shared folder, and the kernel reports each look at the folder. Ten
    minutes; exit 1 if a file outside was shown, changed, emptied or made.
    """
    from lab.chaos.mounts import race

    with progress_line() as say, tempfile.TemporaryDirectory(prefix="agent-chaos-", dir="/var/tmp") as scratch:
        report = race(Path(scratch), tries, tick(say, f"command %s of {tries}", tries))
    _show(report.as_dict(), [report.line()], as_json=as_json, is_sound=report.is_sound, seed="none")


def _run_races(say: Say, edits: int, race: Callable[..., RaceReport]) -> list[RaceReport]:
    """Run a race with each way of saving, in a folder of its own."""
    from lab.chaos.editor import Saver

    races = []
    for saver in Saver:
        with tempfile.TemporaryDirectory(prefix="agent-chaos-") as scratch:
            tick_race = tick(say, f"{saver.value}: edit %s of {edits}", edits)
            races.append(race(Path(scratch), saver, edits, tick=tick_race))
    return races


def _show(document: Mapping[str, object], lines: Iterable[str], *, as_json: bool, is_sound: bool, seed: str) -> None:
    """Print a report, and end the command with exit code 1 for an unsound report."""
    click.echo(json.dumps(document, indent=2) if as_json else "\n".join(lines))
    if not is_sound:
        fail(f"something was lost, doubled, altered, broken or left (seed {seed})")
