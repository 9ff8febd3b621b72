"""Ramp: the highest rate of arrivals that the bot answers soon enough, and how soon it answers at half of it."""

from __future__ import annotations

from collections.abc import Callable

from lab.load.drive import Drive, Played
from lab.load.plan import Phase
from lab.load.profiles.profile import Profile, at_most, measured
from lab.load.report import Verdict

MOST_P95_MS = 250.0
"""Overhead up to which a rate counts as borne."""
HALF_P95_MS = 100.0
"""Wanted at half of the highest."""
LEAST_ARRIVALS = 60
"""At each rate, so that a p95 is one."""
STEP = 1.5
REFINEMENTS = 3
MOST_STEPS = 16
MOST_STEPS_DOWN = 5
"""Most steps down: below, no rate is sustained, and lower rates take ever longer to try."""


def _drive(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan

    def at(rate: float, name: str) -> Played:
        seconds = max(plan.seconds, LEAST_ARRIVALS / rate)
        return drive.play(
            Phase(name=f"{name} {rate:.1f}/s", first=first, threads=plan.threads, rate=rate, seconds=seconds)
        )

    peak = highest_rate(lambda rate: _is_borne(at(rate, "ramp")), plan.rate)
    half = at(peak / 2, "half") if peak else None
    return (
        measured(f"highest rate with p95 overhead <= {MOST_P95_MS:g} ms, turns/s", peak),
        at_most("p95 overhead at half of it", half.overhead.p95 if half is not None else None, HALF_P95_MS, " ms"),
        Verdict(name="rates borne at all", value=float(peak > 0), wanted="1", holds=peak > 0),
    )


def highest_rate(bears: Callable[[float], bool], start: float) -> float:
    """The highest rate that is borne, to within a few percent; 0 when none was.

    Args:
        bears: Tries a rate.
        start: The first; it is multiplied until one is not borne, or divided until one is.
    """
    low, high, rate = 0.0, 0.0, start
    for step in range(MOST_STEPS):
        if bears(rate):
            low = rate
        else:
            high = rate
        if (low and high) or (not low and step == MOST_STEPS_DOWN):
            break
        rate = rate * STEP if low else rate / STEP
    for _ in range(REFINEMENTS if low and high else 0):
        middle = (low + high) / 2
        if bears(middle):
            low = middle
        else:
            high = middle
    return low


def _is_borne(played: Played) -> bool:
    p95 = played.overhead.p95
    return not played.timed_out and p95 is not None and p95 <= MOST_P95_MS


RAMP = Profile(
    name="ramp",
    help=f"the highest rate with p95 overhead <= {MOST_P95_MS:g} ms, from --rate on, and p95 at half of it",
    drive=_drive,
)
