"""Steady: messages arrive at a rate, by chance, each in a thread that waits for nothing."""

from __future__ import annotations

from lab.load.drive import Drive
from lab.load.plan import Phase
from lab.load.profiles.profile import Profile, at_most
from lab.load.report import Verdict

_MOST_LATE = 0.01
"""Share of the messages that may have waited for a free thread; with more the threads bounded the rate."""


def _drive(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    played = drive.play(Phase(name="steady", first=first, threads=plan.threads, rate=plan.rate, seconds=plan.seconds))
    counted = played.counted
    return (
        at_most("share of messages that waited for a free thread", counted.late / max(1, counted.sent), _MOST_LATE),
    )


STEADY = Profile(name="steady", help="messages arrive by chance (Poisson) at --rate for --seconds", drive=_drive)
