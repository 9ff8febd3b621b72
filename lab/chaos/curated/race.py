"""Race of an editor and the agent for the index of a memory; no edit of the person's and no fact may be lost."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from actors.curated.folder import INDEX
from lab.chaos.curated_memory import OPERATOR, CuratedMemory, global_config, leftovers, until_brought_back
from lab.chaos.editor import EDITS_A_ROUND, PAUSE_S, WAITS, Editor, Saver, chance
from messages.base import Message
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
HUMAN = b"- human "
MOST_HUMAN = 60
"""Most lines of the person in the file: beyond that each added line removes another."""
MOST_FACTS = 40
LAST_S = 30.0
"""Seconds for the editor's remaining edits after the agent's last edit."""


@dataclass(frozen=True, slots=True)
class RaceReport:
    """Account of everybody's lines."""

    saver: str
    human_edits: int
    human_lost: int
    """Lines that were added or changed and are not there, and those that were taken out and are."""
    human_doubled: int
    agent_edits: int
    agent_lost: int
    agent_doubled: int
    refused: int
    """Requests that the agent refused, and said so."""
    overwritten: int
    """Facts that were written while the editor, having read before, had not saved yet: the editor saves without the
    facts. Not counted as lost, since such a save cannot be prevented; the editor takes longer than the agent waits."""
    left: int
    """Files that the agent left beside the index."""
    seconds: float

    @property
    def is_sound(self) -> bool:
        """True if no preventable loss occurred and no line stands twice."""
        return not (self.human_lost or self.human_doubled or self.agent_lost or self.agent_doubled or self.left)


