"""Kill campaign: batches of kills side by side, each with a Discord, a model and a data root of its own."""

from __future__ import annotations

import contextlib
import queue
import shutil
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from actors.kernel import SystemClock
from lab.chaos.kills.batch import Batch
from lab.chaos.kills.ledger import Tally
from lab.chaos.kills.nursery import Nursery
from lab.chaos.kills.report import Kill, KillReport, report
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
    batch_kills: int = BATCH_KILLS
    only: int | None = None
    """Number of the one batch to run, as an earlier report named it; None for all."""
    keep_in: Path | None = None
    """Folder for data of unsound batches; None to remove the data."""


class Runner(Protocol):
    """One batch."""

    tally: Tally
    kills: list[Kill]
    starts_s: list[float]
    term_s: list[float]

    def run(self, kills: int, tick: Callable[[], None], check: Callable[[], None]) -> None:
        """Kill so often and judge; what `check` raises ends it."""


MakeRunner = Callable[[str, Path, frozenset[int], PlaygroundServer, Nursery], Runner]


def run(plan: KillPlan, tick: Callable[[int], None], make: MakeRunner = Batch) -> KillReport:
    """Run `plan`; `tick` is called with the number of kills so far."""
    now = SystemClock().monotonic
    began_at, done = now(), _Counter(tick)
    batches: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    sizes = _sizes(plan)
    for number, kills in sizes:
        batches.put((number, kills))
    results: dict[int, tuple[Runner, str]] = {}
    with tempfile.TemporaryDirectory(prefix="agent-chaos-") as scratch, ThreadPoolExecutor(plan.jobs) as pool:
        workers = [
            pool.submit(_work, plan, Path(scratch), batches, results, done, make)
            for _ in range(min(plan.jobs, len(sizes)))
        ]
        try:
            for worker in workers:
                worker.result()
        finally:
            done.stop()
    ordered = [results[number] for number in sorted(results)]
    names = [f"{plan.seed}/{number}" for number in sorted(results)]
    return report(
        plan.seed,
        sorted(plan.rows),
        [(name, runner.tally, kept_in) for name, (runner, kept_in) in zip(names, ordered, strict=True)],
        [kill for runner, _ in ordered for kill in runner.kills],
        starts_s=[each for runner, _ in ordered for each in runner.starts_s],
        terms_s=[each for runner, _ in ordered for each in runner.term_s],
        seconds=now() - began_at,
    )


def _sizes(plan: KillPlan) -> list[tuple[int, int]]:
    """(Number, kills) of each batch."""
    sizes = [
        (number, min(plan.batch_kills, plan.kills - first))
        for number, first in enumerate(range(0, plan.kills, plan.batch_kills), 1)
    ]
    return sizes if plan.only is None else [(plan.only, min(plan.batch_kills, plan.kills))]


class CampaignStoppedError(Exception):
    """The campaign is to end, on request or after a failure in another batch."""


class _Counter:
    """Counter of kills, shared by threads, which are stopped by way of it."""

    def __init__(self, tick: Callable[[int], None]) -> None:
        self._tick = tick
        self._is_stopped = False
        self._lock = threading.Lock()
        self._count = 0

    def add(self) -> None:
        with self._lock:
            self._count += 1
            self._tick(self._count)

    def stop(self) -> None:
        self._is_stopped = True

    def check(self) -> None:
        if self._is_stopped:
            raise CampaignStoppedError


def _work(
    plan: KillPlan,
    scratch: Path,
    batches: queue.SimpleQueue[tuple[int, int]],
    results: dict[int, tuple[Runner, str]],
    done: _Counter,
    make: MakeRunner,
) -> None:
    """Run batches until none is left."""
    with PlaygroundServer() as server, Nursery(server.bot_token, scratch=scratch) as nursery:
        while True:
            try:
                number, kills = batches.get_nowait()
            except queue.Empty:
                return
            folder = scratch / str(number)
            folder.mkdir()
            with small_disk(folder) if FULL_DISK_ROW in plan.rows else contextlib.nullcontext():
                runner = make(f"{plan.seed}/{number}", folder, plan.rows, server, nursery)
                runner.run(kills, done.add, done.check)
                kept_in = "" if runner.tally.is_sound else _kept(plan, folder, number)
            shutil.rmtree(folder)
            results[number] = (runner, kept_in)


def _kept(plan: KillPlan, folder: Path, number: int) -> str:
    if plan.keep_in is None:
        return ""
    target = plan.keep_in.absolute() / f"{plan.seed}-{number}".replace("/", "-")
    shutil.copytree(folder, target, dirs_exist_ok=True, symlinks=True, ignore=shutil.ignore_patterns("*.sock"))
    return str(target)
