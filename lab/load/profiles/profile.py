"""Profile of a load: settings, phases and verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.load.drive import Drive
from lab.load.plan import Plan
from lab.load.report import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Place of an agent's set-up."""

    folder: Path
    """For files of its own."""
    model_base: str
    """The loopback model's address."""


def _no_settings(_plan: Plan, _place: Place) -> str:
    return ""


def _threads_of(plan: Plan) -> int:
    return plan.threads


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One kind of traffic."""

    name: str
    help: str
    """One line."""
    drive: Callable[[Drive, int], tuple[Verdict, ...]]
    """Plays the phases; given the number of its first thread, since those before it are the warm-up's."""
    threads: Callable[[Plan], int] = _threads_of
    """Number of threads open before the bot starts, besides the warm-up's."""
    settings: Callable[[Plan, Place], str] = _no_settings
    """Tables of agent.toml."""
    watches_memory: bool = False
    """True if the report has the memory over time."""


def at_most(name: str, value: float | None, limit: float, unit: str = "") -> Verdict:
    """A verdict that holds up to `limit`; an unknown value is no failure, as on a system that does not tell."""
    rounded = round(value, 3) if value is not None else None
    return Verdict(name=name, value=rounded, wanted=f"<= {limit:g}{unit}", holds=value is None or value <= limit)


def report_figure(name: str, value: float | None) -> Verdict:
    """Figure without a target."""
    return Verdict(name=name, value=round(value, 3) if value is not None else None, wanted="any", holds=True)
