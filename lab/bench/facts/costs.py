"""Costs of a running program and of all that it has started, as the system counts them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from actors.linux.processes import descendants

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Costs:
    """Sums over a tree of processes."""

    cpu_s: float
    """Ended children counted."""
    rss_mb: float
    written_bytes: int
    """Handed to the disk, by whole pages."""


def costs(pid: int) -> Costs:
    """Of a process and its children's children; all zero when it has ended."""
    cpu, rss, written = 0.0, 0, 0
    for each in {pid, *descendants(pid)}:
        fields = _read(each, "stat").rpartition(")")[2].split()
        if fields:
            cpu += sum(int(field) for field in fields[11:15]) / _TICKS
        rss += int(_field(each, "status", r"^VmRSS:\s*(\d+) kB"))
        written += int(_field(each, "io", r"^write_bytes: (\d+)"))
    return Costs(cpu, rss / 1024, written)


def is_busy(pid: int) -> bool:
    """True if a thread of the tree runs, is ready to run, or waits for the disk."""
    return any(_state(task) in ("R", "D") for each in {pid, *descendants(pid)} for task in _tasks(each))


def _tasks(pid: int) -> list[Path]:
    try:
        return list((_PROC / str(pid) / "task").iterdir())
    except OSError:  # it has ended
        return []


def _state(task: Path) -> str:
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:  # it has ended
        return ""


def _field(pid: int, file: str, pattern: str) -> str:
    match = re.search(pattern, _read(pid, file), re.MULTILINE)
    return match[1] if match else "0"


def _read(pid: int, file: str) -> str:
    try:
        return (_PROC / str(pid) / file).read_text()
    except OSError:  # it has ended
        return ""
