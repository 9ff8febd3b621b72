"""Meter: use of the bot, the harness and the machine by Linux's counts, looked at twice a second, and who is busy."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20
_ZOMBIE = "Z"
_WITHOUT_FILE = re.compile(r"^Rss(?:Anon|Shmem):\s*(\d+) kB$", re.MULTILINE)
"""Lines of a process's status; a dead process has no lines."""
VECTORS = "embedder-local"
"""Name of the threads of the local model."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Use of one process, or of several together."""

    cpu_s: float
    """CPU of all threads, and of ended and awaited children."""
    rss_mb: float
    """Resident memory now; memory shared by processes counts in each."""
    processes: int = 1
    vectors_s: float = 0.0
    """CPU of the first process's threads for vectors of the local model."""
    anon_mb: float = 0.0
    """Part of `rss_mb` in no file: all but the pages of mapped files, reclaimable by the system at any time."""


@dataclass(frozen=True, slots=True)
class _Stat:
    parent: int
    cpu_s: float
    rss_mb: float
    anon_mb: float
    is_dead: bool


def usage_of(pid: int | None) -> Usage | None:
    """Use of one process; None if the process has ended, or if the system does not report usage."""
    stat = _stat(pid) if pid is not None else None
    return Usage(stat.cpu_s, stat.rss_mb, anon_mb=stat.anon_mb) if stat is not None else None


def machine_idle_s() -> float | None:
    """Idle seconds of all the machine's CPUs since the start, added up; None if not reported."""
    try:
        fields = (_PROC / "stat").read_text().partition("\n")[0].split()
    except OSError:
        return None
    return (int(fields[4]) + int(fields[5])) / _TICKS


class ProcessGroup:
    """Processes of a group: all descendants of a process, and all processes with the group's mark in their environment.

    A worker of a cluster is no descendant, and a command in a sandbox has an environment of its own.
    """

    def __init__(self, root: int, mark: str) -> None:
        """Begin without looks.

        Args:
            root: Process id of the group's first process.
            mark: `NAME=value`, found only in the environment of the group's processes.
        """
        self._root = root
        self._mark = mark.encode()
        self._ours = {root}
        self._others: set[int] = {os.getpid()}
        self._seen: dict[int, _Stat] = {}
        self._ended_s = 0.0
        """CPU of ended processes without a waiting parent in the group."""

    def look(self) -> Usage | None:
        """Present usage of all processes; None if the system has no figures."""
        pids = {int(entry) for entry in os.listdir(_PROC) if entry.isdecimal()} if _PROC.is_dir() else set()  # noqa: PTH208
        self._others &= pids
        for pid in sorted(pids - self._ours - self._others):
            (self._ours if self._belongs(pid) else self._others).add(pid)
        stats = {pid: stat for pid in self._ours & pids if (stat := _stat(pid)) is not None}
        for pid in self._ours - stats.keys():
            gone = self._seen.pop(pid, None)
            if gone is not None and gone.parent not in self._ours:
                self._ended_s += gone.cpu_s
        self._ours = set(stats) | {self._root}
        self._seen = stats
        if not stats:
            return None
        return Usage(
            cpu_s=self._ended_s + sum(stat.cpu_s for stat in stats.values()),
            rss_mb=sum(stat.rss_mb for stat in stats.values()),
            processes=sum(not stat.is_dead for stat in stats.values()),
            vectors_s=cpu_of_threads(self._root).get(VECTORS, 0.0),
            anon_mb=sum(stat.anon_mb for stat in stats.values()),
        )

    def _belongs(self, pid: int) -> bool:
        stat = _stat(pid)
        if stat is None:
            return False
        if stat.parent in self._ours:
            return True
        try:
            return self._mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
        except OSError:  # another user's, or it has ended
            return False


def cpu_of_threads(pid: int) -> dict[str, float]:
    """Seconds of CPU of a process's threads, by their names; empty where the system does not tell."""
    used = defaultdict[str, float](float)
    for task in _PROC.glob(f"{pid}/task/*"):
        try:
            name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:  # it has ended
            continue
        used[name] += sum(map(int, rest.split()[11:13])) / _TICKS
    return dict(used)


