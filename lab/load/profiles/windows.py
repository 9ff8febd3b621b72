"""Profiles of windows: they leave memory and come back, are new for each message, or are known by their logs."""

from __future__ import annotations

from collections.abc import Sequence

from lab.load.drive import Drive
from lab.load.meter import Usage
from lab.load.plan import Phase, Plan
from lab.load.profiles.profile import Place, Profile, at_most, report_figure
from lab.load.report import AGENT, Verdict

# long

LONG_IDLE_S = 3.0
LONG_PATIENCE_S = 60.0
MOST_TIMES_CPU = 2.0
"""Permitted multiple of the CPU of a turn of the first round, in which no window comes back."""


def _settings_of_long(_plan: Plan, _place: Place) -> str:
    return f"[contexts]\nidle_minutes = {LONG_IDLE_S / 60:g}\n"


def _drive_long(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    costs, stayed = [], 0
    for number in range(1, plan.turns + 1):
        if number > 1:
            stayed = max(stayed, _until_silent(drive))
        played = drive.play(Phase(name=f"round {number}", first=first, threads=plan.threads, turns=1))
        costs.append(played.cpu_ms_per_turn)
    ratio = max((cost or 0.0) for cost in costs[1:]) / costs[0] if len(costs) > 1 and costs[0] else None
    verdicts = (at_most("CPU of a turn that brings a window back, to one of the first round", ratio, MOST_TIMES_CPU),)
    if plan.subject != AGENT:
        return verdicts
    return (*verdicts, at_most("windows that did not leave memory between two rounds", float(stayed), 0))


def _until_silent(drive: Drive) -> int:
    """Wait until no window is in memory, or for too long; how many still are."""
    drive.wait(LONG_IDLE_S)
    if drive.plan.subject != AGENT:
        return 0
    left = 1
    for _ in range(round(LONG_PATIENCE_S)):
        drive.wait(1.0)
        left = drive.windows_in_memory()
        if not left:
            break
    return left


LONG = Profile(
    name="long",
    help="--turns rounds, between which every window leaves memory",
    drive=_drive_long,
    settings=_settings_of_long,
)


# churn

CHURN_IDLE_S = 10.0
SETTLING = 0.25
"""Share of the time left out in the beginning, until the number of windows in memory is stable."""
MOST_KIB_PER_WINDOW = 2.0
"""KiB allowed for a passivated window.

120 MB for each 100,000 known windows are 1.2, the vectors of the window's messages half as much, and the rest is for
memory held back by the allocator. Pages of mapped files do not count: the system can reclaim these pages, and their
number is bounded by the files' size."""


def _settings_of_churn(_plan: Plan, _place: Place) -> str:
    return f"[contexts]\nidle_minutes = {CHURN_IDLE_S / 60:g}\n"


def _drive_churn(drive: Drive, first: int) -> tuple[Verdict, ...]:
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
        report_figure("the same with pages of files, KiB", resident * kib_of if resident is not None else None),
        report_figure("slope of the memory at churn, MiB a minute", slope * 60 if slope is not None else None),
    )


def _slope(looks: Sequence[tuple[float, float]]) -> float | None:
    """Slope of the memory after the beginning, MiB a second."""
    return slope_of(settled_points(looks)) if looks else None


def settled_points(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    """The points after the beginning."""
    begin = points[0][0] + SETTLING * (points[-1][0] - points[0][0])
    return [point for point in points if point[0] >= begin]


def slope_of(points: Sequence[tuple[float, float]]) -> float | None:
    """Slope of the line of least squares; None for fewer than two abscissae."""
    count = len(points)
    mean_x, mean_y = (sum(point[axis] for point in points) / max(1, count) for axis in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else None


CHURN = Profile(
    name="churn",
    help="a new window for every message, at --rate for --seconds; the memory is to stay flat",
    drive=_drive_churn,
    threads=lambda _plan: 0,
    settings=_settings_of_churn,
    watches_memory=True,
)


# known

SETTLED_S = 20.0
"""Seconds without growth after a start, as a sign that start-up work is complete."""
KNOWN_PATIENCE_S = 1800.0
GROWTH_MB = 1.0


def _drive_known(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    drive.play(Phase(name="known", first=first, threads=plan.threads, turns=plan.turns))
    settled = _settled_usage(drive)
    return (
        report_figure("memory when nothing has grown any more, MiB", settled.rss_mb if settled is not None else None),
        report_figure("the same without pages of files, MiB", settled.anon_mb if settled is not None else None),
    )


def _settled_usage(drive: Drive) -> Usage | None:
    """Usage after a while without growth and with idle processors."""
    before = drive.usage()
    for _ in range(round(KNOWN_PATIENCE_S / SETTLED_S)):
        if before is None:
            return None
        drive.wait(SETTLED_S)
        now = drive.usage()
        if now is not None and now.rss_mb - before.rss_mb < GROWTH_MB and now.cpu_s - before.cpu_s < SETTLED_S / 20:
            return now
        before = now
    return before


KNOWN = Profile(
    name="known",
    help="--known windows whose logs are there before the start: what they cost in memory",
    drive=_drive_known,
    watches_memory=True,
)
