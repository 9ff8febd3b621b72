"""Race of an editor and the agent for the reminders' file; no line of a person may be lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

from actors.edited_file.access import FileRefusedError
from actors.edited_file.file import EditedFile
from actors.edited_file.rewriting import Edit, Rewriting
from actors.linux.disk import Disk
from domain.edit.merge import apply
from domain.reminder.document import append, remove_line
from lab.chaos.editor import EDITS_A_ROUND, PAUSE_S, WAITS, Editor, Saver, chance

_TRIES = 5


@dataclass(frozen=True, slots=True)
class RaceReport:
    """Account of everybody's lines."""

    saver: str
    human_edits: int
    human_lost: int
    agent_edits: int
    agent_lost: int
    refused: int
    """Edits of the agent that it gave up and said so."""
    overwritten: int
    """Edits of the agent that were done while the editor, having read before, had not saved yet: the editor saves
    without the edits. Not counted as lost, since such a save cannot be prevented; the editor takes longer than the
    agent waits."""
    seconds: float

    @property
    def is_sound(self) -> bool:
        """True if no preventable loss occurred."""
        return self.human_lost == 0 and self.agent_lost == 0


def race(
    folder: Path,
    saver: Saver,
    rounds: int,
    seed: str,
    disk: Disk | None = None,
    tick: Callable[[int], None] = lambda _round: None,
) -> RaceReport:
    """Let the agent make `rounds` edits while an editor makes its own.

    Args:
        folder: Empty; the file is made in it.
        saver: How the editor saves.
        rounds: Of the agent.
        seed: Decides where lines go and how long the pauses are.
        disk: How files change names; the system's own by default.
        tick: Called after every round.
    """
    path = folder / "reminders.md"
    path.write_bytes(b"# Reminders\n\nend\n")
    file = EditedFile(path, folder / "spare", disk)

    def revise(lines: list[bytes], edit: int) -> None:
        lines.insert(chance(f"{seed}/{edit}", len(lines)), human_line(edit))

    agent, editor = _Agent(file), Editor(path, saver, seed, revise)
    began = perf_counter()
    editor.start()
    pause = threading.Event()
    for number in range(rounds):
        agent.edit(number)
        editor.allowed += EDITS_A_ROUND
        tick(number)
        pause.wait(PAUSE_S * chance(f"{seed}/agent/{number}", 100) / 100)
    editor.stop()
    agent.finish()
    lines = frozenset(path.read_bytes().split(b"\n"))
    human_lines = [human_line(number) for number in range(editor.edits)]
    undone = [at for line, at in agent.added.items() if line not in lines]
    undone += [at for line, at in agent.removed.items() if line in lines]
    overwritten = sum(any(began < at < ended for began, ended in editor.slow) for at in undone)
    return RaceReport(
        saver=saver.value,
        human_edits=editor.edits,
        human_lost=sum(line not in lines for line in human_lines),
        agent_edits=rounds,
        agent_lost=len(undone) - overwritten,
        refused=agent.refused,
        overwritten=overwritten,
        seconds=perf_counter() - began,
    )


class _Agent:
    """Adds lines, and removes every third of them again."""

    def __init__(self, file: EditedFile) -> None:
        self._file = file
        self._last: Rewriting | None = None
        self.added: dict[bytes, float] = {}
        """Line -> when it was done."""
        self.removed: dict[bytes, float] = {}
        self.refused = 0

    def edit(self, number: int) -> None:
        if number % 3 == 2 and self.added:
            line = next(reversed(self.added))
            if self._make(lambda data: remove_line(data, line)):
                del self.added[line]
                self.removed[line] = perf_counter()
            return
        text = agent_line(number)
        if self._make(lambda data: append(data, text)):
            self.added[text.encode()] = perf_counter()

    def finish(self) -> None:
        """Make up for what the editor wrote last of all."""
        self._stragglers()

    def _make(self, edit: Edit) -> bool:
        rewriting = Rewriting(self._file, edit, WAITS)
        try:
            rewriting.run(threading.Event().wait)
        except FileRefusedError:
            self.refused += 1
            self._settle(rewriting)
            return False
        self._stragglers()
        self._last = rewriting
        return True

    def _stragglers(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            self._settle(last)

    def _settle(self, rewriting: Rewriting) -> None:
        """Make edits of others again that the file may lack, as the agent's queue does."""
        hunks = rewriting.debts()
        for _ in range(_TRIES if hunks else 0):
            again = Rewriting(self._file, partial(apply, hunks), WAITS)
            try:
                again.run(threading.Event().wait)
            except FileRefusedError:
                hunks += again.debts()
            else:
                self._last = again
                rewriting.settle()
                return


def human_line(number: int) -> bytes:
    """Line that the editor adds in one edit."""
    return b"human %d" % number


def agent_line(number: int) -> str:
    """Line that the agent adds in one edit."""
    return f'- [ ] date=2030-01-01 time=09:00 recur=none msg="agent {number}" id=rid_{number}'
