"""Kills in rounds: life after life on one folder, each ended by SIGKILL, and how its files are in the end."""

from __future__ import annotations

import json
import random
import signal
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from domain.workspace.files.memory_file import SECTIONS
from domain.workspace.files.session_state import TITLES
from lab.bench.continuity.items import filed
from lab.bench.continuity.life import ANSWERED, BOOK, STARTED, WINDOW, entries
from lab.bench.continuity.place import files_of, folder
from lab.bench.measure import Figures
from lab.chaos.kills.nursery import LivingAgent, Nursery
from lab.chaos.kills.plan import LifePlan

PROGRAM = """
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # or numpy's library starts threads when it is imported
from lab.bench.continuity.life import serve
serve()
"""
LIVES_A_FOLDER = 10
"""So that files stay as small as people's are."""
LONGEST_S = 0.35
"""From a life's first step to its kill."""
PATIENCE_S = 90.0
_LOOK_S = 0.002
_FIGURES = ("items", "lost", "doubled", "history_doubled", "broken", "left", "failures")


def killed(kills: int, seed: str) -> Figures:
    """Let one life after the other be killed, and judge what they leave.

    Args:
        kills: How many.
        seed: Decides when.
    """
    chance, campaign = random.Random(seed), _Campaign()
    with folder() as whole, Nursery("none", PROGRAM) as nursery:
        for number in range(1, kills + 1):
            root = whole / f"{(number - 1) // LIVES_A_FOLDER}"
            root.mkdir(exist_ok=True)
            campaign.kill(nursery, root, number, chance.uniform(0, LONGEST_S))
            if number % LIVES_A_FOLDER == 0 or number == kills:
                campaign.judge(nursery, root)
    return campaign.figures | {"kills": kills}


class _Campaign:
    def __init__(self) -> None:
        self.figures: Figures = dict.fromkeys((f"kill_{name}" for name in _FIGURES), 0)

    def kill(self, nursery: Nursery, root: Path, number: int, after_s: float) -> None:
        """One life, killed so long after it has begun."""
        started = _started(root)
        life = nursery.start(LifePlan(number).write(root), root / "stderr")
        for _ in range(round(PATIENCE_S / _LOOK_S)):
            if _started(root) > started or life.has_ended(_LOOK_S):
                break
        life.has_ended(after_s)
        life.kill()
        self._bury(nursery, life, -signal.SIGKILL)
        last = next((what for what, _ in reversed(entries(root / BOOK)) if what not in (ANSWERED, STARTED)), "start")
        self.figures[f"kill_in_{last}"] = self.figures.get(f"kill_in_{last}", 0) + 1

    def judge(self, nursery: Nursery, root: Path) -> None:
        """A last life in a folder, which finishes what is left, and the files then."""
        number = 1_000 + int(root.name)
        last = nursery.start(LifePlan(number, is_last=True).write(root), root / "stderr")
        self._bury(nursery, last, 0)
        answered = [about for what, about in entries(root / BOOK) if what == ANSWERED and about]
        for name, value in judged(files_of(root, WINDOW), answered).items():
            self.figures[f"kill_{name}"] += value

    def _bury(self, nursery: Nursery, life: LivingAgent, wanted: int) -> None:
        if not life.has_ended(PATIENCE_S):
            life.kill()
        self.figures["kill_failures"] += nursery.bury(life).code != wanted


def judged(files: Path, answered: Iterable[str]) -> dict[str, int]:
    """What is wrong with a window's files.

    Args:
        files: Their folder.
        answered: Items that were said, in turns that were answered.
    """
    texts = {path.name: path.read_bytes() for path in sorted(files.glob("*.md"))}
    memory = filed(texts.get("MEMORY.md", b"").decode("utf-8", "replace"))
    reports = Counter(
        line
        for name in ("HISTORY.md", "HISTORY.archive.md")
        for line in texts.get(name, b"").split(b"\n")
        if line.startswith(b"- Report ")
    )
    wanted, missing = list(answered), _HEADINGS.keys() - texts.keys()
    return {
        "items": len(wanted),
        "lost": sum(not memory[item] for item in wanted),
        "doubled": sum(count - 1 for count in memory.values()),
        "history_doubled": sum(count - 1 for count in reports.values()),
        "broken": len(missing) + sum(_is_broken(name, data) for name, data in texts.items()),
        "left": sum(1 for _ in files.glob(".*.agent*")),
    }


_HEADINGS = {
    "SESSION.md": [f"# {title}" for name, title in TITLES.items() if name != "worklog"],
    "MEMORY.md": ["# Memory", *(f"## {section}" for section in SECTIONS)],
    "HISTORY.md": ["# History"],
}


def _is_broken(name: str, data: bytes) -> bool:
    """Whether a file is torn, or lacks a heading or has one twice."""
    try:
        lines = Counter(data.decode("utf-8").split("\n"))
    except UnicodeDecodeError:
        return True
    return not data.endswith(b"\n") or any(lines[heading] != 1 for heading in _HEADINGS.get(name, ()))


def _started(root: Path) -> int:
    """How many lives have begun there."""
    return sum(what == STARTED for what, _ in entries(root / BOOK))


def main() -> None:
    """Print the figures of the sizes in `argv[1]`, for `lab.bench.process`."""
    sys.stdout.write(json.dumps(killed(**json.loads(sys.argv[1]))))
