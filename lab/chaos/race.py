"""Race of a person's editor and the agent for one file; no edit of either side may be lost."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Protocol

from lab.chaos.editor import EDITS_A_ROUND, PAUSE_S, Editor, Saver, chance

HUMAN = b"- human "
MOST_HUMAN = 60
"""Most lines of the person in the file: beyond this number each added line removes another."""
LAST_S = 30.0
"""Seconds for the editor's remaining edits after the agent's last edit."""
Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceReport:
    """Account of the lines of both parties."""

    saver: str
    human_edits: int
    human_lost: int
    """Added or changed lines missing from the file, and removed lines still there."""
    human_doubled: int
    agent_edits: int
    agent_lost: int
    agent_doubled: int
    refused: int
    """Edits refused by the agent with a notice."""
    overwritten: int
    """Edits of the agent made between the editor's reading and saving, and overwritten by the save.

    Not counted as lost, since such a save cannot be prevented; the editor takes longer than the agent waits."""
    left: int
    """Files left by the agent beside the file."""
    seconds: float

    @property
    def is_sound(self) -> bool:
        """True if no preventable loss occurred and no line stands twice."""
        return not (self.human_lost or self.human_doubled or self.agent_lost or self.agent_doubled or self.left)

    def line(self) -> str:
        """The report in words."""
        return (
            f"race with {self.saver} saver: {self.agent_edits} edits of the agent, {self.agent_lost} lost, "
            f"{self.agent_doubled} doubled, {self.refused} refused, {self.overwritten} overwritten; {self.human_edits} "
            f"of the editor, {self.human_lost} lost, {self.human_doubled} doubled ({self.seconds:.1f} s)"
        )


@dataclass(slots=True)
class Lines:
    """Lines of the agent, each with the times of request and completion."""

    there: dict[bytes, Span] = field(default_factory=dict)
    gone: dict[bytes, Span] = field(default_factory=dict)
    refused: int = 0

    def note(self, new: bytes, old: bytes, began: float) -> None:
        """Note a finished edit: `new` stands there, and `old` no more; empty for none."""
        when = began, perf_counter()
        if old:
            del self.there[old]
            self.gone[old] = when
        if new:
            self.there[new] = when

    def refuse(self, old: bytes = b"") -> None:
        """Note a refused edit; the fate of its old line is not promised."""
        self.refused += 1
        self.there.pop(old, None)


class Agent(Protocol):
    """Racing party under test."""

    lines: Lines

    def write(self, number: int) -> None:
        """Make edit number `number` in the lines."""

    def finish(self) -> None:
        """Restore the edits overwritten by the editor's last save."""


class Person:
    """Edits of a person: adds lines, changes and removes own lines."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self.there: set[bytes] = set()
        self.gone: set[bytes] = set()

    def revise(self, lines: list[bytes], number: int) -> None:
        """Make edit number `number` in the lines."""
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


def race(
    path: Path, saver: Saver, edits: int, seed: str, agent: Agent, tick: Callable[[int], object] = lambda _edit: None
) -> RaceReport:
    """Let the agent make `edits` edits while an editor makes at least as many.

    Args:
        path: The file, which is there.
        saver: Method of the editor's saves.
        edits: Of each.
        seed: Decides the edits of the person and the pauses.
        agent: Makes its edits in this thread.
        tick: Called after every edit of the agent's.
    """
    before, person, began, pause = path.read_bytes(), Person(seed), perf_counter(), threading.Event()
    editor = Editor(path, saver, seed, person.revise)
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
    agent.finish()
    return judge_race(path, before, (person, editor, agent.lines), edits, perf_counter() - began)


def judge_race(
    path: Path, before: bytes, parties: tuple[Person, Editor, Lines], edits: int, seconds: float
) -> RaceReport:
    """Compare the lines of both parties with the file in the end."""
    person, editor, agent = parties
    lines = Counter(path.read_bytes().split(b"\n"))
    undone = [when for line, when in agent.there.items() if not lines[line]]
    undone += [when for line, when in agent.gone.items() if lines[line]]
    overwritten = sum(
        any(read < answered_at and asked_at < saved for read, saved in editor.slow) for asked_at, answered_at in undone
    )
    return RaceReport(
        saver=editor.saver.value,
        human_edits=editor.edits,
        human_lost=sum(bool(line) and not lines[line] for line in before.split(b"\n"))
        + sum(not lines[line] for line in person.there)
        + sum(lines[line] > 0 for line in person.gone),
        human_doubled=sum(line.startswith(HUMAN) and count > 1 for line, count in lines.items()),
        agent_edits=edits,
        agent_lost=len(undone) - overwritten,
        agent_doubled=sum(lines[line] > 1 for line in agent.there),
        refused=agent.refused,
        overwritten=overwritten,
        left=sum(1 for _ in path.parent.glob(".*.agent*")),
        seconds=seconds,
    )
