"""Report of a load: figures and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

AGENT, FLOOR = "agent", "floor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhead:
    """Latency of answers beyond the model's own time, in milliseconds; None without answers."""

    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessProcess:
    """Usage of a process of the harness while the bot was driven."""

    name: str
    """`discord` (with the people and the tally), `model` or `tool`, the starter of the others."""
    cpu_ms_per_turn: float
    mean_share: float
    """Of a core."""
    busiest_share: float
    """Of a core, in the busiest second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseReport:
    """Phase of a profile."""

    name: str
    sent: int
    replied: int
    seconds: float
    """From the first message to the last answer."""
    turns_per_s: float
    late: int
    """Messages delayed until a thread was free to send."""
    overhead_ms: Overhead
    cpu_ms_per_turn: float | None
    rss_mb: float | None
    """At the phase's end."""
    anon_mb: float | None
    """Anonymous memory: the part without a file."""
    timed_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Figure of a profile, beside its target."""

    name: str
    value: float | None
    wanted: str
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run, in the order of printing; the first twelve fields are the contract with scripts."""

    threads: int
    turns: int
    sent: int
    replied: int
    lost: int
    """Messages without a whole answer in the end, or missing from their thread's log with answer and delivery."""
    doubled: int
    """Answers beyond the first in the end, and messages, answers and deliveries logged more than once."""
    cross_talk: int
    """Messages of the bot, and of the logs, with words of another thread now or at an earlier time."""
    turns_per_s: float
    overhead_ms: Overhead
    peak_rss_mb: float
    """Peak memory of the agent's processes together while driven, in MiB."""
    restarts: int
    """Crashed actors of the agent."""
    model_latency_ms: float
    seconds: float
    """From the first message to the last answer."""
    cpu_ms_per_turn: float | None
    """Of the agent's processes together."""
    tool_cpu_ms_per_turn: float | None
    """Of the harness: the loopback Discord, the model and the counting."""
    agent_errors: int
    agent_warnings: int
    agent_exit_code: int | None
    """Exit code of the agent; None after a kill."""
    unexpected: int
    """Messages of the bot other than whole answers in the end."""
    disordered: int
    """Answers standing behind the answer to a later message, and log entries in such an order."""
    logs: int
    broken_logs: int
    timed_out: bool
    details: tuple[str, ...]
    """First few faults of logs, complaints of the agent, and messages other than answers."""
    seed: str
    machine: str
    subject: str = AGENT
    profile: str = "burst"
    hosts: int = 1
    known: int = 0
    """Windows with logs from before the start."""
    processes: int | None = None
    """Peak number of the agent's processes."""
    busiest_share: float | None = None
    """Of a core, by all of the agent's processes in their busiest second."""
    bounded_by: str = "unknown"
    harness: tuple[HarnessProcess, ...] = ()
    phases: tuple[PhaseReport, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    rss_over_time: tuple[tuple[float, float], ...] = ()
    """Seconds from the beginning, MiB; for profiles with a watch on memory."""
    peak_rss_with_start_mb: float = 0.0
    """Peak including the start, with a process that asks litellm for the model's route, and ends."""
    vectors_cpu_ms_per_turn: float = 0.0
    """Part of `cpu_ms_per_turn` used by the local embedding model, if the agent has one."""
    peak_anon_mb: float | None = None
    """Peak of the part of `peak_rss_mb` in no file, in MiB; None if not reported."""
    anon_over_time: tuple[tuple[float, float], ...] = ()
    """As `rss_over_time`, without the pages of files."""

    @property
    def cpu_ms_without_vectors(self) -> float | None:
        """CPU of a turn beside the local model's."""
        return None if self.cpu_ms_per_turn is None else round(self.cpu_ms_per_turn - self.vectors_cpu_ms_per_turn, 2)

    def as_dict(self) -> dict[str, object]:
        """Report in JSON's form."""
        return asdict(self)

    def failures(self) -> tuple[str, ...]:
        """Reasons for a failed run, in words; empty for a success."""
        reasons = {
            "the time limit passed, or no message came for too long": self.timed_out,
            f"{self.lost} of {self.sent} messages were lost": self.lost,
            f"{self.doubled} messages were answered or logged more than once": self.doubled,
            f"{self.cross_talk} messages held something of another thread": self.cross_talk,
            f"{self.unexpected} messages of the {self.subject} are no whole answers": self.unexpected,
            f"{self.disordered} answers or their logs are not in the order of the messages": self.disordered,
            f"{self.restarts} actors crashed": self.restarts,
            f"{self.agent_errors} errors were logged by the {self.subject}": self.agent_errors,
            f"{self.broken_logs} logs are not as they should be": self.broken_logs,
            f"the {self.subject} ended with exit code {self.agent_exit_code}": self.agent_exit_code != 0,
            **{f"{each.name}: {each.value}, wanted {each.wanted}": not each.holds for each in self.verdicts},
        }
        return tuple(reason for reason, is_so in reasons.items() if is_so)


def overhead(reply_times_s: Sequence[float], model_latency_s: float) -> Overhead:
    """Percentiles of the replies' times beyond the model's."""
    ordered = sorted((time_s - model_latency_s) * 1000 for time_s in reply_times_s)
    return Overhead(p50=_percentile(ordered, 50), p95=_percentile(ordered, 95), p99=_percentile(ordered, 99))


def _percentile(ordered: Sequence[float], percent: int) -> float | None:
    """Smallest value not exceeded by at least `percent` of the values."""
    return round(ordered[-(-len(ordered) * percent // 100) - 1], 1) if ordered else None