def _stat(pid: int) -> _Stat | None:
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        status = (_PROC / str(pid) / "status").read_text()
    except OSError:  # it has ended, or this is another system than Linux
        return None
    return _Stat(
        parent=int(fields[1]),
        cpu_s=sum(map(int, fields[11:15])) / _TICKS,
        rss_mb=int(fields[21]) * _PAGE_MB,
        anon_mb=sum(map(int, _WITHOUT_FILE.findall(status))) / 1024,
        is_dead=fields[0] == _ZOMBIE,
    )


LOOK_EVERY_S = 0.5
_WINDOW_S = 0.9
"""Shares of a core are of so much time at least: the system counts in hundredths of a second."""
_BUSY = 0.85
"""Share of a core above which an event loop counts as full."""
_IDLE = 0.08
"""Idle share of the whole machine below which the machine counts as full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Measurement of all processes at one time."""

    at: float
    bot: Usage | None
    harness: Mapping[str, float]
    """Process -> seconds of CPU so far."""
    idle_s: float | None
    """Of the whole machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Load of one process, or of the bot's processes together, over some time."""

    cpu_s: float
    mean_share: float
    """Of a core."""
    busiest_share: float
    """In the busiest second."""


class Meter:
    """Looks, in their order."""

    def __init__(
        self, bot: Callable[[], Usage | None], harness: Mapping[str, int | None], now: Callable[[], float]
    ) -> None:
        """Begin without looks.

        Args:
            bot: Gives the bot's usage so far.
            harness: Name -> process id.
            now: Monotonic clock, seconds.
        """
        self._bot = bot
        self._harness = harness
        self._now = now
        self.looks: list[Look] = []

    def look(self) -> None:
        """Look now."""
        harness = {name: used.cpu_s for name, pid in self._harness.items() if (used := usage_of(pid)) is not None}
        self.looks.append(Look(at=self._now(), bot=self._bot(), harness=harness, idle_s=machine_idle_s()))

    def look_if_due(self) -> None:
        """Look when the last time is half a second ago."""
        if not self.looks or self._now() - self.looks[-1].at >= LOOK_EVERY_S:
            self.look()


def load_of(times: Sequence[float], cpu_s: Sequence[float | None]) -> Load | None:
    """Load by a process's CPU at each of some times; None if a value is missing."""
    known = [used for used in cpu_s if used is not None]
    if len(known) < len(cpu_s) or len(known) < 2 or times[-1] <= times[0]:
        return None
    used = known[-1] - known[0]
    mean = used / (times[-1] - times[0])
    busiest, start = mean, 0
    for end, at in enumerate(times):
        while at - times[start + 1 if start + 1 <= end else start] >= _WINDOW_S:
            start += 1
        if at - times[start] >= _WINDOW_S:
            busiest = max(busiest, (known[end] - known[start]) / (at - times[start]))
    return Load(cpu_s=used, mean_share=round(mean, 3), busiest_share=round(busiest, 3))


def harness_loads(looks: Sequence[Look]) -> dict[str, Load]:
    """Load of each process of the harness with values at all looks."""
    times = [look.at for look in looks]
    loads = {name: load_of(times, [look.harness.get(name) for look in looks]) for name in looks[0].harness}
    return {name: load for name, load in loads.items() if load is not None}


def idle_share(looks: Sequence[Look], cpus: int = os.cpu_count() or 1) -> float | None:
    """Idle share of the whole machine between the first look and the last."""
    first, last = looks[0], looks[-1]
    if first.idle_s is None or last.idle_s is None or last.at <= first.at:
        return None
    return (last.idle_s - first.idle_s) / (last.at - first.at) / cpus


def bounded_by(subject: str, bot: Load | None, harness: Mapping[str, Load], idle: float | None) -> str:
    """Bound of the rate: the bot, the harness, the machine, or only the traffic itself."""
    if bot is None or not harness:
        return "unknown"
    name, most = max(((name, load.mean_share) for name, load in harness.items()), key=lambda each: each[1])
    if most >= _BUSY and most > bot.mean_share:
        return f"harness ({name})"
    if bot.mean_share >= _BUSY:
        return subject
    if idle is not None and idle <= _IDLE:
        return "machine"
    return "traffic"
