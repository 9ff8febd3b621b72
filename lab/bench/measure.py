"""Instruments of every measurement: stopwatch, resident memory, a barrier to wait for, percentiles."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

Figures = dict[str, float]
"""Figures of one run of one measurement, by name with the unit in the name."""

PATIENCE_S = 240.0
"""Seconds after which an unfinished run has failed."""
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
US = 1_000_000


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Elapsed time, and share of the processors."""

    wall_s: float
    cpu_s: float

    def per_message(self, count: int) -> Figures:
        """Rate and CPU of `count` messages."""
        return {
            "messages": count,
            "msg_per_s": count / self.wall_s,
            "cpu_us": self.cpu_s / count * US,
        }


class Stopwatch:
    """Wall clock and CPU clock; runs from its creation."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self) -> Elapsed:
        """Elapsed time so far; CPU of all threads."""
        return Elapsed(time.perf_counter() - self._wall, time.process_time() - self._cpu)


class Finish:
    """Countdown latch: calls `on_all` when as many as `parties` have come in; any thread may come."""

    def __init__(self, parties: int, on_all: Callable[[], object] | None = None) -> None:
        self._over = threading.Event()
        self._on_all = on_all or self._over.set
        self._parties = parties
        self._arrivals = itertools.count(1)

    def arrive(self) -> None:
        """Count one more as done."""
        if next(self._arrivals) == self._parties:
            self._on_all()

    def wait(self) -> None:
        """Return when all are done.

        Raises:
            TimeoutError: not all were done within `PATIENCE_S`.
        """
        if not self._over.wait(PATIENCE_S):
            raise TimeoutError(f"{self._parties} did not finish within {PATIENCE_S:g} s")


def settle() -> None:
    """Collect garbage, and exempt live objects from later collections: the agent does the same after the start."""
    gc.collect()
    gc.freeze()


def silence_log() -> None:
    """Make no log records: their cost is not the runtime's."""
    logging.disable(logging.CRITICAL)


def rss_bytes() -> int:
    """Resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


def percentile(values: Sequence[float], share: float) -> float:
    """Percentile of `values` at `share` (a fraction); nearest rank, of at least one value."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
