"""Meter: what the bot, the harness and the machine use, looked at twice a second, and who is busy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lab.load.accounting import Usage, machine_idle_s, usage_of

LOOK_EVERY_S = 0.5
_WINDOW_S = 0.9
"""Shares of a core are of so much time at least: the system counts in hundredths of a second."""
_BUSY = 0.85
"""Share of a core above which an event loop is taken for full."""
_IDLE = 0.08
"""Share of the whole machine below which it is taken for full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at everything."""

    at: float
    bot: Usage | None
    harness: Mapping[str, float]
    """Process -> seconds of CPU so far."""
    idle_s: float | None
    """Of the whole machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Load of one process, or of the bot's together, over some time."""

    cpu_s: float
    mean_share: float
    """Of a core."""
    busiest_share: float
    """In the busiest second."""


class Meter:
    """Looks, in their order."""

    def __init__(
        self, bot: Callable[[], Usage | None], harness: Mapping[str, int | None], now: Callable[[], float]
    ) -> None:
        """Nothing was looked at yet.

        Args:
            bot: Gives what the bot uses by now.
            harness: Name -> process id.
            now: Monotonic clock, seconds.
        """
        self._bot = bot
        self._harness = harness
        self._now = now
        self.looks: list[Look] = []

    def look(self) -> None:
        """Look now."""
        harness = {name: used.cpu_s for name, pid in self._harness.items() if (used := usage_of(pid)) is not None}
        self.looks.append(Look(at=self._now(), bot=self._bot(), harness=harness, idle_s=machine_idle_s()))

    def look_if_due(self) -> None:
        """Look when the last time is half a second ago."""
        if not self.looks or self._now() - self.looks[-1].at >= LOOK_EVERY_S:
            self.look()


def load_of(times: Sequence[float], cpu_s: Sequence[float | None]) -> Load | None:
    """Load by a process's CPU at each of some times; None if it is not known throughout."""
    known = [used for used in cpu_s if used is not None]
    if len(known) < len(cpu_s) or len(known) < 2 or times[-1] <= times[0]:
        return None
    used = known[-1] - known[0]
    mean = used / (times[-1] - times[0])
    busiest, start = mean, 0
    for end, at in enumerate(times):
        while at - times[start + 1 if start + 1 <= end else start] >= _WINDOW_S:
            start += 1
        if at - times[start] >= _WINDOW_S:
            busiest = max(busiest, (known[end] - known[start]) / (at - times[start]))
    return Load(cpu_s=used, mean_share=round(mean, 3), busiest_share=round(busiest, 3))


def idle_share(looks: Sequence[Look], cpus: int) -> float | None:
    """Share of the whole machine that had nothing to do between the first look and the last."""
    first, last = looks[0], looks[-1]
    if first.idle_s is None or last.idle_s is None or last.at <= first.at:
        return None
    return (last.idle_s - first.idle_s) / (last.at - first.at) / cpus


def bounded_by(subject: str, bot: Load | None, harness: Mapping[str, Load], idle: float | None) -> str:
    """Who held the rate down: the bot, the harness, the machine, or nobody but the traffic itself."""
    if bot is None:
        return "unknown"
    name, most = max(((name, load.mean_share) for name, load in harness.items()), key=lambda each: each[1])
    if most >= _BUSY and most > bot.mean_share:
        return f"harness ({name})"
    if bot.mean_share >= _BUSY:
        return subject
    if idle is not None and idle <= _IDLE:
        return "machine"
    return "traffic"
