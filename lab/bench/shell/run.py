"""Measurements of a sandbox: start cost per command, a flood of output, how fast a cancelled command is gone."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from actors.shell.launch import probe_bash
from actors.shell.sandbox.choice import sandbox_level
from lab.bench.benchmark import Benchmark, Column, Target
from lab.bench.measure import Figures, percentile
from lab.bench.shell.neighbour import ATTACK_S, ATTACKS, neighbour
from lab.bench.shell.shells import PATIENCE_S, Shells, open_shells
from messages.shell import BashOutcome

PLAIN = "none"
WRAPPERS = ("bwrap", "bundled")
WINDOWS = 64
STUCK = 4
STUCK_TIMEOUT_S = 5.0
FLOOD_BYTES = 2_000_000_000
DAEMONS = 6
_DAEMONS = """
for ((i = 0; i < {daemons}; i++)); do
    (setsid bash -c "trap '' TERM INT HUP; sleep {marker}" || sleep {marker}) > /dev/null 2>&1 &
done
trap '' TERM INT HUP
echo > begun
sleep {marker}
"""

Say = Callable[[str], None]


def measure(say: Say, *, quick: bool) -> dict[str, Figures]:
    """Level -> figures, for all levels working here; the unwrapped level is `none`."""
    levels = (PLAIN, *available())
    with open_shells(levels) as shells:
        say("start cost")
        figures = start_cost(shells, levels, rounds=20 if quick else 150)
        for level in levels:
            say(f"{level}: {WINDOWS} windows at once")
            figures[level] |= at_once(shells, level)
            say(f"{level}: flood")
            figures[level] |= flood(shells, level, FLOOD_BYTES // 20 if quick else FLOOD_BYTES)
            if level != PLAIN:
                say(f"{level}: cancelling")
                figures[level] |= cancelling(shells, level, rounds=5 if quick else 40)
                say(f"{level}: beside an attacker")
                figures[level] |= neighbour(shells, level, seconds=0.5 if quick else ATTACK_S)
    return figures


def available() -> tuple[str, ...]:
    """Wrappers working on this machine."""
    bash = probe_bash()
    return tuple(name for name in WRAPPERS if bash and not sandbox_level(name, bash).refusal)


def start_cost(shells: Shells, levels: tuple[str, ...], rounds: int) -> dict[str, Figures]:
    """Time from the request to the result of `true`; levels take turns, so noise affects all levels alike."""
    times: Mapping[str, list[float]] = {level: [] for level in levels}
    for _ in range(rounds):
        for level, of_level in times.items():
            began = time.perf_counter()
            shells.result(shells.tell(level, "true"))
            of_level.append((time.perf_counter() - began) * 1000)
    p95_ms = {level: percentile(of_level, 0.95) for level, of_level in times.items()}
    return {level: {"start_p95_ms": ms, "above_plain_p95_ms": ms - p95_ms[PLAIN]} for level, ms in p95_ms.items()}


def at_once(shells: Shells, level: str) -> Figures:
    """Commands of many windows at the same moment, a few hanging until their timeout."""
    began = time.perf_counter()
    stuck = [shells.tell(level, "sleep 600", number, STUCK_TIMEOUT_S) for number in range(STUCK)]
    brief = [shells.tell(level, "echo done", number) for number in range(STUCK, WINDOWS)]
    finished = sum(shells.result(request_id).text == "done" for request_id in brief)
    brief_s = time.perf_counter() - began
    timed_out = sum(shells.result(request_id).outcome is BashOutcome.TIMED_OUT for request_id in stuck)
    return {
        "unfinished": WINDOWS - finished - timed_out,
        "brief_s": brief_s,
        "brief_share": brief_s / STUCK_TIMEOUT_S,
    }


def flood(shells: Shells, level: str, size: int) -> Figures:
    """Peak memory of this process for so much output."""
    shells.result(shells.tell(level, "seq 3000"))
    Path("/proc/self/clear_refs").write_text("5")
    before = _peak_bytes()
    began = time.perf_counter()
    shells.result(shells.tell(level, f"head -c {size} /dev/zero"))
    return {"flood_s": time.perf_counter() - began, "flood_memory_mb": (_peak_bytes() - before) / 1e6}


def cancelling(shells: Shells, level: str, rounds: int) -> Figures:
    """Time from the order to cancel until no descendant lives: daemons in sessions of their own, deaf to signals."""
    times = []
    fifo = shells.workdir(level) / "begun"
    os.mkfifo(fifo)
    for number in range(rounds):
        marker = f"600.{os.getpid()}{number:04}"
        request_id = shells.tell(level, _DAEMONS.format(daemons=DAEMONS, marker=marker))
        fifo.read_text()
        began = time.perf_counter()
        shells.cancel(level, request_id)
        shells.result(request_id)
        while _lives(marker):
            if time.perf_counter() - began > PATIENCE_S:
                raise RuntimeError(f"{level}: a descendant outlives its command")
        times.append((time.perf_counter() - began) * 1000)
    return {"cancel_p95_ms": percentile(times, 0.95)}


def _lives(marker: str) -> bool:
    """True if a process on the machine has `marker` in its command line; dead processes have no command line."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes():
                    return True
            except (FileNotFoundError, ProcessLookupError):
                continue
    return False


def _peak_bytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


SHELL = Benchmark(
    name="shell",
    measure=measure,
    is_upright=True,
    targets=(
        Target("start p95 above plain bash, ms", "above_plain_p95_ms", 15, is_speed=True),
        Target("of 64 at once, unfinished", "unfinished", 0),
        Target("of 64 at once, brief ones' share of the time-out", "brief_share", 1, is_speed=True),
        Target("memory of a flood of output, MB", "flood_memory_mb", 20, is_speed=True),
        Target("cancel until all are gone p95, ms", "cancel_p95_ms", 250, is_speed=True),
        *(
            Target(f"another window's p95 beside an attacker ({name}), times that alone", name, 2, is_speed=True)
            for name in ATTACKS
        ),
    ),
    columns=(
        Column("start p95, ms", "start_p95_ms"),
        Column("start p95 above plain bash, ms", "above_plain_p95_ms"),
        Column("64 at once, of which 4 hang: the others done after, s", "brief_s"),
        Column("flood of 2 GB, s", "flood_s"),
        Column("memory of it, MB", "flood_memory_mb"),
        Column("cancel until all are gone p95, ms", "cancel_p95_ms"),
        Column("another window's command p95, ms", "alone_p95_ms"),
        *(Column(f"times that, beside {name}", name) for name in ATTACKS),
    ),
    promises=frozenset({"unfinished"}),
    missing=lambda: (f"not measured: {name} does not work here" for name in WRAPPERS if name not in available()),
    note=f"{PLAIN}: plain bash.",
)
