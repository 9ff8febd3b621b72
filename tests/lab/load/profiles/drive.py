"""Drive without a bot: phases are noted, and come out as a test has them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from lab.load.drive import Drive, Played
from lab.load.meter import Look, Usage
from lab.load.plan import Counted, Phase, Plan
from lab.load.report import overhead

PLAN = Plan(threads=10, turns=3, model_latency_s=0.5, seed="s", timeout_s=10.0, rate=20.0, seconds=8.0)


class FakeDrive(Drive):
    """Takes `outcome` for what comes of a phase: the time of each reply in seconds, and CPU seconds used."""

    def __init__(self, outcome: Callable[[Phase], tuple[float, float]], plan: Plan = PLAN) -> None:
        self.plan = plan
        self.played = []
        self.phases: list[Phase] = []
        self.waited_s = 0.0
        self.calls = 0
        self.late = 0
        self.windows_left = 0
        self.further_calls = 0
        self.anon_mb: Sequence[float] = (100.0, 100.0)
        self.file_mb = 0.0
        """Pages of files that are more at the end of a phase than at its beginning, where there are none."""
        self.usages: list[Usage | None] = []
        self._outcome = outcome

    def windows_in_memory(self) -> int:
        return self.windows_left

    def usage(self) -> Usage | None:
        return self.usages.pop(0) if len(self.usages) > 1 else self.usages[0]

    def model_calls(self) -> int:
        return self.calls

    def wait(self, seconds: float) -> None:
        self.waited_s += seconds

    def play(self, phase: Phase) -> Played:
        self.phases.append(phase)
        time_s, cpu_s = self._outcome(phase)
        sent = phase.threads * phase.turns or round(phase.rate * phase.seconds)
        commands = round(sent * phase.command_share)
        self.calls += sent + commands + self.further_calls
        times = array("d", [time_s] * sent)
        counted = Counted(sent=sent, replied=sent, seconds=1.0, late=self.late, commands=commands, reply_times_s=times)
        step = 1.0 / (len(self.anon_mb) - 1)
        looks = [
            Look(
                at=number * step,
                bot=Usage(cpu_s * number * step, anon_mb + self.file_mb * number * step, anon_mb=anon_mb),
                harness={},
                idle_s=None,
            )
            for number, anon_mb in enumerate(self.anon_mb)
        ]
        played = Played(
            phase=phase,
            counted=counted,
            looks=looks,
            after=looks[-1],
            timed_out=False,
            overhead=overhead(times, self.plan.model_latency_s),
        )
        self.played.append(played)
        return played
