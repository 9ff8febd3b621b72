"""Drive: plays the phases of a profile on the stages, while the meter measures usage."""

from __future__ import annotations

import os
import threading
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from lab.load.agent_process import BotProcess
from lab.load.meter import Load, Look, Meter, Usage, bounded_by, harness_loads, idle_share, load_of
from lab.load.plan import Counted, Phase, Plan, Progress, State
from lab.load.remote import Remote
from lab.load.report import HarnessProcess, Overhead, PhaseReport, overhead

LOOK_EVERY_S = 0.1
SILENCE_S = 90.0
"""Seconds of silence, beyond the model's own time, taken as the end of messages."""
SILENCE_PER_THREAD_S = 0.05
"""Seconds added for each thread: the first answer may come only after every thread's message was received."""
SETTLED_S = 0.5
SETTLED_AT_LATEST_S = 20.0
QUIET_SHARE = 0.06
"""Share of a core up to which a bot counts as idle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """Finished phase."""

    phase: Phase
    counted: Counted
    looks: Sequence[Look] = field(repr=False)
    """Looks from the phase's beginning to its end."""
    after: Look
    """Look when the bot had finished the phase's work, or when the wait for the bot ended."""
    timed_out: bool
    overhead: Overhead

    @property
    def cpu_s(self) -> float | None:
        """CPU of the bot's processes, including the phase's work after the last answer."""
        first, last = self.looks[0].bot, self.after.bot
        return last.cpu_s - first.cpu_s if first is not None and last is not None else None

    @property
    def vectors_s(self) -> float:
        """Part of the CPU used by the local model for vectors."""
        first, last = self.looks[0].bot, self.after.bot
        return last.vectors_s - first.vectors_s if first is not None and last is not None else 0.0

    @property
    def load(self) -> Load | None:
        """Of the bot's processes."""
        return load_of([look.at for look in self.looks], [look.bot.cpu_s if look.bot else None for look in self.looks])

    @property
    def cpu_ms_per_turn(self) -> float | None:
        """CPU of the bot's processes per turn; None if unknown or without answers."""
        cpu_s, replied = self.cpu_s, self.counted.replied
        return round(cpu_s * 1000 / replied, 2) if cpu_s is not None and replied else None

    def report(self) -> PhaseReport:
        """Printed report of the phase."""
        seconds, bot = self.counted.seconds, self.after.bot
        return PhaseReport(
            name=self.phase.name,
            sent=self.counted.sent,
            replied=self.counted.replied,
            seconds=round(seconds, 3),
            turns_per_s=round(self.counted.replied / seconds, 1) if seconds > 0 else 0.0,
            late=self.counted.late,
            overhead_ms=self.overhead,
            cpu_ms_per_turn=self.cpu_ms_per_turn,
            rss_mb=round(bot.rss_mb, 1) if bot is not None else None,
            anon_mb=round(bot.anon_mb, 1) if bot is not None else None,
            timed_out=self.timed_out,
        )


