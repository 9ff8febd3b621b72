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
    """Folder for the profile's files."""
    model_base: str
    """The loopback model's address."""


def _no_settings(_plan: Plan, _place: Place) -> str:
    return ""


def _threads_of(plan: Plan) -> int:
    return plan.threads


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Kind of traffic."""

    name: str
    help: str
    """Help text in one line."""
    drive: Callable[[Drive, int], tuple[Verdict, ...]]
    """Plays the phases; called with the number of the first thread, since lower numbers belong to the warm-up."""
    threads: Callable[[Plan], int] = _threads_of
    """Number of threads open before the bot starts, besides the warm-up's."""
    settings: Callable[[Plan, Place], str] = _no_settings
    """Tables of agent.toml."""
    watches_memory: bool = False
    """True if the report has the memory over time."""


def at_most(name: str, value: float | None, limit: float, unit: str = "") -> Verdict:
    """Verdict that holds up to `limit`; an unknown value is no failure, as on a system without the figure."""
    rounded = round(value, 3) if value is not None else None
    return Verdict(name=name, value=rounded, wanted=f"<= {limit:g}{unit}", holds=value is None or value <= limit)


def report_figure(name: str, value: float | None) -> Verdict:
    """Figure without a target."""
    return Verdict(name=name, value=round(value, 3) if value is not None else None, wanted="any", holds=True)
