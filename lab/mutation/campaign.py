"""Campaign of mutants: each is tested in a process of its own, and the report counts those that no test noticed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from lab.mutation.mutants import Mutant, mutants_of
from lab.mutation.plugin import PROJECT, VARIABLE
from lab.mutation.targets import TARGETS, Target

ALL_PASSED, SOME_FAILED = 0, 1
"""Of pytest's exit codes."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mutant of one of the modules."""

    target: Target
    mutant: Mutant

    @property
    def name(self) -> str:
        """As the environment of a test process takes it."""
        return f"{self.target.module}:{self.mutant.number}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant."""

    name: str
    line: int
    what: str
    is_durable: bool
    is_killed: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """What became of all of them."""

    outcomes: tuple[Outcome, ...]
    seconds: float

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return sum(outcome.is_killed for outcome in self.outcomes)

    @property
    def survivors(self) -> tuple[Outcome, ...]:
        """Those that were not."""
        return tuple(outcome for outcome in self.outcomes if not outcome.is_killed)

    @property
    def share(self) -> float:
        """Share of those that were noticed, 0 to 1."""
        return self.killed / len(self.outcomes) if self.outcomes else 1.0


def candidates(targets: Iterable[Target] = TARGETS) -> list[Candidate]:
    """Every mutant of the modules."""
    return [
        Candidate(target, mutant)
        for target in targets
        for mutant in mutants_of((PROJECT / target.module).read_text("utf-8"))
    ]


def chosen(everything: list[Candidate], count: int, seed: str) -> list[Candidate]:
    """Some of the mutants, those of the durable path before others, drawn so that a seed always gives the same.

    Args:
        everything: To choose from.
        count: How many, or all if there are fewer.
        seed: Any word.
    """
    drawn = random.Random(seed).sample(everything, len(everything))
    return sorted(drawn, key=lambda each: not each.mutant.is_durable)[:count]


def run(selected: list[Candidate], *, at_once: int, timeout_s: float, tick: Callable[[int], None]) -> Report:
    """Test each mutant.

    Args:
        selected: Which.
        at_once: Processes side by side.
        timeout_s: After that a mutant that makes a test hang counts as noticed.
        tick: Told how many are done.
    """
    begin_s, done = time.monotonic(), 0
    outcomes = []
    with ThreadPoolExecutor(at_once) as pool:
        for outcome in pool.map(lambda each: _tested(each, timeout_s), selected):
            outcomes.append(outcome)
            done += 1
            tick(done)
    return Report(tuple(outcomes), time.monotonic() - begin_s)


def _tested(candidate: Candidate, timeout_s: float) -> Outcome:
    begin_s, mutant = time.monotonic(), candidate.mutant
    is_killed = _is_noticed(candidate.name, candidate.target.tests, timeout_s)
    return Outcome(candidate.name, mutant.line, mutant.what, mutant.is_durable, is_killed, time.monotonic() - begin_s)


def _is_noticed(name: str, tests: tuple[str, ...], timeout_s: float) -> bool:
    there = [path for path in tests if (PROJECT / path).exists()]
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-x", "-n", "0", "-p", "lab.mutation.plugin", *there]
    environment = os.environ | {VARIABLE: name, "PYTHONPATH": str(PROJECT), "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        [*command, "-p", "no:cacheprovider"],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(timeout_s) != ALL_PASSED
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return True
