"""Race of an editor and the agent for the index of a memory; no edit of the person's and no fact may be lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from actors.curated.folder import INDEX
from lab.chaos import race as racing
from lab.chaos.curated.memory import CuratedMemory, global_config, until_brought_back
from lab.chaos.editor import WAITS, Saver, chance
from lab.chaos.race import LAST_S, Lines, RaceReport
from messages.base import OPERATOR, Message
from messages.curated import (
    AddFact,
    FactsFlushed,
    FactStaged,
    FactWritten,
    FixFact,
    FlushFacts,
    RememberFact,
    RemoveFact,
)

BEFORE = b"# Memory\n\n## Build\n\n- `make test` runs the tests\n\n## Remembered\n\n- The wiki is at docs.example\n"
MOST_FACTS = 40


class Asker:
    """Client of the agent: adds, stages and commits, fixes and removes facts, one request after the other."""

    def __init__(self, root: Path, seed: str) -> None:
        self._config = global_config(root, WAITS)
        self._memory = CuratedMemory(self._config)
        self._seed = seed
        self.lines = Lines()

    def write(self, number: int) -> None:
        """Have the agent make write number `number`."""
        draw, fact = chance(f"{self._seed}/agent/{number}", 100), f"agent {number}"
        known = list(self.lines.there)
        old = known[chance(f"{self._seed}/agent/{number}/which", len(known))] if known else b""
        words, is_full = old.decode().removeprefix("- "), len(known) > MOST_FACTS
        if draw < 30 and not is_full:
            self._ask(AddFact, fact, text=fact)
        elif (draw < 60 and not is_full) or not old:
            self._stage(fact)
        elif draw < 80:
            self._ask(FixFact, fact, old, fact=words, text=fact)
        else:
            self._ask(RemoveFact, "", old, fact=words)

    def finish(self) -> None:
        """Have the next life restore the last writes."""
        self._memory.close()
        with CuratedMemory(self._config) as memory:
            memory.ask(FlushFacts, window=OPERATOR)
            until_brought_back(self._config.global_folder, LAST_S)

    def _ask(self, kind: type[Message], new: str, old: bytes = b"", **fields: str) -> None:
        began = perf_counter()
        if isinstance(self._memory.ask(kind, window=OPERATOR, scope="global", **fields), FactWritten):
            self.lines.note(f"- {new}".encode() if new else b"", old, began)
        else:
            self.lines.refuse(old)

    def _stage(self, fact: str) -> None:
        began = perf_counter()
        staged = self._memory.ask(RememberFact, window=OPERATOR, scope="global", text=fact)
        flushed = self._memory.ask(FlushFacts, window=OPERATOR)
        if isinstance(staged, FactStaged) and isinstance(flushed, FactsFlushed) and not flushed.rejected:
            self.lines.note(f"- {fact}".encode(), b"", began)  # what could not be written yet waits, and is at the end
        else:
            self.lines.refuse()


def race(
    folder: Path, saver: Saver, edits: int, seed: str, tick: Callable[[int], object] = lambda _write: None
) -> RaceReport:
    """Let the agent make `edits` writes while an editor makes at least as many edits."""
    path = folder / "memory" / INDEX
    path.parent.mkdir()
    path.write_bytes(BEFORE)
    return racing.race(path, saver, edits, seed, Asker(folder, seed), tick)
