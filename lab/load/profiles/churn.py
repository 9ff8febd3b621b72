"""Churn: new windows come and go at a rate, and the memory is to stay flat."""

from __future__ import annotations

from collections.abc import Sequence

from lab.load.drive import Drive
from lab.load.plan import Phase, Plan
from lab.load.profiles.profile import Place, Profile, at_most, measured
from lab.load.report import Verdict

IDLE_S = 10.0
SETTLING = 0.25
"""Share of the time that is left out in the beginning, in which the windows that are there at once become as many."""
MOST_KIB_PER_WINDOW = 2.0
"""KiB that a passivated window may leave behind: 60 MiB for each 100,000 known ones are 0.6, the vectors of the
window's messages as much again, and the rest is for memory held back by the allocator. Pages of mapped files do not
count: the system can reclaim these pages, and their number is bounded by the files' size."""


def _settings(_plan: Plan, _place: Place) -> str:
    return f"[contexts]\nidle_minutes = {IDLE_S / 60:g}\n"


def _drive(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    played = drive.play(
        Phase(name="churn", first=first, threads=0, rate=plan.rate, seconds=plan.seconds, is_fresh=True)
    )
    bots = [(look.at, look.bot) for look in played.looks if look.bot is not None]
    slope = _slope([(at, bot.anon_mb) for at, bot in bots])
    resident = _slope([(at, bot.rss_mb) for at, bot in bots])
    kib_of = 1024 / plan.rate
    return (
        at_most(
            "slope of the memory at churn, for each new window, without pages of files",
            slope * kib_of if slope is not None else None,
            MOST_KIB_PER_WINDOW,
            " KiB",
        ),
        measured("the same with pages of files, KiB", resident * kib_of if resident is not None else None),
        measured("slope of the memory at churn, MiB a minute", slope * 60 if slope is not None else None),
    )


def _slope(looks: Sequence[tuple[float, float]]) -> float | None:
    """Slope of the memory after the beginning, MiB a second."""
    return slope_of(settled(looks)) if looks else None


def settled(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """The points after the beginning."""
    begin = points[0][0] + SETTLING * (points[-1][0] - points[0][0])
    return [point for point in points if point[0] >= begin]


def slope_of(points: Sequence[tuple[float, float]]) -> float | None:
    """Slope of the line of least squares; None of fewer than two abscissae."""
    count = len(points)
    mean_x, mean_y = (sum(point[axis] for point in points) / max(1, count) for axis in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else None


CHURN = Profile(
    name="churn",
    help="a new window for every message, at --rate for --seconds; the memory is to stay flat",
    drive=_drive,
    threads=lambda _plan: 0,
    settings=_settings,
    watches_memory=True,
)
