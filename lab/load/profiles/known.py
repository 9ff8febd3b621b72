"""Known: an agent with many windows known by their logs, and the costs of the windows."""

from __future__ import annotations

from lab.load.drive import Drive
from lab.load.meter import Usage
from lab.load.plan import Phase
from lab.load.profiles.profile import Profile, measured
from lab.load.report import Verdict

SETTLED_S = 20.0
"""Without growth: what is made at a start is made then."""
PATIENCE_S = 1800.0
GROWTH_MB = 1.0


def _drive(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    drive.play(Phase(name="known", first=first, threads=plan.threads, turns=plan.turns))
    settled = _settled(drive)
    return (
        measured("memory when nothing has grown any more, MiB", settled.rss_mb if settled is not None else None),
        measured("the same without pages of files, MiB", settled.anon_mb if settled is not None else None),
    )


def _settled(drive: Drive) -> Usage | None:
    """Usage after a while without growth and with idle processors."""
    before = drive.usage()
    for _ in range(round(PATIENCE_S / SETTLED_S)):
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
    drive=_drive,
    watches_memory=True,
)
