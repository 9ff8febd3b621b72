"""Memory of windows at rest: what the layer has of each while it is in memory, and after it has left it."""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from pathlib import Path

from actors.kernel import ActorSystem, ManualClock
from actors.objects.row import IDLE_S
from lab.bench.measure import Figures, rss_bytes, settle, silence_log
from lab.bench.objects.layer import BOUNDS, folder_of, specs, word_request
from lab.bench.objects.play import STARTS_AT, Plain, Play, Ticks
from lab.bench.objects.story import Act, Exchange, Step, Story
from lab.bench.objects.work_folder import WorkFolder
from messages.base import RequestId, Surface, Window
from messages.objects import OBJECTS_KIND, objects_of
from messages.turn import RequestWorded

KIB = 1024
WAVE = 100
"""Windows that are in memory at once; the first wave only brings the process to its working size."""
FIRST = 10
"""Windows that bring all modules and caches in, where others stay in memory."""
_FILES = {"src/orders.py": 6_000, "src/ledger.py": 6_000, "notes/plan.md": 3_000}


def story() -> Story:
    """Three turns with nine commands on three files."""
    rounds = (
        (Step(Act.PRINT, "src/orders.py"), Step(Act.PRINT, "src/ledger.py"), Step(Act.EDIT, "src/orders.py")),
        (Step(Act.PRINT, "notes/plan.md"), Step(Act.BUILD, word="test", chars=4_000), Step(Act.EDIT, "notes/plan.md")),
        (Step(Act.SEARCH, "src/orders.py", word="settle"), Step(Act.PRINT, "src/orders.py"), Step(Act.LIST, "src")),
    )
    exchanges = tuple(
        Exchange(block="", prompt=f"Please go on ({number}).", rounds=(calls,), answer=f"Done ({number}).")
        for number, calls in enumerate(rounds)
    )
    return Story("idle", _FILES, exchanges)


class _Windows:
    """A system with the layer, whose windows become idle when it is told so."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._clock = ManualClock(STARTS_AT)
        self._system = ActorSystem(workers=0, clock=self._clock)
        for spec in specs(root, IDLE_S):
            self._system.register(spec)
        self._edge = self._system.edge("bench")
        self._numbers = itertools.count(1)
        self._story = story()
        self._system.start()

    def visit(self, first: int, count: int) -> None:
        """Let so many windows have their turns."""
        for number in range(first, first + count):
            window = Window(surface=Surface.DISCORD_THREAD, id=str(910_000_000_000_200_000 + number))
            now = Ticks(self._clock, 0.0)
            folder = WorkFolder(folder_of(self._root, window), self._story, now())
            play = Play(self._story, folder, BOUNDS, Plain().manage, now)
            for turn in play.model_calls():
                request_id = RequestId(f"r{next(self._numbers)}")
                request = word_request(play.ask(turn), request_id, self._edge.address, window)
                self._system.tell(objects_of(window), request)
                self._system.run()
                reply = self._edge.receive(0)
                assert isinstance(reply, RequestWorded), reply

    def passivate(self) -> None:
        """Let so much time pass that all leave memory."""
        self._clock.advance(2 * IDLE_S)
        self._system.run()

    def living(self) -> int:
        """How many windows are in memory."""
        return sum(address.kind == OBJECTS_KIND for address in self._system)

    def stop(self) -> None:
        """End the system."""
        self._system.stop()


def at_rest(windows: int) -> Figures:
    """Resident memory that windows leave behind which came, had three turns each, and left memory."""
    with tempfile.TemporaryDirectory(prefix="agent-objects-") as root:
        known = _Windows(Path(root))
        known.visit(0, min(WAVE, windows))
        known.passivate()
        settle()
        before = rss_bytes()
        for first in range(WAVE, WAVE + windows, WAVE):
            known.visit(first, min(WAVE, WAVE + windows - first))
            known.passivate()
        settle()
        after, living = rss_bytes(), known.living()
        known.stop()
    return {"idle_windows": windows, "idle_living": living, "idle_kib": max(0, after - before) / windows / KIB}


def in_memory(windows: int) -> Figures:
    """Resident memory of windows that had three turns each, and wait for the next one."""
    with tempfile.TemporaryDirectory(prefix="agent-objects-") as root:
        known = _Windows(Path(root))
        known.visit(0, FIRST)
        settle()
        before = rss_bytes()
        known.visit(FIRST, windows)
        settle()
        after, living = rss_bytes(), known.living() - FIRST
        known.stop()
    return {"awake_windows": living, "awake_kib": max(0, after - before) / windows / KIB}


def main() -> None:
    """Print the figures of the sizes in `argv[1]`, for `lab.bench.process`; some windows `leave`, or some `stay`."""
    silence_log()
    sizes = json.loads(sys.argv[1])
    sys.stdout.write(json.dumps(at_rest(sizes["leave"]) if "leave" in sizes else in_memory(sizes["stay"])))
