"""Files of a workspace as a subject: workers of the whole agent write these files in every second turn.

A life has its own clock, so waits take no real time and hardly a moment is without a write.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import count
from pathlib import Path

from actors.kernel import ManualClock, SystemClock
from domain.workspace.files.memory_file import SECTIONS
from domain.workspace.files.session_state import TITLES
from lab.bench.measure import silence_log
from lab.bench.workspace.agent import BenchAgent, window_of
from lab.bench.workspace.place import embed, files_of
from lab.bench.workspace.workers import ScriptedWorkers
from lab.chaos.lives.account import ANSWERED, STARTED, Account, LifePlan, count_doubled, count_lost
from lab.chaos.lives.campaign import Counts, ForkedLives, Subject
from messages.base import RequestId, UserId
from messages.model import ModelRequest
from messages.turn import CompactWindow

LONGEST_S = 0.35
TURN = "turn"
SETTINGS: dict[str, object] = {
    "layers.workspace": True,
    "workspace.recall": True,
    "workspace.session": True,
    "workspace.compaction": True,
    "workspace.llm": True,
    "memory.enabled": False,
    "model.max_history_tokens": 1_000,
}
WINDOW = window_of(0)
_MATTER = re.compile(r"\bmatter (\w+-\d+)\b")
_FILED = re.compile(r"\bItem (\w+-\d+) is kept\b")
_FILLER = "That was told to everybody who has to do with it, and nobody had anything against it so far. " * 3
TURNS_OF_THE_LAST = 6
MOST_TURNS_OF_UPKEEP = 150
"""Turns after which unfiled items are lost: a balance of calls earns one call in ten turns."""
TURNS_A_LIFE = 1_000
"""More than any has."""
UPKEEP_S = 45.0
"""Seconds after which an earlier life's edit is completed."""


def item_text(name: str, number: int) -> str:
    """Words about an item, to be filed once."""
    return f"Please take down matter {name}-{number}. {_FILLER}"


def item_worker(name: str) -> ScriptedWorkers:
    """Workers' model that files every item in the request; the reports carry the name `name`."""
    return ScriptedWorkers(
        (), name=name, files=lambda words: [f"Item {each} is kept." for each in _MATTER.findall(words)]
    )


def live(plan_file: str) -> None:
    """Live as planned in the file, in the file's folder."""
    root, plan = Path(plan_file).parent, LifePlan.read(Path(plan_file))
    silence_log()
    account, worker, numbers = Account(root), item_worker(f"L{plan.number}"), count(1)

    def behave(request: ModelRequest) -> str:
        account.note(request.purpose.rpartition(".")[2] or TURN)
        return worker.answer(request) if request.purpose else "Noted; it will be in the list from now on."

    agent = BenchAgent(root, behave, embed, SETTINGS, clock=ManualClock(SystemClock().now()))
    account.note(STARTED)
    for number in range(1, (TURNS_OF_THE_LAST if plan.is_last else TURNS_A_LIFE) + 1):
        message = plan.number * TURNS_A_LIFE + next(numbers)
        text = "And so on; nothing to take down." if plan.is_last else item_text(f"L{plan.number}", number)
        agent.say(WINDOW, text, message)
        agent.rest(5)
        if not plan.is_last:
            account.note(ANSWERED, f"L{plan.number}-{number}")
    _finish(agent)
    sys.exit(0)


def _finish(agent: BenchAgent) -> None:
    """Have all messages filed, and all leftovers of earlier lives repaired."""
    for _ in range(3):
        agent.rest(UPKEEP_S)
    request_id = RequestId(agent.system.new_id())
    compact = CompactWindow(request_id=request_id, reply_to=agent.edge.address, window=WINDOW, asked_by=UserId("1"))
    agent.ask(WINDOW.address, compact)
    wanted, files = Account(agent.root).about(ANSWERED), files_of(agent.root, WINDOW)
    for number in range(MOST_TURNS_OF_UPKEEP):
        agent.say(WINDOW, "And so on; nothing to take down.", 900_000_000 + number)
        agent.rest(UPKEEP_S)
        if number >= TURNS_OF_THE_LAST and not judge_kept(files, wanted)["lost"]:
            break
    agent.stop()


def judge_kept(files: Path, answered: Iterable[str]) -> Counts:
    """Figures of a window's files, and their faults.

    Args:
        files: Folder of the files.
        answered: Items said in answered turns.
    """
    texts = {path.name: path.read_bytes() for path in sorted(files.glob("*.md"))}
    memory = Counter(_FILED.findall(texts.get("MEMORY.md", b"").decode("utf-8", "replace")))
    reports = Counter(
        line
        for name in ("HISTORY.md", "HISTORY.archive.md")
        for line in texts.get(name, b"").split(b"\n")
        if line.startswith(b"- Report ")
    )
    wanted, missing = list(answered), _HEADINGS.keys() - texts.keys()
    return {
        "items": len(wanted),
        "lost": count_lost(wanted, memory),
        "doubled": count_doubled(memory),
        "history_doubled": count_doubled(reports),
        "broken": len(missing) + sum(_is_broken(name, data) for name, data in texts.items()),
        "left": sum(1 for _ in files.glob(".*.agent*")),
    }


_HEADINGS = {
    "SESSION.md": [f"# {title}" for name, title in TITLES.items() if name != "worklog"],
    "MEMORY.md": ["# Memory", *(f"## {section}" for section in SECTIONS)],
    "HISTORY.md": ["# History"],
}


def _is_broken(name: str, data: bytes) -> bool:
    """True if a file is torn, lacks a heading or has a heading twice."""
    try:
        lines = Counter(data.decode("utf-8").split("\n"))
    except UnicodeDecodeError:
        return True
    return not data.endswith(b"\n") or any(lines[heading] != 1 for heading in _HEADINGS.get(name, ()))


def _last_begun(folder: Path) -> Counts:
    """Step of a life at the time of the kill."""
    words = [word for word, _ in Account(folder).lines() if word not in (ANSWERED, STARTED)]
    return {f"in {words[-1] if words else 'start'}": 1}


WORKSPACE = Subject(
    name="workspace",
    killer=lambda scratch: ForkedLives(__name__, scratch, LONGEST_S),
    judge=lambda folder: judge_kept(files_of(folder, WINDOW), Account(folder).about(ANSWERED)),
    wrong=frozenset({"lost", "doubled", "history_doubled", "broken", "left"}),
    lives_a_folder=10,
    look=_last_begun,
)
"""`items` are the items said in answered turns; `left` are versions beside the files."""
