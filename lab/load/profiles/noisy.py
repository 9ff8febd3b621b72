"""Noisy: one thread floods; the others' p95 beside what it is without, by turns in one life of the bot."""

from __future__ import annotations

from lab.load.drive import Drive, Played, all_overhead
from lab.load.plan import Phase
from lab.load.profiles.profile import Profile, at_most, measured
from lab.load.report import Verdict

ROUNDS = 2
FLOOD = 50
"""Messages that the flooding thread has unanswered all the time."""
MOST = 1.2
"""Times the others' p95 without the flood."""


def _drive(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    found: dict[int, list[Played]] = {0: [], FLOOD: []}
    for number in range(ROUNDS):
        for flood in (0, FLOOD) if number % 2 else (FLOOD, 0):  # a machine's speed drifts
            phase = Phase(
                name="flood" if flood else "quiet",
                first=first,
                threads=plan.threads,
                rate=plan.rate,
                seconds=plan.seconds / ROUNDS / 2,
                flood=flood,
            )
            found[flood].append(drive.play(phase))
    quiet, loud = (all_overhead(found[flood], 0.0).p95 for flood in (0, FLOOD))
    beyond = [all_overhead(found[flood], plan.model_latency_s).p95 for flood in (0, FLOOD)]
    ratio = loud / quiet if loud is not None and quiet else None
    return (
        at_most("others' p95 of a whole reply beside a flood, to that without", ratio, MOST),
        measured("the same of the overhead", beyond[1] / beyond[0] if beyond[0] and beyond[1] is not None else None),
        measured("others' p95 overhead without the flood, ms", beyond[0]),
        measured("others' p95 overhead beside the flood, ms", beyond[1]),
    )


NOISY = Profile(
    name="noisy",
    help="one thread floods, the others arrive at --rate: their p95 with and without",
    drive=_drive,
    threads=lambda plan: plan.threads + 1,
)
