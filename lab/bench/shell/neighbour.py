"""Neighbour of an attacker: times of another window's command while one window takes all available resources."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lab.bench.measure import Figures, percentile
from lab.bench.shell.shells import PATIENCE_S, Shells

ATTACK_S = 4.0
WARM_S = 0.2
"""After so long an attack is in full swing."""
_PYTHON = "python3 -I -S -c '{}'"
ATTACKS = {
    "spinning": "for n in {1..40}; do while :; do :; done & done; sleep 60",
    "forking": "swarm() { swarm | swarm & }; while :; do swarm; sleep 0.1; done 2>/dev/null",
    "writing": "while :; do head -c 90M /dev/zero > f; rm f; done",
    "output": "yes & yes & yes & yes & sleep 60",
    "memory": _PYTHON.format("while True: x = bytearray(1 << 29)"),
    "names": _PYTHON.format('import os\nwhile True:\n    open("a", "w").close(); os.rename("a", "b"); os.unlink("b")'),
}
"""Name -> command of an attack, running until killed."""


def neighbour(shells: Shells, level: str, *, seconds: float = ATTACK_S) -> Figures:
    """p95 of another window's `true` alone, and the ratio during each attack."""
    alone = _times(shells, level, seconds)
    figures: Figures = {"alone_p95_ms": percentile(alone, 0.95)}
    for name, attack in ATTACKS.items():
        with _under(shells, level, attack):
            times = _times(shells, level, seconds)
        figures[name] = percentile(times, 0.95) / percentile(alone, 0.95)
    return figures


def _times(shells: Shells, level: str, seconds: float) -> list[float]:
    """Milliseconds of each of a window's smallest commands, ten a second."""
    times = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        began = time.perf_counter()
        shells.result(shells.tell(level, "true", number=1))
        times.append((time.perf_counter() - began) * 1000)
        threading.Event().wait(max(0.0, 0.1 - times[-1] / 1000))
    return times


@contextmanager
def _under(shells: Shells, level: str, attack: str) -> Iterator[None]:
    request_id = shells.tell(level, attack, number=2, timeout_s=PATIENCE_S)
    threading.Event().wait(WARM_S)
    try:
        yield
    finally:
        shells.cancel(level, request_id)
        shells.result(request_id)
