"""Load campaign, one run: a loopback Discord and model here, the agent in a process of its own, all threads at once."""

from __future__ import annotations

import os
import platform
import queue
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import SystemClock
from lab.load.agent_process import AgentProcess
from lab.load.log_audit import LogAudit, audit_logs
from lab.load.report import Report, overhead
from lab.load.tally import LoadThread, Tally
from lab.load.wording import answer, question, read_answer, secret_of
from lab.loopback_model.server import LoopbackModel
from lab.playground.gateway.events import Event
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID

_MOST_CONNECTIONS = 8192
"""More than one bot of the largest campaign opens at a time."""
MODEL = "hosted_vllm/loopback"
ONLINE_S = 60.0
WARM_UP_S = 90.0
"""The first answer waits until litellm is imported."""
SILENCE_S = 90.0
"""Beyond the model's own time: nothing heard for so long means that nothing more will come."""
SILENCE_PER_THREAD_S = 0.05
"""Added to it: the first answer may come when every thread's message has been taken in."""
STOP_S = 60.0
LOOK_EVERY_S = 0.2
_DETAILS = 5
MOST_CALLS = 10_000
"""What the agent's settings allow."""


class LoadError(Exception):
    """The run could not take place; the text is for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Size of a run; counts >= 1."""

    threads: int
    turns: int
    """Messages of each thread, one after the other."""
    model_latency_s: float
    seed: str
    """Of the secrets."""
    timeout_s: float
    keep_in: Path | None = None
    """Where settings, data and stderr of the agent stay; None to remove them."""
    more: str = ""
    """Tables of agent.toml besides, in whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a run."""

    stage: str
    replied: int = 0
    total: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Measured:
    """Measurements of the agent's process before it ends."""

    agent_cpu_s: float | None
    tool_cpu_s: float
    peak_rss_mb: float
    timed_out: bool


def run(plan: Plan, on_progress: Callable[[Progress], None]) -> Report:
    """What the agent makes of `plan`; `on_progress` is called a few times a second.

    Raises:
        LoadError: the agent did not come online, or did not answer at all.
    """
    on_progress(Progress(stage="starting"))
    with (
        _folder(plan.keep_in) as folder,
        LoopbackModel(answer, latency_s=plan.model_latency_s, kept_requests=0) as model,
        PlaygroundServer(most_connections=_MOST_CONNECTIONS) as server,
    ):
        agent = AgentProcess(folder, _settings(server, model, plan), server.bot_token)
        load = _Load(plan, server, agent, on_progress)
        try:
            agent.start()
            load.warm_up()
            measured = load.drive()
            on_progress(Progress(stage="checking the logs"))
            exit_code = agent.stop(STOP_S)
        finally:
            agent.stop(0)
        return load.report(measured, exit_code, audit_logs(agent.data, load.logged))


