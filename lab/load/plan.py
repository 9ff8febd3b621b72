"""Plan of a load with its phases: messages, rate and length, and the counts of the people."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path

from lab.load.report import AGENT

WARM_UP = "warm-up"


class LoadError(Exception):
    """The run could not take place; the text is for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Size of a run; counts >= 1."""

    threads: int
    turns: int
    """Messages of each thread, one after the other, for profiles with a number of messages."""
    model_latency_s: float
    seed: str
    """Of the secrets."""
    timeout_s: float
    """Of each phase."""
    profile: str = "burst"
    rate: float = 10.0
    """Arrivals a second, for profiles with arrivals."""
    seconds: float = 20.0
    """Seconds of arrivals."""
    hosts: int = 1
    subject: str = AGENT
    known: int = 0
    """Windows with logs from before the start."""
    keep_in: Path | None = None
    """Folder for settings, data and stderr of the agent; None to remove the files."""
    observed: bool = False
    """True if a client watches the observer's page meanwhile."""
    more: str = ""
    """Tables of agent.toml besides, in whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a run."""

    stage: str
    replied: int = 0
    total: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One phase: each thread says a number of messages one after the other, or messages arrive at a rate."""

    name: str
    first: int = 0
    """Number of the first participating thread."""
    threads: int
    """Number of speaking threads."""
    turns: int = 0
    """Turns of each thread, each after the answer to the one before; 0 for arrivals."""
    rate: float = 0.0
    """Arrivals a second, independent of one another (Poisson), each in a thread without a pending answer."""
    seconds: float = 0.0
    """Seconds of arriving messages."""
    is_fresh: bool = False
    """True if each arrival is the first message of a new thread."""
    flood: int = 0
    """Messages kept unanswered by one further thread all the time, until the others finish."""
    command_share: float = 0.0
    """Share of the turns with a command."""
    pause_s: float = 0.0
    """Between an answer and the thread's next message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Progress of a phase."""

    is_over: bool
    replied: int
    """In this phase."""
    total: int
    """Final number, as far as known."""
    silent_s: float
    """Since anything was heard of the bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Counts of the people in a phase."""

    sent: int
    replied: int
    seconds: float
    """From the first message to the last answer."""
    late: int
    """Arrivals delayed because every thread had an unanswered message; the delay counts."""
    commands: int
    """Turns planned to run a command."""
    reply_times_s: array[float] = field(repr=False)
    """Seconds from each message to its answer."""
