"""Month of talk: each window sends a message each day, reminders fire, and the process is measured at quiet hours."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from actors.kernel import SystemClock
from actors.kernel.thread import Pool
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.loopback_agent import discord_table
from lab.bench.measure import Figures
from lab.bench.month.shared_clock import SharedClock
from lab.bench.process import CHECKOUT, MeasurementError, Program
from lab.load.agent_process import environment, read_complaints
from lab.load.meter import usage_of
from lab.loopback_model.server import LoopbackModel
from lab.playground.config import PlaygroundConfig
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID

GROUPS = 24
"""Hours of a day, in each of which some windows talk."""
HOUR_S = 3600
REMINDER_MARK = "month-reminder"
REPLY_S = 240.0
GROWTH = "growth"
WORKER = "worker-"
"""Beginning of the names of the kernel's workers; more of them are kept after hours of longer waits for the disk."""
Say = Callable[[str], object]


def measure(say: Say, *, days: int, windows: int, reminders: int) -> Rows:
    """Row of each fifth of the days, and the growth from the first of these to the last.

    Args:
        say: Told the current day.
        days: Simulated, at least 2.
        windows: Threads with a turn a day, every third turn with a command.
        reminders: Daily ones.

    Raises:
        MeasurementError: the agent does not come online, or work does not end.
    """
    with tempfile.TemporaryDirectory(prefix="agent-month-") as place:
        folder = Path(place)
        clock = SharedClock(folder / "clock")
        clock.set(first_morning())
        with PlaygroundServer(PlaygroundConfig(clock=clock)) as server, LoopbackModel(kept_requests=0) as model:
            return Month(folder, server, model, clock).run(say, days, windows, reminders)


