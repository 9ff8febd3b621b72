"""Life of a process that keeps a memory: stages facts and commits them until it is killed.

It is forked by `lab.chaos.kills.program` from a process that has imported everything.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from actors.edited_file.rewriting import Waits
from actors.linux.disk import Disk, RealDisk
from lab.chaos.curated.account import ASKED, CUT, STAGED, AccountBook
from lab.chaos.editor import chance
from lab.chaos.kills.plan import LifePlan
from lab.chaos.kills.program import carry_out
from lab.curated_memory import OPERATOR, CuratedMemory, global_config, until_brought_back
from messages.curated import FactsFlushed, FactStaged, FlushFacts, RememberFact

WAITS = Waits(settle_s=0.002, verify_s=0.01)
BOOK = "account"
LAST_S = 10.0
"""How long the last life may take to bring back what others left."""
MOST_AT_ONCE = 4
"""Facts that are staged before a commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedLifePlan(LifePlan):
    """Course of a life that keeps a memory; the last only commits what waits."""

    seed: str
    cut: int = 0
    """It ends in its disk's call of that number; 0 for a kill from outside."""
    ends: bool = False
    """Whether it stages once and then ends in good order, which commits; it is killed on that way at the latest."""


class CutDisk:
    """Disk in whose call of a certain number the process dies: before anything of it is done, or in mid-write."""

    def __init__(self, cut: int, book: AccountBook, seed: str) -> None:
        """A disk that has not been called.

        Args:
            cut: Number of the call, from 1 on; 0 for none.
            book: Where the call is noted that is the last.
            seed: Decides how much of a cut write is written.
        """
        self._real = RealDisk()
        self._cut = cut
        self._book = book
        self._seed = seed
        self._calls = itertools.count(1)

    def open(self, path: Path, flags: int, mode: int = 0o600, /) -> int:
        """As the system's."""
        self._call("open")
        return self._real.open(path, flags, mode)

    def write(self, fd: int, data: bytes, /) -> int:
        """As the system's; a cut one writes a part."""
        self._call("write", lambda: self._real.write(fd, data[: chance(self._seed, len(data) + 1)]))
        return self._real.write(fd, data)

    def sync(self, fd: int, /) -> None:
        """As the system's."""
        self._call("sync")
        self._real.sync(fd)

    def sync_folder(self, folder: Path, /) -> None:
        """As the system's."""
        self._call("sync_folder")
        self._real.sync_folder(folder)

    def make_folder(self, folder: Path, /) -> None:
        """As the system's."""
        self._call("make_folder")
        self._real.make_folder(folder)

    def link(self, path: Path, other: Path, /) -> None:
        """As the system's."""
        self._call("link")
        self._real.link(path, other)

    def replace(self, path: Path, other: Path, /) -> None:
        """As the system's."""
        self._call("replace")
        self._real.replace(path, other)

    def exchange(self, path: Path, other: Path, /) -> bool:
        """As the system's."""
        self._call("exchange")
        return self._real.exchange(path, other)

    def unlink(self, path: Path, /) -> None:
        """As the system's."""
        self._call("unlink")
        self._real.unlink(path)

    def change_mode(self, fd: int, mode: int, /) -> None:
        """As the system's."""
        self._call("change_mode")
        self._real.change_mode(fd, mode)

    def _call(self, name: str, last_act: Callable[[], object] = lambda: None) -> None:
        if next(self._calls) == self._cut:
            last_act()
            self._book.note(CUT, name)
            die()


def die() -> None:
    """End this process at once."""
    os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait()


def serve() -> None:
    """Fork lives, as `lab.chaos.kills.program` does agents; everything that they need is imported by now."""
    carry_out(lambda: None, live)


def live(plan_file: str) -> NoReturn:
    """Live as the file says, in the folder in which it stands."""
    folder, plan = Path(plan_file).parent, CuratedLifePlan.read(Path(plan_file))
    book = AccountBook(folder / BOOK)
    disk: Disk = CutDisk(plan.cut, book, f"{plan.seed}/{plan.number}")
    memory = CuratedMemory(global_config(folder, WAITS, disk), workers=1)
    numbers = itertools.count(1)
    while not plan.is_last:
        for _ in range(1 + chance(f"{plan.seed}/{plan.number}/{next(numbers)}", MOST_AT_ONCE)):
            _stage(memory, book, f"fact {plan.number}-{next(numbers)}")
        if plan.ends:
            memory.close()
            die()
        _flush(memory)
    _flush(memory)
    until_brought_back(folder / "memory", LAST_S)
    memory.close()
    sys.exit(0)


def _stage(memory: CuratedMemory, book: AccountBook, fact: str) -> None:
    book.note(ASKED, fact)
    reply = memory.ask(RememberFact, window=OPERATOR, scope="global", text=fact)
    if not isinstance(reply, FactStaged):
        raise RuntimeError(f"a fact is not staged: {reply}")
    book.note(STAGED, fact)


def _flush(memory: CuratedMemory) -> None:
    reply = memory.ask(FlushFacts, window=OPERATOR)
    if not isinstance(reply, FactsFlushed) or reply.rejected or reply.notes:
        raise RuntimeError(f"facts are not committed: {reply}")
