"""Burst: all threads begin at once, and each says its next message when the one before was answered."""

from __future__ import annotations

from lab.load.drive import Drive
from lab.load.plan import Phase
from lab.load.profiles.profile import Profile
from lab.load.report import Verdict


def _drive(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    drive.play(Phase(name="burst", first=first, threads=plan.threads, turns=plan.turns))
    return ()


BURST = Profile(name="burst", help="all threads at once, each next message after the answer", drive=_drive)