class Month:
    """Agent with a Discord and a model."""

    def __init__(self, folder: Path, server: PlaygroundServer, model: LoopbackModel, clock: SharedClock) -> None:
        """Nothing runs yet.

        Args:
            folder: Empty but for the clock.
            server: Discord, on the clock.
            model: Model of the agent.
            clock: Time of the agent.
        """
        self._folder, self._server, self._model, self._clock = folder, server, model, clock
        self._data, self._log = folder / "data", folder / "stderr"
        self._turns = self._descriptors = 0

    def run(self, say: Say, days: int, windows: int, reminders: int) -> Rows:
        """Figures of the month."""
        self._write_reminders(reminders)
        rows: dict[str, Figures] = {}
        looks = {max(1, round(days * part / 5)) for part in range(1, 6)}
        with Program(self._command(), self._environment(), self._folder, self._log, is_heard=True) as program:
            self._wait_for(program)
            threads = [self._server.create_thread(GENERAL_ID, f"thread {number}") for number in range(windows)]
            for day in range(1, days + 1):
                say(f"day {day} of {days}")
                self._live_a_day(program, threads, day)
                if day in looks:
                    look = self._look(program)
                    rows[f"day {day}"] = look | {"owed": reminders * day - look["reminders"]}
        return rows | {GROWTH: growth(list(rows.values()))}

    def _live_a_day(self, program: Program, threads: list[int], day: int) -> None:
        for hour in range(GROUPS):
            messages = {thread: self._say(thread, day + hour) for thread in threads[hour::GROUPS]}
            for thread, message in messages.items():
                self._server.wait_for_reply(thread, after=message, timeout_s=REPLY_S)
            program.write_line(str(HOUR_S))
            self._wait_for(program)

    def _say(self, thread: int, number: int) -> int:
        self._turns += 1
        text = f"run: echo turn {self._turns}" if number % 3 == 0 else f"What about matter {self._turns}?"
        return self._server.say(thread, text)

    def _look(self, program: Program) -> Figures:
        """Figures of the process now."""
        usage, process = usage_of(program.pid), Path("/proc", str(program.pid))
        complaints = read_complaints(self._log.read_text(errors="replace"))
        sizes = [path.stat().st_size for path in self._data.rglob("*") if path.is_file() and not path.is_symlink()]
        return {
            "turns": self._turns,
            "reminders": self._count_reminders(),
            "rss_mb": usage.rss_mb if usage is not None else 0.0,
            "own_mb": _own_mb(process),
            "descriptors": self._descriptors,
            **_threads(process),
            "files": len(sizes),
            "files_mb": sum(sizes) / 2**20,
            "complaints": complaints.restarts + complaints.errors + complaints.warnings,
        }

    def _count_reminders(self) -> int:
        """Reminders in the channel."""
        messages = self._server.messages(GENERAL_ID, limit=1_000_000)
        return sum(REMINDER_MARK in str(each["content"]) for each in messages)

    def _write_reminders(self, count: int) -> None:
        """Write daily reminders, except for the hours before and after the end of a day here."""
        self._data.mkdir(0o700)
        times = (self._clock.now() + timedelta(minutes=61 + number * 1378 // max(1, count)) for number in range(count))
        lines = (
            f'- [ ] date={at:%Y-%m-%d} time={at:%H:%M} recur=daily msg="{REMINDER_MARK}" id=rid_{at:%H%M}{number:08}'
            for number, at in enumerate(times)
        )
        (self._data / "reminders.md").write_text("".join(f"{line}\n" for line in lines))

    def _wait_for(self, program: Program) -> None:
        """Return when the agent has carried out the command.

        Raises:
            MeasurementError: the agent did not.
        """
        answer, _, descriptors = program.read_line().partition(" ")
        if not descriptors:
            end = read_complaints(self._log.read_text(errors="replace")).end
            raise MeasurementError(f"the agent is {answer or 'gone'} on {self._clock.now():%d %B}; it said:\n{end}")
        self._descriptors = int(descriptors)

    def _command(self) -> tuple[str, ...]:
        """Start of the agent, with the defaults but for addresses."""
        server, config = self._server, self._folder / "agent.toml"
        config.write_text(
            f"data_root = {json.dumps(str(self._data))}\n{discord_table(server)}"
            f'turns_per_user = 10000\n[model]\nname = "hosted_vllm/loopback"\n'
            f'api_base = {json.dumps(self._model.api_base)}\n[embedder]\nprovider = "local"\n'
        )
        code = "from lab.bench.month.child import main; main()"
        return (sys.executable, "-P", "-c", code, str(os.getpid()), str(config), str(self._folder / "clock"))

    def _environment(self) -> Mapping[str, str]:
        scratch = self._folder / "scratch"
        scratch.mkdir()
        return environment(os.environ, self._server.bot_token) | {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(scratch)}


def first_morning() -> datetime:
    """Four o'clock of tomorrow: files have the machine's time, and the agent's clock must not be behind."""
    tomorrow = SystemClock().now() + timedelta(days=1)
    return tomorrow.replace(hour=4, minute=0, second=0, microsecond=0)


def _own_mb(process: Path) -> float:
    """Memory of a process in MiB without file pages, which the system reclaims when memory is short."""
    return int(re.findall(r"^RssAnon:\s*(\d+) kB$", (process / "status").read_text(), re.MULTILINE)[0]) / 1024


def _threads(process: Path) -> Figures:
    """Number of workers, of which the kernel keeps some for the next waits, and of all other threads."""
    names = [(task / "comm").read_text() for task in (process / "task").iterdir()]
    workers = sum(name.startswith(WORKER) for name in names)
    return {"workers": workers, "threads": len(names) - workers}


def growth(rows: list[Figures]) -> Figures:
    """Growth from the first to the last measurement, most workers, and owed texts and complaints at the last.

    Other threads are counted from the middle on: pools, such as a loop's pool for waits, are filled on demand.
    """
    first, middle, last = rows[0], rows[(len(rows) - 1) // 2], rows[-1]
    return {
        **{name: last[name] - first[name] for name in ("rss_mb", "own_mb", "descriptors", "files", "files_mb")},
        "threads": last["threads"] - middle["threads"],
        "workers": max(row["workers"] for row in rows),
        "complaints": last["complaints"],
        "owed": last["owed"],
    }


MONTH = Benchmark(
    name="month",
    measure=measure,
    targets=(
        Target("more memory, MiB", "own_mb", 32, row=GROWTH),
        Target("more descriptors", "descriptors", 3, row=GROWTH),
        Target("more threads, without workers", "threads", 3, row=GROWTH),
        Target("workers", "workers", Pool().workers + Pool().most_parked, row=GROWTH),
        Target("warnings, errors and crashes", "complaints", 0, row=GROWTH),
        Target("reminders that were not said", "owed", 0, row=GROWTH),
    ),
    columns=(
        Column("turns", "turns", ",.0f"),
        Column("reminders", "reminders", ",.0f"),
        Column("MiB", "own_mb", ".0f"),
        Column("with pages of files", "rss_mb", ".0f"),
        Column("descriptors", "descriptors", ".0f"),
        Column("workers", "workers", ".0f"),
        Column("other threads", "threads", ".0f"),
        Column("files", "files", ",.0f"),
        Column("MiB on disk", "files_mb", ".1f"),
        Column("warnings", "complaints", ".0f"),
    ),
)
