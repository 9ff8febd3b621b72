"""Kills in rounds: life after life on one store, each ended by SIGKILL, and what is kept then."""

from __future__ import annotations

import json
import random
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from actors.memory.objects.audit import audit
from actors.memory.objects.database import FILE, FOLDER
from lab.bench.measure import Figures
from lab.bench.objects.life import ANSWERED, BOOK, STARTED, Book, Entry
from lab.chaos.kills.nursery import LivingAgent, Nursery
from lab.chaos.kills.plan import LifePlan

PROGRAM = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # or numpy's library starts threads when it is imported
from lab.bench.objects.life import serve
serve()
"""
LIVES_A_FOLDER = 25
LONGEST_S = 0.25
"""From a life's first step to its kill."""
PATIENCE_S = 90.0
_LOOK_S = 0.002


@dataclass(frozen=True, slots=True)
class Kept:
    """What the store says it has: hashes of versions, and events of outputs."""

    versions: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Account of what was answered against what is kept."""

    answered: int
    lost: int
    doubled: int


def judged(entries: Iterable[Entry], kept: Kept) -> Judgement:
    """What is missing of that which was answered, and what is there twice.

    Args:
        entries: The account of all lives.
        kept: What the store has in the end.
    """
    answered = [entry for entry in entries if entry.what == ANSWERED]
    versions, outputs = Counter(kept.versions), Counter(kept.outputs)
    return Judgement(
        answered=len(answered),
        lost=sum(
            entry.content_hash not in versions or bool(entry.event and entry.event not in outputs) for entry in answered
        ),
        doubled=sum(count - 1 for count in (*versions.values(), *outputs.values())),
    )


def killed(kills: int, seed: str, tick: Callable[[int], None] = lambda _kill: None) -> Figures:
    """Let one life after the other be killed, and judge what they leave.

    Args:
        kills: How many.
        seed: Decides when.
        tick: Called after every kill.
    """
    chance, campaign = random.Random(seed), _Campaign()
    with tempfile.TemporaryDirectory(prefix="agent-objects-") as whole, Nursery("none", PROGRAM) as nursery:
        for number in range(1, kills + 1):
            folder = Path(whole) / f"{(number - 1) // LIVES_A_FOLDER}"
            folder.mkdir(exist_ok=True)
            campaign.kill(nursery, folder, number, chance.uniform(0, LONGEST_S))
            tick(number)
            if number % LIVES_A_FOLDER == 0 or number == kills:
                campaign.judge(nursery, folder)
    return campaign.figures | {"kills": kills}


class _Campaign:
    def __init__(self) -> None:
        self.figures: Figures = dict.fromkeys(("answered", "lost", "doubled", "faults", "failures"), 0)

    def kill(self, nursery: Nursery, folder: Path, number: int, after_s: float) -> None:
        """One life, killed so long after it has begun."""
        started = _started(folder)
        life = nursery.start(LifePlan(number).write(folder), folder / "stderr")
        for _ in range(round(PATIENCE_S / _LOOK_S)):
            if _started(folder) > started or life.has_ended(_LOOK_S):
                break
        life.has_ended(after_s)
        life.kill()
        self._bury(nursery, life, -signal.SIGKILL)

    def judge(self, nursery: Nursery, folder: Path) -> None:
        """A last life in a folder, which says what is kept, and the account of all of them."""
        last = nursery.start(LifePlan(0, is_last=True).write(folder), folder / "stderr")
        self._bury(nursery, last, 0)
        kept = json.loads((folder / "kept.json").read_text())
        verdict = judged(Book(folder / BOOK).entries(), Kept(tuple(kept["versions"]), tuple(kept["outputs"])))
        self.figures["answered"] += verdict.answered
        self.figures["lost"] += verdict.lost
        self.figures["doubled"] += verdict.doubled
        self.figures["faults"] += len(audit(folder / FOLDER / FILE))

    def _bury(self, nursery: Nursery, life: LivingAgent, wanted: int) -> None:
        if not life.has_ended(PATIENCE_S):
            life.kill()
        self.figures["failures"] += nursery.bury(life).code != wanted


def _started(folder: Path) -> int:
    """How many lives have begun there."""
    return sum(entry.what == STARTED for entry in Book(folder / BOOK).entries())
