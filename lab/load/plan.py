"""Plan of a load, and its progress."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.load.report import AGENT


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
