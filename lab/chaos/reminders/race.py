"""Race of an editor and the agent for the reminders' file; no line of a person may be lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

from actors.edited_file.access import FileRefusedError
from actors.edited_file.file import EditedFile
from actors.edited_file.rewriting import Edit, Rewriting
from actors.linux.disk import Disk
from domain.edit.merge import apply
from domain.reminder.document import append, remove_line
from lab.chaos import race as racing
from lab.chaos.editor import WAITS, Saver
from lab.chaos.race import Lines, RaceReport

_TRIES = 5


def race(
    folder: Path,
    saver: Saver,
    rounds: int,
    seed: str,
    disk: Disk | None = None,
    tick: Callable[[int], object] = lambda _round: None,
) -> RaceReport:
    """Let the agent make `rounds` edits while an editor makes its own."""
    path = folder / "reminders.md"
    path.write_bytes(b"# Reminders\n\nend\n")
    return racing.race(path, saver, rounds, seed, _Agent(EditedFile(path, folder / "spare", disk)), tick)


class _Agent:
    """Adds lines, and removes every third line again."""

    def __init__(self, file: EditedFile) -> None:
        self._file = file
        self._last: Rewriting | None = None
        self.lines = Lines()

    def write(self, number: int) -> None:
        began, old, new = perf_counter(), b"", b""
        if number % 3 == 2 and self.lines.there:
            old = next(reversed(self.lines.there))
            is_done = self._make(lambda data: remove_line(data, old))
        else:
            text = f'- [ ] date=2030-01-01 time=09:00 recur=none msg="agent {number}" id=rid_{number}'
            new = text.encode()
            is_done = self._make(lambda data: append(data, text))
        if is_done:
            self.lines.note(new, old, began)
        else:
            self.lines.refused += 1

    def finish(self) -> None:
        """Restore the edits overwritten by the editor's last save."""
        last, self._last = self._last, None
        if last is not None:
            self._settle(last)

    def _make(self, edit: Edit) -> bool:
        rewriting = Rewriting(self._file, edit, WAITS)
        try:
            rewriting.run(threading.Event().wait)
        except FileRefusedError:
            self._settle(rewriting)
            return False
        self.finish()
        self._last = rewriting
        return True

    def _settle(self, rewriting: Rewriting) -> None:
        """Repeat other writers' edits possibly missing from the file, as the agent's queue does."""
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
