"""Kill campaign: batches of kills side by side, each with a Discord, a model and a data root of its own."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import SystemClock
from lab.chaos.kills.batch import Batch
from lab.chaos.kills.nursery import Nursery
from lab.chaos.kills.report import BatchReport, KillReport
from lab.chaos.kills.small_disk import small_disk
from lab.playground.server import PlaygroundServer

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
    """Number of the one batch to run, as an earlier report named it; None for all."""
    keep_in: Path | None = None
    """Folder for data of unsound batches; None to remove the data."""

    def sizes(self) -> list[tuple[int, int]]:
        """(Number, kills) of each batch."""
        if self.only is not None:
            return [(self.only, min(BATCH_KILLS, self.kills))]
        firsts = range(0, self.kills, BATCH_KILLS)
        return [(number, min(BATCH_KILLS, self.kills - first)) for number, first in enumerate(firsts, 1)]


class CampaignStoppedError(Exception):
    """The campaign is to end, on request or after a failure in another batch."""


def run(plan: KillPlan, tick: Callable[[int], object], make: type[Batch] = Batch) -> KillReport:
    """Run `plan`; `tick` is called with the number of kills so far, from the batches' threads."""
    now, counter, stopping = SystemClock().monotonic, itertools.count(1), threading.Event()
    began_at = now()

    def check() -> None:
        if stopping.is_set():
            raise CampaignStoppedError

    with tempfile.TemporaryDirectory(prefix="agent-chaos-") as scratch, ThreadPoolExecutor(plan.jobs) as pool:

        def run_batch(size: tuple[int, int]) -> BatchReport:
            check()
            folder = Path(scratch) / str(size[0])
            folder.mkdir()
            with (
                PlaygroundServer() as server,
                Nursery(server.bot_token, scratch=Path(scratch)) as nursery,
                small_disk(folder) if FULL_DISK_ROW in plan.rows else contextlib.nullcontext(),
            ):
                batch = make(f"{plan.seed}/{size[0]}", folder, plan.rows, server, nursery)
                batch.run(size[1], lambda: tick(next(counter)), check)
                return batch.report("" if batch.tally.is_sound else _keep(plan, folder, size[0]))

        try:
            batches = tuple(pool.map(run_batch, plan.sizes()))
        finally:
            stopping.set()
    return KillReport(seed=plan.seed, rows=tuple(sorted(plan.rows)), batches=batches, seconds=now() - began_at)


def _keep(plan: KillPlan, folder: Path, number: int) -> str:
    if plan.keep_in is None:
        return ""
    target = plan.keep_in.absolute() / f"{plan.seed}-{number}".replace("/", "-")
    shutil.copytree(folder, target, dirs_exist_ok=True, symlinks=True, ignore=shutil.ignore_patterns("*.sock"))
    return str(target)
