"""Memory of actors, and how fast they are made."""

from __future__ import annotations

from actors.kernel import ActorSpec, ActorSystem
from lab.bench.kernel.message import Ping
from lab.bench.kernel.passivation import Windows
from lab.bench.kernel.throughput import Counter, running_system
from lab.bench.measure import US, Figures, Finish, Stopwatch, rss_bytes, settle
from messages.base import Address

PING = Ping()
WAVE = 10_000
"""Windows that are in memory at once."""


def spawn(actors: int) -> Figures:
    """Actors are made by their first message, and each handles it."""
    awake = Finish(actors)
    system = _counting(awake)
    watch = Stopwatch()
    for number in range(actors):
        system.tell(Address("counter", str(number)), PING)
    awake.wait()
    elapsed = watch.read()
    return {"actors": actors, "actors_per_s": actors / elapsed.wall_s, "cpu_us": elapsed.cpu_s / actors * US}


def idle_bytes(actors: int) -> Figures:
    """Resident memory of supervised actors that have handled one message each and wait, addresses included."""
    awake = Finish(actors)
    system = _counting(awake)
    before = rss_bytes()
    for number in range(actors):
        system.tell(Address("counter", str(number)), PING)
    awake.wait()
    settle()
    return {"actors": actors, "bytes": (rss_bytes() - before) / actors}


def directory(windows: int, warm_up: int) -> Figures:
    """Resident memory that windows leave behind which came, handled one message and were passivated.

    The first `warm_up` windows only bring the process to its working size.
    """
    known = Windows()
    for begin in range(0, warm_up, WAVE):
        known.visit(begin, min(WAVE, warm_up - begin))
        known.passivate()
    settle()
    before = rss_bytes()
    for begin in range(warm_up, warm_up + windows, WAVE):
        known.visit(begin, min(WAVE, warm_up + windows - begin))
        known.passivate()
    settle()
    after = rss_bytes()
    living = known.living()
    known.stop()
    return {"windows": windows, "living": living, "bytes": max(0, after - before) / windows}


def _counting(awake: Finish) -> ActorSystem:
    return running_system(ActorSpec("counter", lambda _key: Counter(1, awake.come, awake.come)))
