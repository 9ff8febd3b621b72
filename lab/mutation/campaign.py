"""Campaign of mutants: each is tested in a process of its own, and the report counts those that no test noticed."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from lab.mutation.loading import PROJECT
from lab.mutation.mutants import Mutant, mutants_of
from lab.mutation.reasons import REASONS, Key
from lab.mutation.targets import TARGETS, Target
from lab.mutation.tester import Tester

ALL_PASSED = 0
"""Of pytest's exit codes."""
LEAST_SHARE = 0.95
"""Of the mutants that are not named with a reason, to be noticed."""
EACH_TEST_S = 60.0
"""After that a test that a mutant lets hang has failed."""
_FIRST_TIMEOUT_S = 900.0


class FailingAnywayError(Exception):
    """The tests of a module fail, or there are none, when there is no fault in it: they cannot tell anything."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mutant of one of the modules."""

    target: Target
    mutant: Mutant

    @property
    def key(self) -> Key:
        """What the table of reasons knows it by."""
        return Key(self.target.module, self.mutant.within, self.mutant.what)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant."""

    module: str
    number: int
    line: int
    within: str
    what: str
    is_durable: bool
    is_killed: bool
    reason: str
    """Why nothing can notice it, if the table says so; empty if not."""
    seconds: float

    @property
    def is_excused(self) -> bool:
        """Whether it survived and a reason is named."""
        return not self.is_killed and bool(self.reason)


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
    def excused(self) -> int:
        """How many survived with a reason."""
        return sum(outcome.is_excused for outcome in self.outcomes)

    @property
    def survivors(self) -> tuple[Outcome, ...]:
        """Those that were not noticed, for no reason."""
        return tuple(outcome for outcome in self.outcomes if not outcome.is_killed and not outcome.is_excused)

    @property
    def share(self) -> float:
        """Share of those that can be noticed that were, 0 to 1."""
        noticeable = len(self.outcomes) - self.excused
        return self.killed / noticeable if noticeable else 1.0

    @property
    def is_sound(self) -> bool:
        """Whether enough were noticed, and of the durable path all."""
        return self.share >= LEAST_SHARE and not any(outcome.is_durable for outcome in self.survivors)


def candidates(targets: Iterable[Target] = TARGETS, project: Path = PROJECT) -> list[Candidate]:
    """Every mutant of the modules."""
    return [
        Candidate(target, mutant)
        for target in targets
        for mutant in mutants_of((project / target.module).read_text("utf-8"))
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


class Campaign:
    """Tests of mutants, some side by side."""

    def __init__(
        self,
        *,
        at_once: int = 2,
        project: Path = PROJECT,
        reasons: Mapping[Key, str] = REASONS,
        each_s: float = EACH_TEST_S,
    ) -> None:
        """Nothing runs yet.

        Args:
            at_once: Processes side by side.
            project: Folder of the modules and their tests.
            reasons: Why a mutant can be noticed by nothing.
            each_s: After that a test has failed.
        """
        self._at_once, self._project, self._reasons, self._each_s = at_once, project, reasons, each_s
        self._took_s: dict[str, float] = {}
        """Tests -> how long they take without a fault."""
        self._measuring: dict[str, threading.Lock] = {}
        self._idle: SimpleQueue[Tester] = SimpleQueue()

    def run(self, selected: list[Candidate], tick: Callable[[Outcome], None]) -> Report:
        """Test each mutant.

        Args:
            selected: Which.
            tick: Told of each when it is done.

        Raises:
            FailingAnywayError: tests of one of the modules fail without any fault.
        """
        begin_s = time.perf_counter()
        testers = [Tester(str(self._project)) for _ in range(self._at_once)]
        for tester in testers:
            self._idle.put(tester)
        outcomes = []
        try:
            with ThreadPoolExecutor(self._at_once) as pool:
                for outcome in pool.map(self._tested, selected):
                    outcomes.append(outcome)
                    tick(outcome)
        finally:
            for tester in testers:
                tester.close()
        return Report(tuple(outcomes), time.perf_counter() - begin_s)

    def _tested(self, candidate: Candidate) -> Outcome:
        begin_s, mutant = time.perf_counter(), candidate.mutant
        with self._tester() as tester:
            is_killed = any(self._is_noticed(tester, candidate, path) for path in candidate.target.tests)
        return Outcome(
            module=candidate.target.module,
            number=mutant.number,
            line=mutant.line,
            within=mutant.within,
            what=mutant.what,
            is_durable=mutant.is_durable,
            is_killed=is_killed,
            reason=self._reasons.get(candidate.key, ""),
            seconds=time.perf_counter() - begin_s,
        )

    @contextmanager
    def _tester(self) -> Iterator[Tester]:
        tester = self._idle.get()
        try:
            yield tester
        finally:
            self._idle.put(tester)

    def _is_noticed(self, tester: Tester, candidate: Candidate, path: str) -> bool:
        limit_s = 5 * self._without_fault(tester, path) + self._each_s
        module, number = candidate.target.module, candidate.mutant.number
        return tester.test(module, number, (path,), limit_s, self._each_s) != ALL_PASSED

    def _without_fault(self, tester: Tester, path: str) -> float:
        """Seconds that tests take; they are run once, and must pass."""
        with self._measuring.setdefault(path, threading.Lock()):
            if path not in self._took_s:
                begin_s = time.perf_counter()
                code = tester.test("", None, (path,), _FIRST_TIMEOUT_S, _FIRST_TIMEOUT_S)
                if code != ALL_PASSED:
                    raise FailingAnywayError(f"{path}: ends with {code} without any fault")
                self._took_s[path] = time.perf_counter() - begin_s
        return self._took_s[path]
