"""Measurement of the agent's start: the real agent in its own process, on a loopback Discord, until its answer.

A start after a kill is measured as well: SIGKILL comes right behind a question.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from actors.kernel import SystemClock
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.loopback_agent import PATIENCE_S, LoopbackAgent, discord_table
from lab.bench.measure import Figures
from lab.load.prepared_logs import make_logs
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID

STOP_S = 60.0
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
        agent = LoopbackAgent(Path(folder), server, _settings(server))
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
    def __init__(self, agent: LoopbackAgent, server: PlaygroundServer) -> None:
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
        self._agent.come_online()
        figures = {"online_s": self._now() - began_at, "online_mb": _resident_mb(self._agent.pid)}
        self._count += 1
        self._agent.ask(f"Are you there, for the {self._count}th time?")
        figures |= {"answers_s": self._now() - began_at, "cpu_s": self._agent.cpu_s() or 0.0}
        if turns:
            self._until_indexed(turns, say)
            figures["index_s"] = self._now() - began_at
        return figures | {"stop_s": self._down()}

    def _kill_a_life(self) -> None:
        self._agent.come_online()
        self._agent.ask("Is the index open?")  # a life that was used, not only started
        self._server.say(GENERAL_ID, "Who hears this?")
        self._agent.kill()
        self._agent.wait_until_gone(STOP_S)

    def _down(self) -> float:
        began_at = self._now()
        if self._agent.stop(STOP_S) != 0:
            raise self._agent.error("the agent did not end well")
        self._server.wait_until_online(online=False, timeout_s=STOP_S)
        return self._now() - began_at

    def _until_indexed(self, turns: int, say: Say) -> None:
        rows, before, grew_at = 0, 0, self._now()
        while rows < turns:
            if rows > before:
                before, grew_at = rows, self._now()
            if not self._agent.is_running or self._now() - grew_at > PATIENCE_S:
                raise self._agent.error(f"the index holds {rows} of {turns} turns")
            try:
                rows = int(ask_operator(self._agent.data, "memory.stats", _ANSWER_S, window="cli/operator")["rows"])
            except (AgentNotRunningError, RefusalError):
                continue  # it is busy with the index
            say(f"first start: {rows} of {turns} turns indexed")
            self._agent.wait(_INDEX_LOOK_S)


def _settings(server: PlaygroundServer) -> str:
    """Default settings, but for a model without delay."""
    return discord_table(server) + 'reactions = false\nstream = "off"\n[model]\nname = "offline"\n'


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
