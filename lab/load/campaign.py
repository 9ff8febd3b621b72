"""Load campaign, a run with its report: the loopback Discord, the model and the bot in processes of their own."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from actors.kernel import SystemClock
from lab.load.agent_process import AgentProcess, BotProcess, Complaints, FloorProcess
from lab.load.drive import Drive, Played, all_overhead, harness_of
from lab.load.log_audit import LogAudit, audit_logs
from lab.load.meter import Usage
from lab.load.onlooker import MOST_SHARE, Onlooker
from lab.load.onlooker import SETTINGS as OBSERVED
from lab.load.plan import WARM_UP, LoadError, Phase, Plan, Progress
from lab.load.prepared_logs import FIRST_ID, make_logs
from lab.load.profiles.profile import Place, Profile
from lab.load.profiles.table import PROFILES
from lab.load.remote import Remote, RemoteError
from lab.load.report import AGENT, Report, Verdict
from lab.load.settings import agent_settings, floor_environment
from lab.load.stage import Addresses, discord_stage, model_stage
from lab.load.tally import Standing

ONLINE_S = 600.0
"""With very many logs."""
WARM_UP_THREADS = 8
WARM_UP_TURNS = 3
SETTLE_S = 2.0
"""Seconds after the warm-up, to keep its background work out of the first phase."""
STOP_S = 60.0
_LOOK_S = 0.2
_DETAILS = 5


def run(plan: Plan, on_progress: Callable[[Progress], None]) -> Report:
    """Run `plan` on the bot; `on_progress` is called a few times a second.

    Raises:
        LoadError: the bot did not come online, or did not answer at all, or the harness failed.
    """
    on_progress(Progress(stage="starting"))
    profile = PROFILES[plan.profile]
    try:
        with (
            _folder(plan.keep_in) as folder,
            Remote("load-model", model_stage, plan.model_latency_s) as model,
            Remote("load-discord", discord_stage, plan.seed, plan.model_latency_s) as discord,
        ):
            return _Run(plan, profile, discord, model, folder).report(on_progress)
    except RemoteError as error:
        raise LoadError(str(error)) from error


@contextmanager
def _folder(keep_in: Path | None) -> Iterator[Path]:
    if keep_in is not None:
        keep_in.mkdir(parents=True, exist_ok=True)
        yield keep_in.absolute()
        return
    folder = Path(tempfile.mkdtemp(prefix="agent-load-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


class _Run:
    """Bot on its stages."""

    def __init__(self, plan: Plan, profile: Profile, discord: Remote, model: Remote, folder: Path) -> None:
        self._plan = plan
        self._profile = profile
        self._discord = discord
        self._now = SystemClock().monotonic
        self._data = folder / "data"
        self._onlooker: Onlooker | None = None
        self._bot = self._make_bot(discord.call("addresses"), model.call("api_base"), folder)
        self._drive = Drive(plan, discord, model, self._bot, self._now)

    def _make_bot(self, addresses: Addresses, model_base: str, folder: Path) -> BotProcess:
        plan = self._plan
        if plan.subject != AGENT:
            return FloorProcess(folder, floor_environment(addresses, model_base), addresses.bot_token)
        if plan.known:
            self._data.mkdir(mode=0o700)
            make_logs(self._data, plan.known, 1)
        settings = agent_settings(
            addresses, model_base, plan, self._profile.settings(plan, Place(folder=folder, model_base=model_base))
        ) + (OBSERVED if plan.observed else "")
        options = ("--hosts", str(plan.hosts)) if plan.hosts > 1 else ()
        return AgentProcess(folder, settings, addresses.bot_token, options)

    def report(self, on_progress: Callable[[Progress], None]) -> Report:
        """Drive the bot from start to end, and check the remains."""
        self._drive.on_progress = on_progress
        try:
            self._drive.open_threads(WARM_UP_THREADS + self._profile.threads(self._plan))
            self._bot.start()
            self._warm_up()
            with self._looked_at():
                verdicts = self._profile.drive(self._drive, WARM_UP_THREADS)
                verdicts += self._cost_of_looking()
            peak_rss_mb = self._bot.peak_rss_mb()
            on_progress(Progress(stage="checking the logs"))
            exit_code = self._bot.stop(STOP_S)
        finally:
            self._bot.stop(0)
        threads = self._discord.call("threads")
        prepared = range(FIRST_ID, FIRST_ID + self._plan.known)
        ending = Ending(
            peak_rss_mb=peak_rss_mb,
            exit_code=exit_code,
            verdicts=verdicts,
            complaints=self._bot.complaints(),
            audit=audit_logs(self._data, threads, prepared) if self._plan.subject == AGENT else LogAudit(),
            standing=self._discord.call("standing"),
        )
        return report_of(self._plan, self._profile, self._drive, ending)

    def _looked_at(self) -> AbstractContextManager[None]:
        if not self._plan.observed or self._plan.subject != AGENT:
            return nullcontext()
        self._onlooker = Onlooker(self._data)
        return self._onlooker.looking()

    def _cost_of_looking(self) -> tuple[Verdict, ...]:
        if self._onlooker is None or self._bot.pid is None:
            return ()
        if not self._onlooker.events or not self._onlooker.answers:
            raise LoadError("the observer sent no events")
        share = Onlooker.share(self._bot.pid)
        wanted = f"<= {100 * MOST_SHARE:g}"
        name = "% of the agent's CPU in the observer's loop"
        holds = share <= MOST_SHARE
        return (Verdict(name=name, value=round(100 * share, 2), wanted=wanted, holds=holds),)

    def _warm_up(self) -> None:
        """Return when the bot is online and has answered a few messages: all is imported then, connections are made."""
        deadline = self._now() + ONLINE_S
        while not self._discord.call("is_online", _LOOK_S):
            if not self._bot.is_running or self._now() > deadline:
                raise LoadError(self._with_stderr(f"the {self._plan.subject} did not come online"))
        played = self._drive.try_out(Phase(name=WARM_UP, threads=WARM_UP_THREADS, turns=WARM_UP_TURNS))
        if played.timed_out:
            raise LoadError(self._with_stderr(f"the {self._plan.subject} did not answer its first messages"))
        self._drive.wait(SETTLE_S)

    def _with_stderr(self, reason: str) -> str:
        end = self._bot.complaints().end
        return f"{reason}; it said:\n{end}" if end else reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Facts of a run after the bot's end."""

    peak_rss_mb: float
    """Peak memory of the first process."""
    exit_code: int | None
    verdicts: Sequence[Verdict]
    complaints: Complaints
    audit: LogAudit
    standing: Standing


def report_of(plan: Plan, profile: Profile, drive: Drive, ending: Ending) -> Report:
    """Report on the phases played; the warm-up counts only for losses, duplicates and cross-talk."""
    played, standing, audit, complaints = drive.played, ending.standing, ending.audit, ending.complaints
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
        cross_talk=standing.cross_talk + audit.cross_talk,
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