class Drive:
    """Player of phases, one after the other, for use by a profile."""

    def __init__(
        self,
        plan: Plan,
        discord: Remote,
        model: Remote,
        bot: BotProcess,
        now: Callable[[], float],
        pause: threading.Event | None = None,
    ) -> None:
        """Begin without played phases.

        Args:
            plan: Plan of the run.
            discord: Stage with the crowd.
            model: Stage of the loopback model.
            bot: Bot under load.
            now: Monotonic clock, seconds.
            pause: Event whose setting ends every wait; a new event by default.
        """
        self.plan = plan
        self.played: list[Played] = []
        """Phases played so far, without the warm-up."""
        self.on_progress: Callable[[Progress], None] = lambda _progress: None
        self._discord = discord
        self._model = model
        self._bot = bot
        self._now = now
        self._pause = pause or threading.Event()
        pids = {"discord": discord.pid, "model": model.pid, "tool": os.getpid()}
        self.meter = Meter(bot.usage, pids, now)

    def open_threads(self, count: int) -> None:
        """Open `count` more threads; a phase names threads by number."""
        self._discord.call("open_threads", count)

    def windows_in_memory(self) -> int:
        """Number of windows in memory, by the running agent's own account; 1 without an answer."""
        try:
            answer = ask_operator(self._bot.folder / "data", "status", 10.0)
        except (AgentNotRunningError, RefusalError):
            return 1
        return int(answer["system"]["windows_in_memory"])

    def usage(self) -> Usage | None:
        """Present usage of the bot's processes."""
        return self._bot.usage()

    def model_calls(self) -> int:
        """Number of model calls so far."""
        return int(self._model.call("request_count"))

    def wait(self, seconds: float) -> None:
        """Let time pass, and look on."""
        until = self._now() + seconds
        while (left := until - self._now()) > 0:
            self._pause.wait(min(left, LOOK_EVERY_S))
            self.meter.look_if_due()

    def play(self, phase: Phase) -> Played:
        """Play a phase to its end, or until no further progress can be expected."""
        played = self.try_out(phase)
        self.played.append(played)
        return played

    def try_out(self, phase: Phase) -> Played:
        """Play a phase without counting the results."""
        began_at, first_look = self._now(), len(self.meter.looks)
        self.meter.look()
        self._discord.call("begin", phase)
        timed_out = False
        while True:
            state: State = self._discord.call("state")
            self.meter.look_if_due()
            self._show(phase, state, began_at)
            timed_out = not state.is_over and self._is_hopeless(state, began_at)
            if state.is_over or timed_out:
                break
            self._pause.wait(LOOK_EVERY_S)
        counted: Counted = self._discord.call("end")
        self.meter.look()
        looks = self.meter.looks[first_look:]
        return Played(
            phase=phase,
            counted=counted,
            looks=looks,
            after=self._wait_until_quiet(),
            timed_out=timed_out,
            overhead=overhead(counted.reply_times_s, self.plan.model_latency_s),
        )

    def _wait_until_quiet(self) -> Look:
        """Wait until the bot is nearly idle; a turn's work may come after its answer."""
        for _ in range(round(SETTLED_AT_LATEST_S / SETTLED_S)):
            before = self.meter.looks[-1]
            self._pause.wait(SETTLED_S)
            self.meter.look()
            now = self.meter.looks[-1]
            if before.bot is None or now.bot is None:
                break
            if now.bot.cpu_s - before.bot.cpu_s <= QUIET_SHARE * (now.at - before.at):
                break
        return self.meter.looks[-1]

    def _is_hopeless(self, state: State, began_at: float) -> bool:
        patience_s = SILENCE_S + SILENCE_PER_THREAD_S * self.plan.threads + self.plan.model_latency_s
        return not self._bot.is_running or state.silent_s > patience_s or self._now() - began_at > self.plan.timeout_s

    def _show(self, phase: Phase, state: State, began_at: float) -> None:
        stage = "answered" if phase.name == "burst" else f"answered ({phase.name})"
        seconds = self._now() - began_at
        self.on_progress(Progress(stage=stage, replied=state.replied, total=state.total, seconds=seconds))


def all_overhead(played: Sequence[Played], model_latency_s: float) -> Overhead:
    """Overhead over several phases."""
    times = array("d")
    for each in played:
        times.extend(each.counted.reply_times_s)
    return overhead(times, model_latency_s)


def harness_of(played: Sequence[Played], subject: str) -> tuple[tuple[HarnessProcess, ...], str]:
    """Usage of the harness over some phases, and the bound of the last phase."""
    replied = sum(each.counted.replied for each in played)
    if not replied:
        return (), "unknown"
    seconds = sum(each.looks[-1].at - each.looks[0].at for each in played)
    used = []
    for name in played[0].looks[0].harness:
        loads = [load for each in played if (load := harness_loads(each.looks).get(name)) is not None]
        cpu_s = sum(load.cpu_s for load in loads)
        used.append(
            HarnessProcess(
                name=name,
                cpu_ms_per_turn=round(cpu_s * 1000 / replied, 2),
                mean_share=round(cpu_s / seconds, 3) if seconds else 0.0,
                busiest_share=max((load.busiest_share for load in loads), default=0.0),
            )
        )
    last = played[-1]
    return tuple(used), bounded_by(subject, last.load, harness_loads(last.looks), idle_share(last.looks))
