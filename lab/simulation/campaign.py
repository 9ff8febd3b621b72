"""Campaign: many seeds over processes of their own, one of which may be shown as it was."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from lab.simulation.world import Result, run

_MEMORY = Path("/dev/shm")
"""Files are kept in memory where that is possible: the machine's disk is not what is tried."""
_CHUNK = 5
_LIVES_PER_PROCESS = 400
"""Chunks after which a process is replaced, since its collector rests."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """Outcome of many seeds."""

    first: int
    seeds: int
    lives: int
    said: int
    steps: int
    harmed: dict[str, int]
    """Number of message events that were lost, late or doubled."""
    seconds: float
    workers: int
    failed: tuple[Result, ...]
    """Seeds that broke a promise, least first."""

    @property
    def is_sound(self) -> bool:
        """True if every seed kept every promise."""
        return not self.failed

    @property
    def seeds_per_s(self) -> float:
        """Of all processes together."""
        return self.seeds / self.seconds if self.seconds else 0.0


def simulate(
    first: int, seeds: int, *, workers: int = 0, tick: Callable[[int, int], None] = lambda _done, _failed: None
) -> Campaign:
    """Run `seeds` seeds from `first` on.

    Args:
        first: The least.
        seeds: How many, >= 1.
        workers: Processes; 0 for as many as the machine has cores for this one.
        tick: Told how many are done, and how many of them failed.
    """
    workers = min(workers or len(os.sched_getaffinity(0)), seeds)
    began, results, failed = perf_counter(), [], 0
    context = multiprocessing.get_context("spawn")
    with context.Pool(workers, initializer=settle, maxtasksperchild=_LIVES_PER_PROCESS) as pool:
        for result in pool.imap_unordered(run_quietly, range(first, first + seeds), chunksize=_CHUNK):
            results.append(result)
            failed += bool(result.faults)
            tick(len(results), failed)
    return Campaign(
        first=first,
        seeds=seeds,
        lives=sum(result.lives for result in results),
        said=sum(result.said for result in results),
        steps=sum(result.steps for result in results),
        harmed=dict(sum((Counter(result.harmed) for result in results), Counter())),
        seconds=perf_counter() - began,
        workers=workers,
        failed=tuple(sorted((result for result in results if result.faults), key=lambda result: result.seed)),
    )


def replay(seed: int) -> Result:
    """One seed with its whole schedule, in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1, initializer=settle) as pool:
        return pool.apply(run_with_trace, (seed,))


def settle() -> None:
    """Make a process fit for runs: silent, and collecting between lives only."""
    logging.disable(logging.CRITICAL)
    sys.unraisablehook = _forget
    gc.collect()
    gc.freeze()
    gc.disable()


def _forget(_: object) -> None:
    """Say nothing of coroutines of a killed life, which are thrown away wherever they waited, and whenever."""


def run_quietly(seed: int) -> Result:
    """Run a seed, without the schedule."""
    return run(seed, folder=_folder())


def run_with_trace(seed: int) -> Result:
    """Run a seed, with the schedule."""
    return run(seed, keeps_trace=True, folder=_folder())


def _folder() -> Path | None:
    return _MEMORY if os.access(_MEMORY, os.W_OK) else None
