"""Measurement of curated memory: the real actor with its workers, asked for blocks as windows ask before each turn."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from actors.curated.folder import INDEX
from actors.kernel import Actor, ActorSpec, not_understood
from lab.bench.curated.data import folders, index, make_folders, windows
from lab.bench.measure import Figures, percentile, settle
from lab.curated_memory import OPERATOR, CuratedMemory
from messages.base import Address, RequestId, TurnId, Window
from messages.curated import CURATED, PagesVerified, VerifyPages
from messages.discord import ReadersListed
from messages.status import DescribeYourself, SelfDescription
from messages.turn import PrepareTurn, TurnContribution

FLOOR = Address("floor")
AT_REST_S = 0.1
"""After so long a file that was changed counts as settled."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    windows: int
    turns: int
    changes: int


WHOLE = Size(windows=200, turns=4_000, changes=400)
QUICK = Size(windows=20, turns=100, changes=20)


class Floor(Actor):
    """Contributor of nothing: what the way to an actor and back costs."""

    def handle(self, message: PrepareTurn) -> None:
        """Answer with an empty contribution."""
        match message:
            case PrepareTurn():
                answer = TurnContribution(request_id=message.request_id, contributor=str(self.address), block="")
                self.tell(message.reply_to, answer)
            case _:
                not_understood(message)


def measure(say: Say, size: Size = WHOLE) -> Figures:
    """The figures of both phases.

    Args:
        say: Is told what is being done now.
        size: How much of it.
    """
    with tempfile.TemporaryDirectory(prefix="agent-curated-") as root:
        config = make_folders(Path(root))
        readers = windows(size.windows)
        with CuratedMemory(config, ActorSpec(FLOOR.kind, lambda _key: Floor())) as memory:
            memory.system.tell(CURATED, ReadersListed(windows=readers))
            verified = memory.ask(VerifyPages, window=OPERATOR, about=readers[0].window.address.key)
            assert isinstance(verified, PagesVerified)
            assert len(verified.scopes) == len(folders(config)), "both memories have a page table"
            bench = _Bench(memory, [each.window for each in readers])
            settle()
            say(f"{size.turns} turns, files unchanged")
            figures = bench.unchanged(size.turns)
            say(f"{size.changes} changes")
            return figures | bench.changed(size.changes, folders(config))


class _Bench:
    def __init__(self, memory: CuratedMemory, of: Sequence[Window]) -> None:
        self._memory = memory
        self._windows = of
        self._numbers = itertools.count(1)

    def unchanged(self, turns: int) -> Figures:
        """Turns of all windows in turn, each beside the floor's, while nobody changes a file."""
        threading.Event().wait(AT_REST_S)
        blocks = {window: self._turn(window)[1] for window in self._windows}
        before = self._reads()
        times, floor, unequal, empty = list[float](), list[float](), 0, 0
        for number in range(turns):
            window = self._windows[number % len(self._windows)]
            elapsed, block = self._turn(window)
            times.append(elapsed)
            floor.append(self._turn(window, FLOOR)[0])
            unequal += block != blocks[window]
            empty += not block
            blocks[window] = block
        return {
            "windows": len(self._windows),
            "turns": turns,
            "files_read": self._reads() - before,
            "blocks_unequal": unequal,
            "blocks_empty": empty,
            **_percentiles("unchanged", times, floor),
        }

    def changed(self, changes: int, memories: Sequence[Path]) -> Figures:
        """The first turn after each of so many changes of a whole index by others, in both ways of saving."""
        before = self._reads()
        times, floor, stale = list[float](), list[float](), 0
        for number in range(changes):
            mark, window = f"version {number + 1}", self._windows[number % len(self._windows)]
            _save(memories[number % len(memories)] / INDEX, index(mark), in_place=number // 2 % 2 == 1)
            elapsed, block = self._turn(window)
            times.append(elapsed)
            floor.append(self._turn(window, FLOOR)[0])
            stale += mark not in block
        return {
            "changes": changes,
            "changes_not_shown": stale,
            "changed_files_read": self._reads() - before,
            **_percentiles("changed", times, floor),
        }

    def _turn(self, window: Window, to: Address = CURATED) -> tuple[float, str]:
        """Milliseconds until the contribution is there, and its block."""
        request_id = RequestId(f"turn-{next(self._numbers)}")
        turn = PrepareTurn(
            request_id=request_id,
            reply_to=self._memory.asker,
            window=window,
            turn_id=TurnId("turn"),
            author_id="1",
            author_name="Ann",
            text="What was it that we decided?",
            visible=(),
        )
        began = perf_counter()
        reply = self._memory.answer(turn, request_id, to)
        elapsed = (perf_counter() - began) * 1000
        assert isinstance(reply, TurnContribution)
        return elapsed, reply.instructions

    def _reads(self) -> int:
        """Files that the actor has read so far."""
        reply = self._memory.ask(DescribeYourself)
        assert isinstance(reply, SelfDescription)
        return int(dict(reply.operator_figures)["files_read"])


def _percentiles(name: str, times: Sequence[float], floor: Sequence[float]) -> Figures:
    figures = {f"{name}_p{percent}_ms": percentile(times, percent / 100) for percent in (50, 95, 99)}
    least = percentile(floor, 0.95)
    return {**figures, f"{name}_floor_p95_ms": least, f"{name}_p95_to_floor": figures[f"{name}_p95_ms"] / least}


def _save(path: Path, data: bytes, *, in_place: bool) -> None:
    """Save as an editor does: into the file itself, or into another that is renamed."""
    if in_place:
        path.write_bytes(data)
        return
    fresh = path.with_name("editor.tmp")
    fresh.write_bytes(data)
    fresh.replace(path)
