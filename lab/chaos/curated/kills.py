"""Kills between staging and commit: life after life in a folder, each ended by SIGKILL, and what stands then."""

from __future__ import annotations

import random
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from actors.curated.folder import INDEX
from domain.curated import journal
from lab.chaos.curated.account import Verdict, judged, read
from lab.chaos.curated.life import BOOK, CuratedLifePlan
from lab.chaos.kills.nursery import LivingAgent, Nursery
from lab.curated_memory import leftovers

PROGRAM = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # or numpy's library starts threads when it is imported
from lab.chaos.curated.life import serve
serve()
"""
LIVES_A_FOLDER = 25
"""So that an index stays as small as people's are."""
MOST_CALLS = 120
"""Of the disk, in which a life may end: that is three commits."""
CALLS_OF_AN_END = 50
LONGEST_S = 0.3
"""From the fork to a kill from outside."""
PATIENCE_S = 90.0
"""Longer than a life waits for an answer."""
BEFORE = b"""# Memory

## Build

- `make test` runs the tests
- Releases are cut on Thursdays

```
- fact of nobody's, in a code block
```
"""


@dataclass(frozen=True, slots=True)
class KillReport:
    """Account of all lives."""

    kills: int
    in_disk_calls: int
    calls: dict[str, int]
    """Call of the disk -> kills in it."""
    asked: int
    staged: int
    """Of which the agent said so."""
    waiting: int
    """Facts that a kill met between staging and commit, some more than once."""
    committed: int
    """Facts that stand in the indexes in the end."""
    lost: int
    doubled: int
    strange: int
    harmed: int
    left: int
    """Facts that wait in the end, and files that an edit left."""
    failures: tuple[str, ...]
    """Lives that ended otherwise than planned."""
    seconds: float

    @property
    def is_sound(self) -> bool:
        """Whether each staged fact stands once, and everything else is as it was."""
        return not (self.lost or self.doubled or self.strange or self.harmed or self.left or self.failures)


def kill_everywhere(
    folders: Callable[[], Path], kills: int, seed: str, tick: Callable[[int], None] = lambda _kill: None
) -> KillReport:
    """Let one life after the other be killed.

    Args:
        folders: Gives an empty folder at each call.
        kills: How many.
        seed: Decides where they are killed and how much they stage.
        tick: Called after every kill.
    """
    began, choices, campaign = perf_counter(), random.Random(seed), _Campaign()
    scratch = folders()
    with Nursery("none", PROGRAM, scratch=scratch) as nursery:
        folder = None
        for number in range(1, kills + 1):
            if folder is None:
                folder = folders()
                (folder / "memory").mkdir()
                (folder / "memory" / INDEX).write_bytes(BEFORE)
            campaign.kill(nursery, folder, number, seed, choices)
            tick(number)
            if number % LIVES_A_FOLDER == 0 or number == kills:
                campaign.judge(nursery, folder, seed)
                folder = None
    return campaign.report(kills, perf_counter() - began)


class _Campaign:
    def __init__(self) -> None:
        self._verdicts: list[Verdict] = []
        self._calls: Counter[str] = Counter()
        self._asked = self._staged = self._waiting = self._left = 0
        self._failures: list[str] = []

    def kill(self, nursery: Nursery, folder: Path, number: int, seed: str, choices: random.Random) -> None:
        """One life that is killed."""
        kind = choices.choice(("outside", "inside", "inside", "end"))
        most = CALLS_OF_AN_END if kind == "end" else MOST_CALLS
        cut = 0 if kind == "outside" else choices.randint(1, most)
        plan = CuratedLifePlan(number, seed=seed, cut=cut, ends=kind == "end")
        life = nursery.start(plan.write(folder), folder / "stderr")
        if kind == "outside":
            life.has_ended(choices.uniform(0, LONGEST_S))
            life.kill()
        self._expect(-signal.SIGKILL, nursery, life, f"{plan}", folder)
        self._waiting += _waiting(folder / "memory")

    def judge(self, nursery: Nursery, folder: Path, seed: str) -> None:
        """A last life in a folder, and the account of all of them."""
        plan = CuratedLifePlan(0, seed=seed, is_last=True)
        self._expect(0, nursery, nursery.start(plan.write(folder), folder / "stderr"), f"{plan}", folder)
        account, memory = read(folder / BOOK), folder / "memory"
        self._verdicts.append(judged(account, BEFORE, (memory / INDEX).read_bytes()))
        self._calls.update(account.cuts)
        self._asked += len(account.asked)
        self._staged += len(account.staged)
        self._left += len(leftovers(memory)) + _waiting(memory)

    def _expect(self, wanted: int, nursery: Nursery, life: LivingAgent, plan: str, folder: Path) -> None:
        """Note a life that does not come to the end that is wanted, an exit code."""
        hangs = not life.has_ended(PATIENCE_S)
        if hangs:
            life.kill()
        code = nursery.bury(life).code
        if hangs or code != wanted:
            told = (folder / "stderr").read_text(errors="replace").splitlines()
            self._failures.append(f"{plan}: {'hangs' if hangs else f'ended with {code}'}: {' '.join(told[-1:])}")

    def report(self, kills: int, seconds: float) -> KillReport:
        """All of it."""
        return KillReport(
            kills=kills,
            in_disk_calls=self._calls.total(),
            calls=dict(sorted(self._calls.items())),
            asked=self._asked,
            staged=self._staged,
            waiting=self._waiting,
            committed=sum(each.stand for each in self._verdicts),
            lost=sum(each.lost for each in self._verdicts),
            doubled=sum(each.doubled for each in self._verdicts),
            strange=sum(each.strange for each in self._verdicts),
            harmed=sum(each.harmed for each in self._verdicts),
            left=self._left,
            failures=tuple(self._failures),
            seconds=seconds,
        )


def _waiting(memory: Path) -> int:
    """How many facts wait in a folder's journal."""
    path = memory / journal.FILE
    return len(journal.read(path.read_bytes()).waiting) if path.exists() else 0