@contextmanager
def _folder(keep_in: Path | None) -> Iterator[Path]:
    if keep_in is not None:
        keep_in.mkdir(parents=True, exist_ok=True)
        yield keep_in.absolute()
        return
    folder = Path(tempfile.mkdtemp(prefix="agent-load-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _settings(server: PlaygroundServer, model: LoopbackModel, plan: Plan) -> str:
    """Defaults but for the addresses, and room for a call of every thread at once."""
    calls = min(MOST_CALLS, max(256, plan.threads))
    return (
        f'[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
        f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\n'
        "turns_per_user = 10000\nreactions = false\n"  # one person says everything, and reactions are no answers
        f'[model]\nname = "{MODEL}"\napi_base = "{model.api_base}"\nconcurrency = {calls}\n{plan.more}'
    )


class _Load:
    """The people in the threads. The playground's thread counts, the caller's says the next thing."""

    def __init__(
        self, plan: Plan, server: PlaygroundServer, agent: AgentProcess, on_progress: Callable[[Progress], None]
    ) -> None:
        self._plan = plan
        self._server = server
        self._agent = agent
        self._on_progress = on_progress
        self._now = SystemClock().monotonic
        # Private threads: what is said there may not show anywhere else, whatever the memory's scope is.
        ids = [server.create_thread(GENERAL_ID, f"load {n}", private=True) for n in range(plan.threads + 1)]
        self._warm_up_id = ids.pop()
        self._warm_up = LoadThread(secret_of(plan.seed, plan.threads), turns=1)
        self._threads = {channel_id: LoadThread(secret_of(plan.seed, n)) for n, channel_id in enumerate(ids)}
        self.logged = {**self._threads, self._warm_up_id: self._warm_up}
        """All threads whose logs are checked, by id."""
        self._tally = Tally(self._threads)
        self._over: queue.SimpleQueue[int] = queue.SimpleQueue()
        """Threads whose turn has come to an end."""
        self._began_at = 0.0

    def warm_up(self) -> None:
        """Return when the agent is online and has answered something, for which litellm must be imported."""
        deadline = self._now() + ONLINE_S
        while True:
            try:
                self._server.wait_until_online(timeout_s=LOOK_EVERY_S)
                break
            except TimeoutError:
                if not self._agent.is_running or self._now() > deadline:
                    raise LoadError(self._with_stderr("the agent did not come online")) from None
        message_id = self._server.say(self._warm_up_id, question(self._warm_up.secret, 1))
        try:
            self._server.wait_for_reply(
                self._warm_up_id,
                after=message_id,
                timeout_s=WARM_UP_S + self._plan.model_latency_s,
                until=lambda message: read_answer(str(message["content"])) is not None,
            )
        except TimeoutError:
            raise LoadError(self._with_stderr("the agent did not answer its first message")) from None

    def drive(self) -> _Measured:
        """Say everything, each next message when the one before was answered."""
        self._server.subscribe(self._on_event)
        agent_cpu_s, tool_cpu_s = self._agent.cpu_s(), _own_cpu_s()
        self._began_at = self._tally.last_at = self._now()
        for channel_id in self._threads:
            self._say_next(channel_id)
        timed_out = self._follow()
        cpu_s = self._agent.cpu_s()
        return _Measured(
            agent_cpu_s=cpu_s - agent_cpu_s if cpu_s is not None and agent_cpu_s is not None else None,
            tool_cpu_s=_own_cpu_s() - tool_cpu_s,
            peak_rss_mb=self._agent.peak_rss_mb(),
            timed_out=timed_out,
        )

    def _follow(self) -> bool:
        """Go on until all threads are through; whether that was cut short."""
        running, looked_at = len(self._threads), 0.0
        while running:
            try:
                channel_id = self._over.get(timeout=LOOK_EVERY_S)
            except queue.Empty:
                if self._is_hopeless():
                    return True
            else:
                running -= not self._say_next(channel_id)
            if self._now() - looked_at >= LOOK_EVERY_S:
                looked_at = self._now()
                if looked_at - self._began_at > self._plan.timeout_s:
                    return True
                self._show_progress()
        return False

    def _say_next(self, channel_id: int) -> bool:
        """Say the thread's next message; False if it has said them all."""
        thread = self._threads[channel_id]
        if thread.turns == self._plan.turns:
            return False
        thread.turns += 1
        self._server.say(channel_id, question(thread.secret, thread.turns))
        return True

    def _is_hopeless(self) -> bool:
        patience_s = SILENCE_S + SILENCE_PER_THREAD_S * self._plan.threads + self._plan.model_latency_s
        return (
            not self._agent.is_running
            or self._now() - self._tally.last_at > patience_s
            or self._now() - self._began_at > self._plan.timeout_s
        )

    def _on_event(self, event: Event) -> None:
        """Count a message; on the playground's thread, at the moment at which it is posted."""
        channel_id = event.channel_id
        if channel_id is None or event.name not in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
            return
        payload, now = event.payload, self._now()
        if payload["author"]["id"] != str(BOT_ID):
            self._tally.said(channel_id, now)
        elif self._tally.heard(channel_id, int(payload["id"]), payload["content"], now):
            self._over.put(channel_id)

    def _show_progress(self) -> None:
        total = self._plan.threads * self._plan.turns
        seconds = self._now() - self._began_at
        self._on_progress(Progress(stage="answered", replied=self._tally.replied, total=total, seconds=seconds))

    def _with_stderr(self, reason: str) -> str:
        end = self._agent.complaints().end
        return f"{reason}; it said:\n{end}" if end else reason

    def report(self, measured: _Measured, exit_code: int | None, audit: LogAudit) -> Report:
        """Everything that was counted."""
        tally, complaints = self._tally, self._agent.complaints()
        seconds = tally.last_at - self._began_at
        per_turn = 1000 / tally.replied if tally.replied else 0.0
        cpu_s = measured.agent_cpu_s
        return Report(
            threads=self._plan.threads,
            turns=self._plan.turns,
            sent=sum(thread.turns for thread in self._threads.values()),
            replied=tally.replied,
            lost=len(tally.unanswered() | audit.missing),
            doubled=tally.doubled + audit.doubled,
            cross_talk=tally.cross_talk + audit.cross_talk,
            turns_per_s=round(tally.replied / seconds, 1) if seconds > 0 else 0.0,
            overhead_ms=overhead(tally.reply_times_s, self._plan.model_latency_s),
            peak_rss_mb=round(measured.peak_rss_mb, 1),
            restarts=complaints.restarts,
            model_latency_ms=self._plan.model_latency_s * 1000,
            seconds=round(seconds, 3),
            cpu_ms_per_turn=round(cpu_s * per_turn, 2) if cpu_s is not None and per_turn else None,
            tool_cpu_ms_per_turn=round(measured.tool_cpu_s * per_turn, 2) if per_turn else None,
            agent_errors=complaints.errors,
            agent_warnings=complaints.warnings,
            agent_exit_code=exit_code,
            unexpected=tally.unexpected,
            logs=audit.logs,
            broken_logs=len(audit.broken),
            timed_out=measured.timed_out,
            details=(*audit.broken[:_DETAILS], *complaints.samples, *tally.samples),
            seed=self._plan.seed,
            machine=_machine(),
        )


def _own_cpu_s() -> float:
    used = os.times()
    return used.user + used.system


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}"
