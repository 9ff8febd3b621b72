"""Measurement of the agent's start: the real agent in its own process, on a loopback Discord, until its answer.

A start after a kill is measured as well: SIGKILL comes right behind a question.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

from actors.kernel import SystemClock
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.measure import Figures
from lab.bench.process import MeasurementError
from lab.load.agent_process import AgentProcess
from lab.load.prepared_logs import make_logs
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID

PATIENCE_S = 600.0
STOP_S = 60.0
_LOOK_S = 0.02
_INDEX_LOOK_S = 1.0
_ANSWER_S = 30.0
KILLED = "after a kill"
_CACHES = Path("/proc/sys/vm/drop_caches")

Say = Callable[[str], object]


def measure(say: Say, *, logs: int, events: int, restarts: int = 3) -> Rows:
    """Start the agent on a data root made for it: without an index, again, after a kill, and with a cold disk.

    Raises:
        MeasurementError: the agent did not come online or did not answer.
    """
    with tempfile.TemporaryDirectory(prefix="agent-start-") as folder, PlaygroundServer() as server:
        agent = AgentProcess(Path(folder), _settings(server), server.bot_token)
        say(f"writing {logs} logs")
        agent.data.mkdir(mode=0o700)
        written = make_logs(agent.data, logs, events)
        runner, rows = _Runner(agent, server), dict[str, Figures]()
        try:
            say("first start, without an index")
            rows["first"] = {"events": written, **runner.start(written // 3 * 2, say)}
            for number in range(1, restarts + 1):
                say(f"restart {number} of {restarts}")
                rows[f"again, {number}"] = runner.start()
            say("restart after a kill")
            rows[KILLED] = runner.start(is_killed_before=True)
            say("restart with nothing of the disk in memory")
            if _drop_caches():
                rows["cold"] = runner.start()
        finally:
            agent.stop(0)
    return rows


class _Runner:
    def __init__(self, agent: AgentProcess, server: PlaygroundServer) -> None:
        self._agent = agent
        self._server = server
        self._now = SystemClock().monotonic
        self._count = 0

    def start(self, turns: int = 0, say: Say = lambda _: None, *, is_killed_before: bool = False) -> Figures:
        """Measure a start and an end; with `turns`, also the time until the index holds as many.

        With `is_killed_before` another life before this one is killed right behind a question.
        """
        if is_killed_before:
            self._kill_a_life()
        began_at = self._now()
        self._come_online(began_at)
        figures = {"online_s": self._now() - began_at, "online_mb": _resident_mb(self._agent.pid)}
        self._count += 1
        message_id = self._server.say(GENERAL_ID, f"Are you there, for the {self._count}th time?")
        try:
            self._server.wait_for_reply(GENERAL_ID, after=message_id, timeout_s=PATIENCE_S)
        except TimeoutError:
            raise self._error("the agent did not answer") from None
        figures |= {"answers_s": self._now() - began_at, "cpu_s": self._agent.cpu_s() or 0.0}
        if turns:
            self._until_indexed(turns, say)
            figures["index_s"] = self._now() - began_at
        return figures | {"stop_s": self._down()}

    def _come_online(self, began_at: float) -> None:
        self._agent.start()
        while True:
            try:
                self._server.wait_until_online(timeout_s=_LOOK_S)
                return
            except TimeoutError:
                if not self._agent.is_running or self._now() - began_at > PATIENCE_S:
                    raise self._error("the agent did not come online") from None

    def _kill_a_life(self) -> None:
        self._come_online(self._now())
        assert self._agent.pid is not None
        self._server.say(GENERAL_ID, "Who hears this?")
        os.kill(self._agent.pid, signal.SIGKILL)
        self._agent.wait(STOP_S)
        self._server.wait_until_online(online=False, timeout_s=STOP_S)

    def _down(self) -> float:
        began_at = self._now()
        if self._agent.stop(STOP_S) != 0:
            raise self._error("the agent did not end well")
        self._server.wait_until_online(online=False, timeout_s=STOP_S)
        return self._now() - began_at

    def _until_indexed(self, turns: int, say: Say) -> None:
        rows, before, grew_at = 0, 0, self._now()
        while rows < turns:
            if rows > before:
                before, grew_at = rows, self._now()
            if not self._agent.is_running or self._now() - grew_at > PATIENCE_S:
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
    """Default settings, but for a model without delay."""
    return (
        f'[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
        f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\nreactions = false\nstream = "off"\n'
        '[model]\nname = "offline"\n'
    )


def _resident_mb(pid: int | None) -> float:
    """Memory held by a process, in MiB; 0 if the system does not report a value."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1024**2, 1)


def _drop_caches() -> bool:
    """Drop the kernel's disk caches; True if done."""
    os.sync()
    try:
        _CACHES.write_text("3\n")
    except OSError:  # for root alone
        return False
    return True


START = Benchmark(
    name="start",
    measure=measure,
    targets=(Target("first answer after a kill, s", "answers_s", 6.0, row=KILLED, is_speed=True),),
    columns=(
        Column("events", "events", ",.0f"),
        Column("online, s", "online_s", ".2f"),
        Column("answers, s", "answers_s", ".2f"),
        Column("CPU until then, s", "cpu_s", ".2f"),
        Column("all indexed, s", "index_s", ".2f"),
        Column("stop, s", "stop_s", ".2f"),
        Column("MiB online", "online_mb", ".1f"),
    ),
)
