"""Outcome of a run: everything that was counted, as a report."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.load.agent_process import Complaints
from lab.load.drive import Drive, Played, all_overhead, harness_of
from lab.load.log_audit import LogAudit
from lab.load.meter import Usage
from lab.load.phase import Totals
from lab.load.plan import Plan
from lab.load.profiles.profile import Profile
from lab.load.report import Report, Verdict

_DETAILS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Facts of a run after the bot's end."""

    peak_rss_mb: float
    """Of its first process."""
    exit_code: int | None
    verdicts: Sequence[Verdict]
    complaints: Complaints
    audit: LogAudit
    totals: Totals


def report_of(plan: Plan, profile: Profile, drive: Drive, ending: Ending) -> Report:
    """The report on what was played; the warm-up counts only where something was lost, doubled or crossed."""
    played, totals, audit, complaints = drive.played, ending.totals, ending.audit, ending.complaints
    standing = totals.standing
    replied = sum(each.counted.replied for each in played)
    seconds = sum(each.counted.seconds for each in played)
    harness, bound = harness_of(played, plan.subject)
    bots = [look.bot for look in drive.meter.looks if look.bot is not None]
    driven = [look.bot for each in played for look in (*each.looks, each.after) if look.bot is not None]
    return Report(
        threads=plan.threads,
        turns=plan.turns,
        sent=sum(each.counted.sent for each in played),
        replied=replied,
        lost=len(standing.unanswered | audit.missing),
        doubled=standing.doubled + audit.doubled,
        cross_talk=totals.cross_talk + audit.cross_talk,
        turns_per_s=round(replied / seconds, 1) if seconds > 0 else 0.0,
        overhead_ms=all_overhead(played, plan.model_latency_s),
        peak_rss_mb=round(max([ending.peak_rss_mb, *(bot.rss_mb for bot in driven)]), 1),
        restarts=complaints.restarts,
        model_latency_ms=plan.model_latency_s * 1000,
        seconds=round(seconds, 3),
        cpu_ms_per_turn=_cpu_ms_per_turn(played, replied),
        tool_cpu_ms_per_turn=round(sum(each.cpu_ms_per_turn for each in harness), 2) if harness else None,
        agent_errors=complaints.errors,
        agent_warnings=complaints.warnings,
        agent_exit_code=ending.exit_code,
        unexpected=standing.unexpected,
        disordered=standing.disordered + audit.disordered,
        logs=audit.logs,
        broken_logs=len(audit.broken),
        timed_out=any(each.timed_out for each in played),
        details=(*audit.broken[:_DETAILS], *complaints.samples, *standing.samples),
        seed=plan.seed,
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}",
        subject=plan.subject,
        profile=plan.profile,
        hosts=plan.hosts,
        known=plan.known,
        processes=max((bot.processes for bot in bots), default=None),
        busiest_share=max((load.busiest_share for each in played if (load := each.load)), default=None),
        bounded_by=bound,
        harness=harness,
        phases=tuple(each.report() for each in played),
        verdicts=tuple(ending.verdicts),
        rss_over_time=_over_time(drive, lambda bot: bot.rss_mb) if profile.watches_memory else (),
        peak_rss_with_start_mb=round(max([ending.peak_rss_mb, *(bot.rss_mb for bot in bots)]), 1),
        vectors_cpu_ms_per_turn=round(sum(each.vectors_s for each in played) * 1000 / replied, 2) if replied else 0.0,
        peak_anon_mb=round(max(bot.anon_mb for bot in driven), 1) if driven else None,
        anon_over_time=_over_time(drive, lambda bot: bot.anon_mb) if profile.watches_memory else (),
    )


def _cpu_ms_per_turn(played: Sequence[Played], replied: int) -> float | None:
    used = [each.cpu_s for each in played]
    known = [each for each in used if each is not None]
    return round(sum(known) * 1000 / replied, 2) if replied and len(known) == len(used) else None


def _over_time(drive: Drive, memory_of: Callable[[Usage], float]) -> tuple[tuple[float, float], ...]:
    looks = [(look.at, memory_of(look.bot)) for look in drive.meter.looks if look.bot is not None]
    return tuple((round(at - looks[0][0], 1), round(memory_mb, 1)) for at, memory_mb in looks)
