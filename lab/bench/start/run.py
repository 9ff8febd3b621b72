"""Measurement of the agent's start: the real agent in a process of its own, on a loopback Discord, until it answers."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import SystemClock
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from lab.bench.process import MeasurementError
from lab.load.agent_process import AgentProcess
from lab.load.prepared_logs import make_logs
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID

TARGET_LOGS_S = 10.0
"""Until an answer with 100,000 logs."""
TARGET_EVENTS_S = 3.0
"""Until an answer with 100,000 events, the index being there."""
PATIENCE_S = 600.0
STOP_S = 60.0
_LOOK_S = 0.02
_INDEX_LOOK_S = 1.0
_ANSWER_S = 30.0
_CACHES = Path("/proc/sys/vm/drop_caches")

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """One start."""

    online_s: float
    """From the start of the process until Discord has it."""
    answers_s: float
    """Until what was said to it then is answered."""
    cpu_s: float
    """Of CPU that the process had used by then: what a busy machine does not lengthen."""
    stop_s: float
    online_mb: float
    """Resident memory after coming online, in MiB: before any message and any model call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts:
    """Starts of one data root, in their order."""

    logs: int
    events: int
    first: Start
    """Without an index."""
    index_s: float
    """From the first start until the index holds everything."""
    restarts: tuple[Start, ...]
    cold: Start | None
    """With nothing of the disk in memory; None where that cannot be had."""

    @property
    def slowest_s(self) -> float:
        """Until an answer, of the restarts."""
        return max(start.answers_s for start in self.restarts)


def measure(logs: int, events: int, say: Say, restarts: int = 3) -> Starts:
    """Start the agent on a data root made for it: once without an index, and then again.

    Args:
        logs: How many.
        events: In all of them together, at least.
        say: Is told what is being done now.
        restarts: How many.

    Raises:
        MeasurementError: the agent did not come online or did not answer.
    """
    with _folder() as folder, PlaygroundServer() as server:
        agent = AgentProcess(folder, _settings(server), server.bot_token)
        say(f"writing {logs} logs")
        agent.data.mkdir(mode=0o700)
        written = make_logs(agent.data, logs, events)
        runner = _Runner(agent, server)
        try:
            say("first start, without an index")
            first, index_s = runner.first(written // 3 * 2, say)
            again = []
            for number in range(1, restarts + 1):
                say(f"restart {number} of {restarts}")
                again.append(runner.start())
            say("restart with nothing of the disk in memory")
            cold = runner.start() if _drop_caches() else None
        finally:
            agent.stop(0)
    return Starts(logs=logs, events=written, first=first, index_s=index_s, restarts=tuple(again), cold=cold)


class _Runner:
    def __init__(self, agent: AgentProcess, server: PlaygroundServer) -> None:
        self._agent = agent
        self._server = server
        self._now = SystemClock().monotonic
        self._count = 0

    def first(self, turns: int, say: Say) -> tuple[Start, float]:
        """The start that makes an index of `turns` turns, and how long that took."""
        began_at = self._now()
        online_s, answers_s, cpu_s, online_mb = self._up()
        self._until_indexed(turns, began_at, say)
        index_s = self._now() - began_at
        stop_s = self._down()
        start = Start(online_s=online_s, answers_s=answers_s, cpu_s=cpu_s, stop_s=stop_s, online_mb=online_mb)
        return start, round(index_s, 2)

    def start(self) -> Start:
        """Measure a start and an end."""
        online_s, answers_s, cpu_s, online_mb = self._up()
        return Start(online_s=online_s, answers_s=answers_s, cpu_s=cpu_s, stop_s=self._down(), online_mb=online_mb)

    def _up(self) -> tuple[float, float, float, float]:
        began_at = self._now()
        self._agent.start()
        while True:
            try:
                self._server.wait_until_online(timeout_s=_LOOK_S)
                break
            except TimeoutError:
                if not self._agent.is_running or self._now() - began_at > PATIENCE_S:
                    raise self._error("the agent did not come online") from None
        online_s, online_mb = self._now() - began_at, _resident_mb(self._agent.pid)
        self._count += 1
        said = self._server.say(GENERAL_ID, f"Are you there, for the {self._count}th time?")
        try:
            self._server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
        except TimeoutError:
            raise self._error("the agent did not answer") from None
        answers_s, cpu_s = self._now() - began_at, self._agent.cpu_s() or 0.0
        return round(online_s, 2), round(answers_s, 2), round(cpu_s, 2), online_mb

    def _down(self) -> float:
        began_at = self._now()
        if self._agent.stop(STOP_S) != 0:
            raise self._error("the agent did not end well")
        self._server.wait_until_online(online=False, timeout_s=STOP_S)
        return round(self._now() - began_at, 2)

    def _until_indexed(self, turns: int, began_at: float, say: Say) -> None:
        rows = 0
        while rows < turns:
            if not self._agent.is_running or self._now() - began_at > PATIENCE_S:
                raise self._error(f"the index holds {rows} of {turns} turns")
            try:
                rows = int(ask_operator(self._agent.data, "memory.stats", _ANSWER_S, window="cli/operator")["rows"])
            except (AgentNotRunningError, RefusalError):
                continue  # it is busy with the index
            say(f"first start: {rows} of {turns} turns indexed")
            self._agent.wait(_INDEX_LOOK_S)

    def _error(self, reason: str) -> MeasurementError:
        return MeasurementError(f"{reason}; it said:\n{self._agent.complaints().end}")


def _settings(server: PlaygroundServer) -> str:
    """Defaults, but for a model that costs no time of its own."""
    return (
        f'[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
        f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\nreactions = false\nstream = "off"\n'
        '[model]\nname = "offline"\n'
    )


def _resident_mb(pid: int | None) -> float:
    """Memory that a process holds now, in MiB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1024**2, 1)


def _drop_caches() -> bool:
    """Have the kernel forget what it has read of the disk; whether that could be done."""
    os.sync()
    try:
        _CACHES.write_text("3\n")
    except OSError:  # for root alone
        return False
    return True


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="agent-start-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
