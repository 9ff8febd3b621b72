"""Bash: a share of the turns has the model run a command, in the sandbox that the machine has."""

from __future__ import annotations

from lab.load.drive import Drive
from lab.load.plan import Phase
from lab.load.profiles.profile import Profile, at_most, measured
from lab.load.report import AGENT, Verdict

SHARE = 0.3
"""Of the turns."""


def _drive(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    asked = drive.model_calls()
    played = drive.play(Phase(name="bash", first=first, threads=plan.threads, turns=plan.turns, command_share=SHARE))
    commands = played.counted.commands
    if plan.subject != AGENT:
        return (measured("turns that would have run a command", commands),)
    further = drive.model_calls() - asked - played.counted.sent
    return (
        measured("turns that ran a command", commands),
        at_most("commands without a second model call, or calls without a command", abs(further - commands), 0),
    )


BASH = Profile(name="bash", help=f"{SHARE:.0%} of the turns run a command; its time counts as overhead", drive=_drive)
