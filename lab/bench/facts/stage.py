"""Stage of a measurement: the model's server and a gateway in front, each in a separate process."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from lab.bench.facts.client import Client, NoAnswerError
from lab.bench.facts.systems import System, free_port
from lab.bench.process import CHECKOUT, MeasurementError, Program
from lab.load.meter import ProcessGroup, Usage

_UPSTREAM = "from lab.bench.facts.upstream import main; main()"
START_S = 400.0
"""Longest start: of a peer that embeds ten thousand facts first."""
STOP_S = 30.0
SETTLE_S = 300.0
QUIET_S = 0.15
"""Seconds without a call and without work after which a gateway is done."""
_LOOK_S = 0.01
_STEP_S = 0.02
_MARK = "REMEMBRANCER_BENCH"
_BUSY_CPU_S = 0.015
"""More in a window than a program at rest may take."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Requests to the model's server so far."""

    calls: dict[str, int]
    texts: int
    """Number of embedded texts."""

    @property
    def total(self) -> int:
        """All calls."""
        return sum(self.calls.values())


class Upstream:
    """The model's server, as seen by the other processes."""

    def __init__(self, base: str) -> None:
        """Begin with a running server."""
        self.base = base
        self._client = Client(base)

    def client(self) -> Client:
        """A new client of the server, without a gateway between."""
        return Client(self.base)

    def requests(self) -> Seen:
        """Requests to the model's server so far."""
        counts = json.loads(self._client.get("counts"))
        return Seen(counts["calls"], counts["texts"])

    def close(self) -> None:
        """Close the client."""
        self._client.close()


@contextlib.contextmanager
def upstream(folder: Path, latency_s: float = 0.0) -> Iterator[Upstream]:
    """A model's server with a fixed latency for every answer."""
    inherited = {"PYTHONPATH": str(CHECKOUT), "OPENBLAS_NUM_THREADS": "1"}
    command = (sys.executable, "-P", "-c", _UPSTREAM, json.dumps({"latency_s": latency_s}))
    with Program(command, inherited, CHECKOUT, folder / "upstream.stderr", is_heard=True) as program:
        base = program.read_line()
        if not base:
            raise MeasurementError(f"the model's server did not start: {folder / 'upstream.stderr'}")
        its_own = Upstream(base)
        try:
            yield its_own
        finally:
            its_own.close()


class Gateway:
    """A running system; a context manager that kills the system at its end."""

    def __init__(self, system: System, place: Path, its_upstream: Upstream) -> None:
        """Start the gateway; `wait` waits for its readiness."""
        self.upstream = its_upstream
        self._log = place / "log"
        port = free_port()
        self.root = f"http://127.0.0.1:{port}"
        start = system.start(place, port, its_upstream.base)
        self._begun = perf_counter()
        self._program = Program(start.command, {**start.environment, _MARK: str(port)}, place, self._log)
        self._group = ProcessGroup(self._program.pid, f"{_MARK}={port}")

    @property
    def base(self) -> str:
        """Of the paths of OpenAI's."""
        return f"{self.root}/v1"

    def client(self) -> Client:
        """A new client of the gateway."""
        return Client(self.base)

    def wait(self) -> None:
        """Wait until the gateway is healthy.

        Raises:
            MeasurementError: the gateway has ended, or is not healthy within `START_S`.
        """
        pause = threading.Event()
        with Client(self.root) as client:
            while perf_counter() - self._begun < START_S and self._program.is_running:
                with contextlib.suppress(NoAnswerError):
                    client.get("/health")
                    return
                pause.wait(_LOOK_S)
        raise MeasurementError(f"a gateway did not start: {last_line(self._log)}")

    def age_s(self) -> float:
        """Seconds since the gateway's start."""
        return perf_counter() - self._begun

    def costs(self) -> Usage:
        """Costs of the gateway so far."""
        return self._group.look() or Usage(0.0, 0.0)

    def settle(self, quiet_s: float = QUIET_S) -> Seen:
        """Wait for `quiet_s` without requests and `QUIET_S` without work; return the requests so far.

        Raises:
            MeasurementError: the gateway has ended, or goes on after `SETTLE_S`.
        """
        begun = asked_at = worked = perf_counter()
        seen, cpu_s, pause = self.upstream.requests(), self.costs().cpu_s, threading.Event()
        while perf_counter() - asked_at < quiet_s or perf_counter() - worked < QUIET_S:
            pause.wait(_STEP_S)
            now, used_s = self.upstream.requests(), self.costs().cpu_s
            if now.total != seen.total:
                seen, asked_at = now, perf_counter()
            if used_s - cpu_s > _BUSY_CPU_S or _is_busy(self._program.pid):
                cpu_s, worked = used_s, perf_counter()
            if not self._program.is_running or perf_counter() - begun > SETTLE_S:
                raise MeasurementError(f"a gateway ended, or is not done: {last_line(self._log)}")
        return seen

    def stop(self) -> None:
        """Stop the gateway in good order.

        Raises:
            MeasurementError: the gateway had to be killed.
        """
        if not self._program.end(STOP_S):
            raise MeasurementError(f"a gateway did not end within {STOP_S:g} s: {last_line(self._log)}")

    def kill(self) -> None:
        """Kill the gateway."""
        self._program.kill()

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.__exit__()


def last_line(log: Path) -> str:
    """The last words of a program."""
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else "it said nothing"


def _is_busy(pid: int) -> bool:
    """True if a thread of the process runs, is ready to run, or waits for the disk."""
    with contextlib.suppress(OSError):  # it has ended
        states = (
            (task / "stat").read_text().rpartition(")")[2].split()[0] for task in Path(f"/proc/{pid}/task").iterdir()
        )
        return any(state in ("R", "D") for state in states)
    return False
