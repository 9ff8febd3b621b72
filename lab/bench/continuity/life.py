"""Life of a process whose workers write files in every second turn, until it is killed.

It is forked by `lab.chaos.kills.program` from a process that has imported everything. The clock is its own, so that no
wait is waited for and hardly a moment is without a write.
"""

from __future__ import annotations

import os
import sys
from itertools import count
from pathlib import Path

from actors.kernel import ManualClock, SystemClock
from lab.bench.continuity.agent import BenchAgent, window_of
from lab.bench.continuity.hanging import SETTINGS
from lab.bench.continuity.items import item_text, item_worker
from lab.bench.continuity.place import embed
from lab.bench.measure import silence_log
from lab.chaos.kills.plan import LifePlan
from lab.chaos.kills.program import carry_out
from messages.base import RequestId, UserId
from messages.model import ModelRequest
from messages.turn import CompactWindow

BOOK = "account"
STARTED, TURN, ANSWERED = "started", "turn", "answered"
WINDOW = window_of(0)
TURNS_OF_THE_LAST = 6
TURNS_A_LIFE = 1_000
"""More than any has."""
UPKEEP_S = 45.0
"""After which an edit of an earlier life is looked after."""


class Book:
    """Account of a folder's lives; what is written is there, whenever the writer is killed."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def note(self, what: str, about: str = "") -> None:
        """Append a line."""
        os.write(self._fd, f"{what} {about}\n".encode())


def entries(path: Path) -> list[tuple[str, str]]:
    """Every line of a book: what, and about what."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [(what, about) for what, _, about in (line.partition(" ") for line in lines)]


def serve() -> None:
    """Fork lives, as `lab.chaos.kills.program` does agents; everything that they need is imported by now."""
    carry_out(silence_log, live)


def live(plan_file: str) -> None:
    """Live as the file says, in the folder in which it stands."""
    root, plan = Path(plan_file).parent, LifePlan.read(Path(plan_file))
    book, worker, numbers = Book(root / BOOK), item_worker(f"L{plan.number}"), count(1)

    def behave(request: ModelRequest) -> str:
        book.note(request.purpose.rpartition(".")[2] or TURN)
        return worker.answer(request) if request.purpose else "Noted; it will be in the list from now on."

    agent = BenchAgent(root, behave, embed, SETTINGS, clock=ManualClock(SystemClock().now()))
    book.note(STARTED)
    for number in range(1, (TURNS_OF_THE_LAST if plan.is_last else TURNS_A_LIFE) + 1):
        message = plan.number * TURNS_A_LIFE + next(numbers)
        text = "And so on; nothing to take down." if plan.is_last else item_text(f"L{plan.number}", number)
        agent.say(WINDOW, text, message)
        agent.rest(5)
        book.note(ANSWERED, f"L{plan.number}-{number}" if not plan.is_last else "")
    _finish(agent)
    sys.exit(0)


def _finish(agent: BenchAgent) -> None:
    """Have everything filed that was said, and whatever an earlier life left put right."""
    for _ in range(3):
        agent.rest(UPKEEP_S)
    request_id = RequestId(agent.system.new_id())
    compact = CompactWindow(request_id=request_id, reply_to=agent.edge.address, window=WINDOW, asked_by=UserId("1"))
    agent.ask(WINDOW.address, compact)
    for number in range(TURNS_OF_THE_LAST):
        agent.say(WINDOW, "And so on; nothing to take down.", 900_000_000 + number)
        agent.rest(UPKEEP_S)
    agent.stop()
