"""Campaign: many seeds over many processes; a seed with a broken promise is made smaller before the report."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.pool import Pool
from pathlib import Path
from time import perf_counter
from typing import Any

from lab.resume.pieces import PROGRAM, Piece, Pieces, program_name
from lab.simulation.schedule import Schedule
from lab.simulation.shrinking import Shrunk, promise_of, shrink
from lab.simulation.verdict import Result
from lab.simulation.world import run

_MEMORY = Path("/dev/shm")
"""Files are kept in memory where possible: the machine's disk is not under test."""
_PIECE = 50
"""Most seeds finished and noted together."""
_PIECES_PER_PROCESS = 40
"""Pieces after which a process is replaced, since its collector rests."""


@dataclass(slots=True)
class Campaign:
    """Outcome of many seeds, of this run and of resumed runs."""

    seeds: int = 0
    lives: int = 0
    said: int = 0
    steps: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    """Further numbers of `Result.counts`."""
    process_s: float = 0.0
    """Seconds of all processes together."""
    failed: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """Seed -> faults, of the seeds with a broken promise."""
    seconds: float = 0.0
    """Of this run."""
    ran: int = 0
    """Seeds of this run."""
    workers: int = 0
    programs: dict[str, int] = field(default_factory=dict)
    """Program -> number of seeds."""

    @property
    def is_sound(self) -> bool:
        """True if every seed kept every promise."""
        return not self.failed

    @property
    def seeds_per_s(self) -> float:
        """Of all processes of this run together."""
        return self.ran / self.seconds if self.seconds else 0.0

    def add(self, piece: Piece) -> None:
        """Add some finished seeds."""
        self.seeds += piece["seeds"]
        self.lives += piece["lives"]
        self.said += piece["said"]
        self.steps += piece["steps"]
        self.process_s += piece["process_s"]
        self.counts = dict(Counter(self.counts) + Counter(piece["counts"]))
        program = piece.get(PROGRAM) or program_name()
        self.programs[program] = self.programs.get(program, 0) + piece["seeds"]
        self.failed.update({int(seed): tuple(faults) for seed, faults in piece["failed"].items()})

    def one_of_each(self) -> dict[int, tuple[str, ...]]:
        """The least seed for each promise broken first in a seed."""
        least: dict[str, int] = {}
        for seed in sorted(self.failed):
            least.setdefault(promise_of(self.failed[seed][0]), seed)
        return {seed: self.failed[seed] for seed in least.values()}

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"seeds_per_s": self.seeds_per_s}


def simulate(
    first: int,
    seeds: int,
    *,
    workers: int = 0,
    pieces: Pieces | None = None,
    tick: Callable[[Campaign], object] = lambda _campaign: None,
) -> Campaign:
    """Run `seeds` seeds from `first` on.

    Args:
        first: The least.
        seeds: Number of seeds, >= 1.
        workers: Processes; 0 for one per core.
        pieces: Finished seeds, included without another run.
        tick: Called with all results so far.

    Raises:
        ValueError: `pieces` are no pieces of a simulation, or of another program.
    """
    campaign, left = Campaign(), set(range(first, first + seeds))
    for piece in pieces.read() if pieces is not None else ():
        if piece.get("campaign") != "simulate":
            raise ValueError("the file has pieces of another campaign")
        left.difference_update(range(piece["first"], piece["first"] + piece["seeds"]))
        campaign.add(piece)
    campaign.workers = workers = min(workers or len(os.sched_getaffinity(0)), len(left))
    if not left:
        return campaign
    began = perf_counter()
    chunks = list(_chunks(sorted(left), max(1, min(_PIECE, len(left) // (4 * workers)))))
    with _processes(workers) as pool:
        for piece in pool.imap_unordered(run_piece, chunks):
            if pieces is not None:
                pieces.add(piece)
            campaign.add(piece)
            campaign.ran += piece["seeds"]
            campaign.seconds = perf_counter() - began
            tick(campaign)
    return campaign


def replay(schedule: Schedule) -> Result:
    """Run a schedule with its whole trace, in a separate process."""
    with _processes(1) as pool:
        return pool.apply(run_with_trace, (schedule,))


def find_faults(schedules: Sequence[Schedule]) -> dict[Schedule, tuple[str, ...]]:
    """Faults of the schedules with a broken promise, run in a separate process."""
    with _processes(1) as pool:
        faults = pool.map(faults_of, schedules)
    return {schedule: each for schedule, each in zip(schedules, faults, strict=True) if each}


def make_smaller(schedule: Schedule, faults: tuple[str, ...]) -> Shrunk:
    """The smallest schedule found with the same broken promise, in a separate process."""
    with _processes(1) as pool:
        return pool.apply(shrink, (schedule, faults, faults_of))


def _chunks(seeds: list[int], most: int) -> Iterator[range]:
    """Ranges of neighbours, each of `most` seeds at most."""
    first = before = seeds[0]
    for seed in (*seeds[1:], -1):
        if seed != before + 1 or seed - first == most:
            yield range(first, before + 1)
            first = seed
        before = seed


def _processes(workers: int) -> Pool:
    # One thread for each process: numpy's own threads wait for one another where all cores are taken.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    context = multiprocessing.get_context("spawn")
    return context.Pool(workers, initializer=settle, maxtasksperchild=_PIECES_PER_PROCESS)


def settle() -> None:
    """Make a process fit for runs: silent, and collecting between lives only."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore", RuntimeWarning)  # of coroutines that never began before their process was killed
    sys.unraisablehook = _forget
    gc.collect()
    gc.freeze()
    gc.disable()


def _forget(_: object) -> None:
    """Ignore coroutines of a killed life, discarded wherever they waited."""


def run_piece(seeds: Iterable[int]) -> Piece:
    """Run some seeds, and sum them up."""
    began = perf_counter()
    results = [run(Schedule(seed), folder=_folder()) for seed in seeds]
    return {
        "campaign": "simulate",
        "first": results[0].seed,
        "seeds": len(results),
        "lives": sum(result.lives for result in results),
        "said": sum(result.said for result in results),
        "steps": sum(result.steps for result in results),
        "counts": dict(sum((Counter(result.counts) for result in results), Counter())),
        "failed": {str(result.seed): result.faults for result in results if result.faults},
        "process_s": round(perf_counter() - began, 2),
    }


def run_with_trace(schedule: Schedule) -> Result:
    """Run a schedule, with its trace."""
    return run(schedule, keeps_trace=True, folder=_folder())


def faults_of(schedule: Schedule) -> tuple[str, ...]:
    """Run a schedule for its faults."""
    return run(schedule, folder=_folder()).faults


def _folder() -> Path | None:
    return _MEMORY if os.access(_MEMORY, os.W_OK) else None
