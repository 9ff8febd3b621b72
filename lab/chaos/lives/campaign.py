"""Campaign of kills: life after life on one folder, each ended by SIGKILL, then a last life, and a verdict."""

from __future__ import annotations

import random
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Protocol

from lab.chaos.kills.nursery import LivingAgent, Nursery
from lab.chaos.lives.account import STARTED, Account, LifePlan

PATIENCE_S = 90.0
"""Longer than a life waits for an answer."""
_LOOK_S = 0.002
_PROGRAM = """
from lab.chaos.kills.program import carry_out
from {module} import live
carry_out(lambda: None, live)
"""
Counts = Mapping[str, int]


class Killer(Protocol):
    """Starter of lives on a folder."""

    def kill(self, folder: Path, number: int, chance: random.Random) -> str:
        """Let one life begin and be killed; return the failure, empty for success."""

    def finish(self, folder: Path) -> str:
        """Let a last life finish the work of the earlier lives; return the failure, empty for success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Part of the agent to be killed, and the judge of its leftovers."""

    name: str
    killer: Callable[[Path], AbstractContextManager[Killer]]
    """Killer of lives with their temporary files in a folder."""
    judge: Callable[[Path], Counts]
    """Figures of a folder after its last life."""
    wrong: frozenset[str]
    """Figures required to be 0."""
    lives_a_folder: int
    """Lives in one folder, few enough to keep files as small as people's."""
    prepare: Callable[[Path], object] = lambda _folder: None
    """Writes the content of a folder before the first life."""
    look: Callable[[Path], Counts] = lambda _folder: {}
    """Figures of a folder right after a kill."""


@dataclass(slots=True)
class KillReport:
    """Account of all lives of a subject."""

    subject: Subject
    kills: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    """Lives with an end other than planned."""
    seconds: float = 0.0

    @property
    def is_sound(self) -> bool:
        """True if all figures required to be 0 are 0."""
        return not (self.failures or any(self.counts[name] for name in self.subject.wrong))

    def counts_of_all(self) -> Counts:
        """All figures, always including the figures required to be 0."""
        return dict.fromkeys(sorted(self.subject.wrong), 0) | dict(self.counts)

    def lines(self, name: str) -> list[str]:
        """The report in words."""
        counts = ", ".join(f"{count:,} {what}" for what, count in self.counts_of_all().items())
        summary = f"{name}: {self.kills} kills: {counts} ({self.seconds:.1f} s)"
        return [summary, *(f"failed: {failure}" for failure in self.failures)]

    def as_dict(self) -> dict[str, object]:
        """Whole report, for `json.dumps`."""
        return {"kills": self.kills, **self.counts_of_all(), "failures": self.failures, "seconds": self.seconds}


def run(subject: Subject, kills: int, seed: str, tick: Callable[[int], object] = lambda _kill: None) -> KillReport:
    """Let one life after the other be killed, and judge the leftovers."""
    began, chance, report = perf_counter(), random.Random(seed), KillReport(subject, kills)
    with tempfile.TemporaryDirectory(prefix="agent-chaos-") as whole, subject.killer(_scratch(whole)) as killer:
        for number in range(1, kills + 1):
            folder = Path(whole) / f"{(number - 1) // subject.lives_a_folder}"
            if not folder.exists():
                folder.mkdir()
                subject.prepare(folder)
            report.failures += filter(None, [killer.kill(folder, number, chance)])
            report.counts.update(subject.look(folder))
            tick(number)
            if number % subject.lives_a_folder == 0 or number == kills:
                report.failures += filter(None, [killer.finish(folder)])
                report.counts.update(subject.judge(folder))
    report.seconds = perf_counter() - began
    return report


def _scratch(whole: str) -> Path:
    scratch = Path(whole) / "scratch"
    scratch.mkdir()
    return scratch


class ForkedLives:
    """Lives of a module with a function `live(plan file)`, forked from a process with the module imported."""

    def __init__(
        self,
        module: str,
        scratch: Path,
        longest_s: float,
        plan: Callable[[int, random.Random], LifePlan] = lambda number, _chance: LifePlan(number),
    ) -> None:
        """Start the forking process.

        Args:
            module: Dotted name.
            scratch: Folder for lives' temporary files, some of them left by killed lives.
            longest_s: From a life's first step to its kill, at most.
            plan: Course of life number n; a life that dies of itself gets time for its course.
        """
        self._nursery = Nursery(_PROGRAM.format(module=module), scratch=scratch)
        self._longest_s, self._plan = longest_s, plan

    def kill(self, folder: Path, number: int, chance: random.Random) -> str:
        """Let a life be killed some time after its first step, or by itself."""
        started, plan = len(Account(folder).about(STARTED)), self._plan(number, chance)
        life = self._nursery.start(plan.write(folder), folder / "stderr")
        for _ in range(round(PATIENCE_S / _LOOK_S)):
            if len(Account(folder).about(STARTED)) > started or life.has_ended(_LOOK_S):
                break
        if not plan.dies:
            life.has_ended(chance.uniform(0, self._longest_s))
            life.kill()
        return self._bury(life, -signal.SIGKILL, plan, folder)

    def finish(self, folder: Path) -> str:
        """Let a last life run to the end."""
        plan = LifePlan(0, is_last=True)
        return self._bury(self._nursery.start(plan.write(folder), folder / "stderr"), 0, plan, folder)

    def _bury(self, life: LivingAgent, wanted: int, plan: LifePlan, folder: Path) -> str:
        """Wait for the end of a life; return the fault of the end, empty without a fault."""
        hangs = not life.has_ended(PATIENCE_S)
        if hangs:
            life.kill()
        code = self._nursery.bury(life).code
        if not hangs and code == wanted:
            return ""
        last = (folder / "stderr").read_text(errors="replace").splitlines()[-1:]
        return f"{plan}: {'hangs' if hangs else f'ended with {code}'}: {' '.join(last)}"

    def __enter__(self) -> ForkedLives:
        return self

    def __exit__(self, *_: object) -> None:
        self._nursery.close()
