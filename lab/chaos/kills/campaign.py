"""Kill campaign: batches of kills side by side, each with a Discord, a model and a data root of its own."""

from __future__ import annotations

import contextlib
import itertools
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from actors.kernel import SystemClock
from lab.bench.machine import machine, machine_line
from lab.chaos.kills.batch import Batch
from lab.chaos.kills.nursery import Nursery
from lab.chaos.kills.report import BatchReport, KillReport
from lab.chaos.kills.saved import append_batch, read_batches
from lab.chaos.kills.small_disk import small_disk
from lab.playground.server import PlaygroundServer
from lab.resume.pieces import program_name

BATCH_KILLS = 20
FULL_DISK_ROW = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class KillPlan:
    """Size of a campaign; counts >= 1."""

    kills: int
    seed: str
    rows: frozenset[int]
    jobs: int = 2
    """Batches side by side."""
    only: int | None = None
    """Number of the only batch to run, as named by an earlier report; None for all."""
    keep_in: Path | None = None
    """Folder for data of unsound batches; None to remove the data."""
    resume: Path | None = None
    """File of finished batches, to which each further batch is added; None for no file."""
    takes_all: bool = False
    """True to go on with batches of other programs."""

    def sizes(self) -> list[tuple[int, int]]:
        """(Number, kills) of each batch."""
        if self.only is not None:
            return [(self.only, min(BATCH_KILLS, self.kills))]
        firsts = range(0, self.kills, BATCH_KILLS)
        return [(number, min(BATCH_KILLS, self.kills - first)) for number, first in enumerate(firsts, 1)]

    def read_finished(self) -> list[BatchReport]:
        """Finished batches of this plan in the file."""
        names = {f"{self.seed}/{number}" for number, _ in self.sizes()}
        saved = read_batches([self.resume], takes_all=self.takes_all) if self.resume is not None else []
        return [each for each in saved if each.name in names and set(each.rows) == self.rows]


class CampaignStoppedError(Exception):
    """The campaign is to end, on request or after a failure in another batch."""


def run(plan: KillPlan, tick: Callable[[int], object], make: type[Batch] = Batch) -> KillReport:
    """Run the unfinished batches of `plan`; `tick` is called with the number of kills, from the batches' threads."""
    finished = plan.read_finished()
    done = {each.name for each in finished}
    left = [size for size in plan.sizes() if f"{plan.seed}/{size[0]}" not in done]
    counter, stopping = itertools.count(1 + sum(len(each.kills) for each in finished)), threading.Event()
    saving = threading.Lock()

    def check() -> None:
        if stopping.is_set():
            raise CampaignStoppedError

    with (
        tempfile.TemporaryDirectory(prefix="agent-chaos-") as scratch,
        contextlib.ExitStack() as stack,
        ThreadPoolExecutor(plan.jobs) as pool,
    ):
        nurseries: queue.SimpleQueue[Nursery] = queue.SimpleQueue()
        for _ in range(min(plan.jobs, len(left))):
            nurseries.put(stack.enter_context(Nursery(scratch=Path(scratch))))

        def run_batch(size: tuple[int, int]) -> BatchReport:
            check()
            nursery = nurseries.get()
            try:
                report = _run_batch(plan, size, Path(scratch), nursery, lambda: tick(next(counter)), check, make)
            finally:
                nurseries.put(nursery)
            if plan.resume is not None:
                with saving:
                    append_batch(plan.resume, report)
            return report

        try:
            batches = tuple(pool.map(run_batch, left))
        finally:
            stopping.set()
    return KillReport(batches=(*finished, *batches))


def _run_batch(
    plan: KillPlan,
    size: tuple[int, int],
    scratch: Path,
    nursery: Nursery,
    tick: Callable[[], object],
    check: Callable[[], None],
    make: type[Batch],
) -> BatchReport:
    """Run a batch in a folder of its own, removed or kept afterwards."""
    number, kills = size
    folder = scratch / str(number)
    folder.mkdir()
    now = SystemClock().monotonic
    began_at, agents_s, own_s = now(), nursery.cpu_s, time.process_time()
    try:
        with (
            PlaygroundServer() as server,
            small_disk(folder) if FULL_DISK_ROW in plan.rows else contextlib.nullcontext(),
        ):
            batch = make(f"{plan.seed}/{number}", folder, plan.rows, server, nursery)
            batch.run(kills, tick, check)
            kept_in = "" if batch.tally.is_sound else _keep(plan, folder, number)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return replace(
        batch.report(),
        kept_in=kept_in,
        seconds=round(now() - began_at, 1),
        cpu_s=round(nursery.cpu_s - agents_s + (time.process_time() - own_s) / plan.jobs, 2),
        machine=machine_line(machine()),
        program=program_name(),
    )


def _keep(plan: KillPlan, folder: Path, number: int) -> str:
    if plan.keep_in is None:
        return ""
    target = plan.keep_in.absolute() / f"{plan.seed}-{number}".replace("/", "-")
    shutil.copytree(folder, target, dirs_exist_ok=True, symlinks=True, ignore=shutil.ignore_patterns("*.sock"))
    return str(target)
