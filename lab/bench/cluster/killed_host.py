"""Costs of a killed host: lost and doubled answers, and the wait of the other hosts' windows for answers."""

from __future__ import annotations

import os
import re
import signal
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from actors.cluster.placement import choose_host
from actors.kernel import SystemClock
from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from lab.bench.loopback_agent import LoopbackAgent, discord_table
from lab.bench.measure import Figures, percentile
from lab.load.wording import answer, question, read_answer, secret_of
from lab.loopback_model.server import LoopbackModel
from lab.playground.gateway.events import Event
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID
from messages.base import Surface, Window

HOSTS = 2
MODEL = "hosted_vllm/loopback"
ONLINE_S = 120.0
OVER_S = 240.0
STOP_S = 60.0
QUIET_S = 5.0
"""Seconds after the last answer, by which any duplicate answer would have come."""
_LOOK_S = 0.1
_PROCESS = re.compile(r"running, process ([0-9]+):")

Say = Callable[[str], None]


def measure(threads: int, latency_s: float, say: Say, *, kills: bool) -> Figures:
    """One message in each of `threads` threads at once; when all are in flight, a host is killed, or not.

    Raises:
        MeasurementError: the agent did not come online, or a thread could not be begun.
    """
    with tempfile.TemporaryDirectory(prefix="agent-bench-") as name:
        folder = Path(name)
        with (
            LoopbackModel(answer, latency_s=latency_s, kept_requests=0) as model,
            PlaygroundServer(most_connections=8192) as server,
        ):
            return _Measurement(folder, server, model, threads, say).run(kills=kills)


class _Measurement:
    def __init__(self, folder: Path, server: PlaygroundServer, model: LoopbackModel, threads: int, say: Say) -> None:
        self._server, self._show = server, say
        self._now = SystemClock().monotonic
        settings = (
            f"{discord_table(server)}turns_per_user = 10000\nreactions = false\n"
            f'[model]\nname = "{MODEL}"\napi_base = "{model.api_base}"\nconcurrency = {4 * threads}\n'
        )
        self._agent = LoopbackAgent(folder, server, settings, "--hosts", str(HOSTS))
        self._ids = [server.create_thread(GENERAL_ID, f"window {n}", private=True) for n in range(threads)]
        self._said_at: dict[int, float] = {}
        self._answered_at: dict[int, float] = {}
        self._doubled = 0
        self._turn = 0
        self._pause = threading.Event()

    def run(self, *, kills: bool) -> Figures:
        try:
            self._warm_up()
            processes = self._hosts()
            self._say_all(turn=2)
            self._show(f"{len(self._ids)} turns begun")
            self._until(lambda: self._count_logged() == len(self._ids), OVER_S)
            in_flight = len(self._ids) - len(self._answered_at)
            killed = min(processes) if kills else ""
            if killed:
                self._show(f"killing host {killed}")
                os.kill(processes[killed], signal.SIGKILL)
            self._until(lambda: len(self._answered_at) == len(self._ids), OVER_S)
            self._until(lambda: False, QUIET_S)
            return self._result(in_flight, killed, list(processes))
        finally:
            self._agent.stop(STOP_S)

    def _warm_up(self) -> None:
        """Run a turn in every thread, so each host has loaded the parts needed by a model's first call."""
        self._show("starting the agent")
        self._agent.come_online(ONLINE_S)
        self._server.subscribe(self._on_event)
        self._until(lambda: len(self._hosts()) == HOSTS, ONLINE_S)
        self._say_all(turn=1)
        self._until(lambda: len(self._answered_at) == len(self._ids), OVER_S)
        if len(self._answered_at) < len(self._ids):
            raise self._agent.error(f"only {len(self._answered_at)} of {len(self._ids)} first turns were answered")

    def _say_all(self, turn: int) -> None:
        self._turn, self._doubled = turn, 0
        self._said_at.clear()
        self._answered_at.clear()
        for number, thread in enumerate(self._ids):
            self._said_at[thread] = self._now()
            self._server.say(thread, question(secret_of("cluster", number), turn))

    def _on_event(self, event: Event) -> None:
        if event.name not in ("MESSAGE_CREATE", "MESSAGE_UPDATE") or event.channel_id not in self._said_at:
            return
        if event.payload["author"]["id"] != str(BOT_ID):
            return
        reply = read_answer(event.payload["content"])
        if reply is None or reply.turn != self._turn:
            return
        if event.channel_id in self._answered_at:
            self._doubled += event.name == "MESSAGE_CREATE"
        else:
            self._answered_at[event.channel_id] = self._now()

    def _count_logged(self) -> int:
        """Number of threads with this turn's message in the log."""
        words = f"This is turn {self._turn} of".encode()
        return sum(words in path.read_bytes() for path in self._agent.data.glob("logs/**/*.md"))

    def _hosts(self) -> dict[str, int]:
        """Process of each running host, by name."""
        try:
            status = ask_operator(self._agent.data, "status", 10.0)
        except (AgentNotRunningError, RefusalError):
            return {}
        processes = {name: _PROCESS.match(str(words)) for name, words in _figures_of(status).items()}
        return {name: int(match[1]) for name, match in processes.items() if match}

    def _until(self, is_so: Callable[[], bool], limit_s: float) -> None:
        deadline = self._now() + limit_s
        while not is_so() and self._now() < deadline:
            if not self._agent.is_running:
                raise self._agent.error("the agent ended")
            self._pause.wait(_LOOK_S)

    def _result(self, in_flight: int, killed: str, names: list[str]) -> Figures:
        """Figures of the run; `p95_s` is from a message to its answer, in windows of living hosts."""
        keys = {thread: Window(surface=Surface.DISCORD_THREAD, id=str(thread)).address.key for thread in self._ids}
        waits = [
            at - self._said_at[thread]
            for thread, at in self._answered_at.items()
            if choose_host(keys[thread], names) != killed
        ]
        return {
            "in_flight": in_flight,
            "answered": len(self._answered_at),
            "lost": len(self._ids) - len(self._answered_at),
            "doubled": self._doubled,
            "p95_s": percentile(waits, 0.95) if waits else 0.0,
        }


def _figures_of(status: dict[str, object]) -> dict[str, object]:
    actors = status.get("actors")
    cluster = actors.get("cluster") if isinstance(actors, dict) else None
    return cluster if isinstance(cluster, dict) else {}
