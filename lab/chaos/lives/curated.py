"""Curated memory as a subject: lives stage facts and commit them, and many die in a call of the disk."""

from __future__ import annotations

import itertools
import os
import random
import re
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn, cast

from actors.curated.folder import INDEX
from actors.edited_file.rewriting import Waits
from actors.linux.disk import Disk, RealDisk
from domain.curated import journal
from lab.chaos.curated.memory import CuratedMemory, global_config, leftovers, until_brought_back
from lab.chaos.editor import chance
from lab.chaos.lives.account import ANSWERED, ASKED, STARTED, Account, LifePlan, count_doubled, count_lost
from lab.chaos.lives.campaign import Counts, ForkedLives, Subject
from messages.base import OPERATOR
from messages.curated import FactsFlushed, FactStaged, FlushFacts, RememberFact

WAITS = Waits(settle_s=0.002, verify_s=0.01)
CUT = "cut"
"""Word of a line with the number of a life's last disk call."""
LAST_S = 10.0
"""Seconds for the last life to restore the leftovers of earlier lives."""
LONGEST_S = 0.3
MOST_AT_ONCE = 4
"""Most facts staged before a commit."""
MOST_CALLS = 120
"""Most disk calls before a life's end, enough for three commits."""
CALLS_OF_AN_END = 50
BEFORE = b"""# Memory

## Build

- `make test` runs the tests
- Releases are cut on Thursdays

```
- fact of nobody's, in a code block
```
"""
_BULLET = re.compile(rb"- (?P<fact>fact [0-9]+-[0-9]+)")
"""Line of a fact requested by a life, staged or not."""


class CutDisk:
    """Disk with a fatal call: the process dies before any effect, or in mid-write."""

    def __init__(self, cut: int, account: Account, seed: str, die: Callable[[], None] | None = None) -> None:
        """Create a disk without calls so far."""
        self._real = RealDisk()
        self._cut, self._account, self._seed, self._die = cut, account, seed, die or kill_itself
        self._calls = itertools.count(1)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._real, name)

        def cut_or_call(*arguments: Any) -> Any:
            if next(self._calls) == self._cut:
                if name == "write":
                    fd, data = arguments
                    call(fd, data[: chance(self._seed, len(data) + 1)])
                self._account.note(CUT, name)
                self._die()
            return call(*arguments)

        return cut_or_call


def kill_itself() -> None:
    """End this process at once."""
    os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait()


def live(plan_file: str) -> NoReturn:
    """Live as planned in the file, in the file's folder."""
    folder, plan = Path(plan_file).parent, LifePlan.read(Path(plan_file))
    account, numbers = Account(folder), itertools.count(1)
    disk = cast("Disk", CutDisk(plan.cut, account, str(plan)))
    memory = CuratedMemory(global_config(folder, WAITS, disk), workers=1)
    account.note(STARTED)
    while not plan.is_last:
        for _ in range(1 + chance(f"{plan.number}/{next(numbers)}", MOST_AT_ONCE)):
            _stage(memory, account, f"fact {plan.number}-{next(numbers)}")
        if plan.ends:
            memory.close()
            kill_itself()
        _flush(memory)
    _flush(memory)
    until_brought_back(folder / "memory", LAST_S)
    memory.close()
    sys.exit(0)


def _stage(memory: CuratedMemory, account: Account, fact: str) -> None:
    account.note(ASKED, fact)
    reply = memory.ask(RememberFact, window=OPERATOR, scope="global", text=fact)
    if not isinstance(reply, FactStaged):
        raise RuntimeError(f"a fact is not staged: {reply}")
    account.note(ANSWERED, fact)


def _flush(memory: CuratedMemory) -> None:
    reply = memory.ask(FlushFacts, window=OPERATOR)
    if not isinstance(reply, FactsFlushed) or reply.rejected or reply.notes:
        raise RuntimeError(f"facts are not committed: {reply}")


def _plan(number: int, choices: random.Random) -> LifePlan:
    kind = choices.choice(("outside", "inside", "inside", "end"))
    most = CALLS_OF_AN_END if kind == "end" else MOST_CALLS
    return LifePlan(number, cut=0 if kind == "outside" else choices.randint(1, most), ends=kind == "end")


def _prepare(folder: Path) -> None:
    (folder / "memory").mkdir()
    (folder / "memory" / INDEX).write_bytes(BEFORE)


def judge_kept(account: Account, index: bytes) -> Counts:
    """Judge the facts of all lives of a folder, and people's earlier lines."""
    requested, staged, lines = set(account.about(ASKED)), set(account.about(ANSWERED)), index.split(b"\n")
    bullets = [_BULLET.fullmatch(line) for line in lines]
    facts = Counter(bullet["fact"].decode() for bullet in bullets if bullet)
    others = [line for line, bullet in zip(lines, bullets, strict=True) if not bullet]
    return {
        "asked": len(requested),
        "staged": len(staged),
        "committed": len(facts),
        "lost": count_lost(staged, facts),
        "doubled": count_doubled(facts),
        "strange": len(facts.keys() - requested),
        "harmed": _missing(BEFORE.rstrip(b"\n").split(b"\n"), others),
        "in_disk_calls": len(account.about(CUT)),
        **{f"in {name}": count for name, count in sorted(Counter(account.about(CUT)).items())},
    }


def _missing(wanted: Iterable[bytes], lines: Iterable[bytes]) -> int:
    """Count the wanted lines missing from the lines, compared in order."""
    rest, count = list(lines), 0
    for line in wanted:
        if line in rest:
            del rest[: rest.index(line) + 1]
        else:
            count += 1
    return count


def _waiting(folder: Path) -> int:
    """Facts waiting in a folder's journal."""
    path = folder / "memory" / journal.FILE
    return len(journal.read(path.read_bytes()).waiting) if path.exists() else 0


def _judge(folder: Path) -> Counts:
    memory = folder / "memory"
    left = len(leftovers(memory)) + _waiting(folder)
    return {**judge_kept(Account(folder), (memory / INDEX).read_bytes()), "left": left}


CURATED = Subject(
    name="curated",
    killer=lambda scratch: ForkedLives(__name__, scratch, LONGEST_S, _plan),
    judge=_judge,
    wrong=frozenset({"lost", "doubled", "strange", "harmed", "left"}),
    lives_a_folder=25,
    prepare=_prepare,
    look=lambda folder: {"waiting": _waiting(folder)},
)
"""`left` are facts still waiting in the end, and files left by an edit."""
