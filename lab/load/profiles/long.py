"""Long: windows fall silent, leave memory, and come back from their logs, while their history grows."""

from __future__ import annotations

from pathlib import Path

from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from lab.load.drive import Drive
from lab.load.plan import Phase, Plan
from lab.load.profiles.profile import Place, Profile, at_most
from lab.load.report import AGENT, Verdict

IDLE_S = 3.0
PATIENCE_S = 60.0
MOST_CPU = 2.0
"""Times the CPU of a turn of the first round, in which no window comes back."""


def _settings(_plan: Plan, _place: Place) -> str:
    return f"[contexts]\nidle_minutes = {IDLE_S / 60:g}\n"


def _drive(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    costs, stayed = [], 0
    for number in range(1, plan.turns + 1):
        if number > 1:
            stayed = max(stayed, _until_silent(drive))
        played = drive.play(Phase(name=f"round {number}", first=first, threads=plan.threads, turns=1))
        costs.append(played.cpu_ms_per_turn)
    ratio = max((cost or 0.0) for cost in costs[1:]) / costs[0] if len(costs) > 1 and costs[0] else None
    verdicts = (at_most("CPU of a turn that brings a window back, to one of the first round", ratio, MOST_CPU),)
    if plan.subject != AGENT:
        return verdicts
    return (*verdicts, at_most("windows that did not leave memory between two rounds", float(stayed), 0))


def _until_silent(drive: Drive) -> int:
    """Wait until no window is in memory, or for too long; how many still are."""
    drive.wait(IDLE_S)
    if drive.plan.subject != AGENT:
        return 0
    left = 1
    for _ in range(round(PATIENCE_S)):
        drive.wait(1.0)
        left = windows_in_memory(drive.data_root)
        if not left:
            break
    return left


def windows_in_memory(data_root: Path) -> int:
    """Number of windows in memory, by the running agent's own account; 1 without an answer."""
    try:
        answer = ask_operator(data_root, "status", 10.0)
    except (AgentNotRunningError, RefusalError):
        return 1
    return int(answer["system"]["windows_in_memory"])


LONG = Profile(
    name="long", help="--turns rounds, between which every window leaves memory", drive=_drive, settings=_settings
)
