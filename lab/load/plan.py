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
    """Messages of each thread, one after the other, where a profile has a number of them."""
    model_latency_s: float
    seed: str
    """Of the secrets."""
    timeout_s: float
    """Of each phase."""
    profile: str = "burst"
    rate: float = 10.0
    """Arrivals a second, where a profile has them."""
    seconds: float = 20.0
    """For which they arrive."""
    hosts: int = 1
    subject: str = AGENT
    known: int = 0
    """Windows whose logs are there before the start."""
    keep_in: Path | None = None
    """Folder for settings, data and stderr of the agent; None to remove them."""
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
    """One phase. Either each thread says so many messages one after the other, or messages arrive at a rate."""

    name: str
    first: int = 0
    """Number of the first thread that takes part."""
    threads: int
    """Number of threads that speak."""
    turns: int = 0
    """Of each thread, the next when the one before is answered; 0 for arrivals."""
    rate: float = 0.0
    """Arrivals a second, independent of one another (Poisson), each in a thread that waits for nothing."""
    seconds: float = 0.0
    """For which messages arrive."""
    is_fresh: bool = False
    """True if each arrival is the first message of a new thread."""
    flood: int = 0
    """Messages that one further thread has unanswered all the time, until the others are through."""
    command_share: float = 0.0
    """Share of the turns that run a command."""
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
    """Arrivals that had to wait, since every thread had a message unanswered; their wait counts."""
    commands: int
    """Turns that were to run a command."""
    reply_times_s: array[float] = field(repr=False)
    """From each message to its answer."""
