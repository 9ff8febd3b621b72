"""Profiles of traffic: a burst, arrivals at a rate, a flood beside them, commands, all layers, and the highest rate."""

from __future__ import annotations

import json
from collections.abc import Callable

from lab.load.drive import Drive, Played, all_overhead
from lab.load.plan import Phase, Plan
from lab.load.profiles.profile import Place, Profile, at_most, report_figure
from lab.load.report import AGENT, Verdict

# burst


def _drive_burst(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    drive.play(Phase(name="burst", first=first, threads=plan.threads, turns=plan.turns))
    return ()


BURST = Profile(name="burst", help="all threads at once, each next message after the answer", drive=_drive_burst)


# steady

_MOST_LATE = 0.01
"""Permitted share of messages delayed for a free thread; with more delays the threads bounded the rate."""


def _drive_steady(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    played = drive.play(Phase(name="steady", first=first, threads=plan.threads, rate=plan.rate, seconds=plan.seconds))
    counted = played.counted
    return (
        at_most("share of messages that waited for a free thread", counted.late / max(1, counted.sent), _MOST_LATE),
    )


STEADY = Profile(name="steady", help="messages arrive by chance (Poisson) at --rate for --seconds", drive=_drive_steady)


# noisy

ROUNDS = 2
FLOOD = 50
"""Messages kept unanswered by the flooding thread all the time."""
MOST_TIMES = 1.2
"""Times the others' p95 without the flood."""


def _drive_noisy(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    phases: dict[int, list[Played]] = {0: [], FLOOD: []}
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
            phases[flood].append(drive.play(phase))
    quiet, loud = (all_overhead(phases[flood], 0.0).p95 for flood in (0, FLOOD))
    beyond = [all_overhead(phases[flood], plan.model_latency_s).p95 for flood in (0, FLOOD)]
    ratio = loud / quiet if loud is not None and quiet else None
    beyond_ratio = beyond[1] / beyond[0] if beyond[0] and beyond[1] is not None else None
    return (
        at_most("others' p95 of a whole reply beside a flood, to that without", ratio, MOST_TIMES),
        report_figure("the same of the overhead", beyond_ratio),
        report_figure("others' p95 overhead without the flood, ms", beyond[0]),
        report_figure("others' p95 overhead beside the flood, ms", beyond[1]),
    )


NOISY = Profile(
    name="noisy",
    help="one thread floods, the others arrive at --rate: their p95 with and without",
    drive=_drive_noisy,
    threads=lambda plan: plan.threads + 1,
)


# bash

SHARE = 0.3
"""Of the turns."""


def _drive_bash(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan
    calls = drive.model_calls()
    played = drive.play(Phase(name="bash", first=first, threads=plan.threads, turns=plan.turns, command_share=SHARE))
    commands = played.counted.commands
    if plan.subject != AGENT:
        return (report_figure("turns that would have run a command", commands),)
    further = drive.model_calls() - calls - played.counted.sent
    return (
        report_figure("turns that ran a command", commands),
        at_most("commands without a second model call, or calls without a command", abs(further - commands), 0),
    )


BASH = Profile(
    name="bash", help=f"{SHARE:.0%} of the turns run a command; its time counts as overhead", drive=_drive_bash
)


# layers


def _settings_of_layers(_plan: Plan, place: Place) -> str:
    folder = place.folder / "curated"
    folder.mkdir(exist_ok=True)
    return (
        "[layers]\ncurated = true\nobjects = true\nworkspace = true\nfacts = true\n"
        f"[curated]\nglobal_folder = {json.dumps(str(folder))}\n"
        "[workspace]\nrecall = true\nsession = true\n"
        f'[facts]\nopenai_base_url = "{place.model_base}"\ngateway_port = 0\nembedding_model = "local"\n'
    )


LAYERS = Profile(
    name="layers",
    help="a burst with curated memory, objects, workspaces and the gateway on",
    drive=BURST.drive,
    settings=_settings_of_layers,
)


# ramp

MOST_P95_MS = 250.0
"""Overhead up to which a rate counts as sustained."""
HALF_P95_MS = 100.0
"""Wanted at half of the highest."""
LEAST_ARRIVALS = 60
"""Least arrivals at each rate, for a meaningful p95."""
STEP = 1.5
REFINEMENTS = 3
MOST_STEPS = 16
MOST_STEPS_DOWN = 5
"""Most steps down: below, no rate is sustained, and lower rates take ever longer to try."""


def _drive_ramp(drive: Drive, first: int) -> tuple[Verdict, ...]:
    plan = drive.plan

    def at(rate: float, name: str) -> Played:
        seconds = max(plan.seconds, LEAST_ARRIVALS / rate)
        return drive.play(
            Phase(name=f"{name} {rate:.1f}/s", first=first, threads=plan.threads, rate=rate, seconds=seconds)
        )

    peak = highest_rate(lambda rate: _is_borne(at(rate, "ramp")), plan.rate)
    half = at(peak / 2, "half") if peak else None
    return (
        report_figure(f"highest rate with p95 overhead <= {MOST_P95_MS:g} ms, turns/s", peak),
        at_most("p95 overhead at half of it", half.overhead.p95 if half is not None else None, HALF_P95_MS, " ms"),
        Verdict(name="rates borne at all", value=float(peak > 0), wanted="1", holds=peak > 0),
    )


def highest_rate(bears: Callable[[float], bool], start: float) -> float:
    """Highest sustained rate, to within a few percent; 0 if no rate was sustained.

    Args:
        bears: Tries a rate.
        start: First rate; multiplied until one is not sustained, or divided until one is.
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
    drive=_drive_ramp,
)