class Person:
    """Edits of a person in the index: adds lines, changes and removes own lines."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self.there: set[bytes] = set()
        self.gone: set[bytes] = set()

    def revise(self, lines: list[bytes], number: int) -> None:
        """Make the edit of that number."""
        own = [place for place, line in enumerate(lines) if line.startswith(HUMAN)]
        draw = chance(f"{self._seed}/{number}/what", 100)
        if draw < 60 - 20 * (len(own) > MOST_HUMAN) or not own:
            lines.insert(1 + chance(f"{self._seed}/{number}/where", len(lines) - 1), self._new(number))
            return
        place = own[chance(f"{self._seed}/{number}/which", len(own))]
        self.there.discard(lines[place])
        self.gone.add(lines[place])
        if draw < 80:
            lines[place] = self._new(number)
        else:
            del lines[place]

    def _new(self, number: int) -> bytes:
        line = HUMAN + b"%d" % number
        self.there.add(line)
        return line


class Asker:
    """Client of the agent: adds, stages and commits, fixes and removes facts, one request after the other."""

    def __init__(self, memory: CuratedMemory, seed: str) -> None:
        self._memory = memory
        self._seed = seed
        self.there: dict[str, tuple[float, float]] = {}
        """Fact -> when it was asked for and when it was told to be written."""
        self.gone: dict[str, tuple[float, float]] = {}
        self.refused = 0

    def write(self, number: int) -> None:
        """Have the agent make the write of that number."""
        draw, fact = chance(f"{self._seed}/agent/{number}", 100), f"agent {number}"
        known = list(self.there)
        old = known[chance(f"{self._seed}/agent/{number}/which", len(known))] if known else ""
        is_full = len(known) > MOST_FACTS
        if draw < 30 and not is_full:
            self._ask(AddFact, fact, text=fact)
        elif (draw < 60 and not is_full) or not old:
            self._stage(fact)
        elif draw < 80:
            self._ask(FixFact, fact, old, fact=old, text=fact)
        else:
            self._ask(RemoveFact, "", old, fact=old)

    def _ask(self, kind: type[Message], new: str, old: str = "", **fields: str) -> None:
        began = perf_counter()
        reply = self._memory.ask(kind, window=OPERATOR, scope="global", **fields)
        if isinstance(reply, FactWritten):
            self._note(new, old, began)
        else:
            self._forget(old)

    def _stage(self, fact: str) -> None:
        began = perf_counter()
        staged = self._memory.ask(RememberFact, window=OPERATOR, scope="global", text=fact)
        flushed = self._memory.ask(FlushFacts, window=OPERATOR)
        if isinstance(staged, FactStaged) and isinstance(flushed, FactsFlushed) and not flushed.rejected:
            self._note(fact, "", began)  # what could not be written yet waits, and is at the end
        else:
            self._forget("")

    def _note(self, new: str, old: str, began: float) -> None:
        when = began, perf_counter()
        if old:
            del self.there[old]
            self.gone[old] = when
        if new:
            self.there[new] = when

    def _forget(self, old: str) -> None:
        """The agent refused; what became of the fact is not promised."""
        self.refused += 1
        self.there.pop(old, None)


def race(
    folder: Path, saver: Saver, edits: int, seed: str, tick: Callable[[int], None] = lambda _write: None
) -> RaceReport:
    """Let the agent make `edits` writes while an editor makes at least as many edits.

    Args:
        folder: Empty; the memory is made in it.
        saver: How the editor saves.
        edits: Of each.
        seed: Decides what is written and how long the pauses are.
        tick: Called after every write of the agent's.
    """
    config = global_config(folder, WAITS)
    config.global_folder.mkdir()
    path = config.global_folder / INDEX
    path.write_bytes(BEFORE)
    person, began, pause = Person(seed), perf_counter(), threading.Event()
    editor = Editor(path, saver, seed, person.revise)
    with CuratedMemory(config) as memory:
        agent = Asker(memory, seed)
        editor.start()
        for number in range(edits):
            agent.write(number)
            editor.allowed += EDITS_A_ROUND
            tick(number)
            pause.wait(PAUSE_S * chance(f"{seed}/pause/agent/{number}", 100) / 100)
        deadline = perf_counter() + LAST_S
        while editor.edits < edits and perf_counter() < deadline:
            pause.wait(PAUSE_S)
        editor.stop()
    with CuratedMemory(config) as memory:  # what somebody wrote last of all is brought back by the next life
        memory.ask(FlushFacts, window=OPERATOR)
        until_brought_back(config.global_folder, LAST_S)
    return report_of(config.global_folder, saver, edits, (person, editor, agent), perf_counter() - began)


def report_of(
    folder: Path, saver: Saver, writes: int, parties: tuple[Person, Editor, Asker], seconds: float
) -> RaceReport:
    """Compare the lines of all parties with the final index of a memory folder.

    Args:
        folder: Folder with the final index.
        saver: Method of the editor's saves.
        writes: Number of the agent's writes.
        parties: Person, editor and client, with their records.
        seconds: Length of the race.
    """
    person, editor, agent = parties
    lines = Counter((folder / INDEX).read_bytes().split(b"\n"))
    undone = [when for fact, when in agent.there.items() if not lines[_bullet(fact)]]
    undone += [when for fact, when in agent.gone.items() if lines[_bullet(fact)]]
    overwritten = sum(any(read < told and asked < saved for read, saved in editor.slow) for asked, told in undone)
    doubled = [line for line, count in lines.items() if count > 1]
    kept = [line for line in BEFORE.split(b"\n") if line and not lines[line]]
    return RaceReport(
        saver=saver.value,
        human_edits=editor.edits,
        human_lost=len(kept)
        + sum(not lines[each] for each in person.there)
        + sum(lines[each] > 0 for each in person.gone),
        human_doubled=sum(line.startswith(HUMAN) for line in doubled),
        agent_edits=writes,
        agent_lost=len(undone) - overwritten,
        agent_doubled=sum(line.startswith(b"- agent ") for line in doubled),
        refused=agent.refused,
        overwritten=overwritten,
        left=len(leftovers(folder)),
        seconds=seconds,
    )


def _bullet(fact: str) -> bytes:
    return f"- {fact}".encode()
