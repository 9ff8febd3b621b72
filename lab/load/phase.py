"""Phase of a load: messages, rate and length, and the results."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from lab.load.tally import Standing

WARM_UP = "warm-up"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Counts of the people in all phases together."""

    replied: int
    cross_talk: int
    standing: Standing
