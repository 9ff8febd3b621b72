"""Queue of edits of the reminders' file, one after the other, each in steps with the kernel's timers between them."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from actors.kernel import Host
from actors.scheduler.reminder_file import FileRefusedError, ReminderFile
from actors.scheduler.rewriting import Edit, Rewriting, Waits
from domain.reminder.document import EditRefusedError
from domain.reminder.line import InvalidReminderError
from domain.reminder.merge import Hunk, apply
from messages.scheduler import GoOnWriting

log = logging.getLogger(__name__)

_TRIES = 5
TROUBLE = (EditRefusedError, FileRefusedError, InvalidReminderError, OSError)
"""Why an edit may not come about."""


@dataclass(frozen=True, slots=True)
class Job:
    """An edit with what is to follow it."""

    edit: Edit
    on_done: Callable[[], None]
    on_failed: Callable[[str], None]
    key: str = ""
    """A job that waits stands for every other with its key, unless that is empty."""


class EditQueue:
    """Queue of jobs, run in order."""

    def __init__(self, host: Host, file: ReminderFile, waits: Waits, numbers: Iterator[int]) -> None:
        """An empty queue.

        Args:
            host: The actor that it works for; `GoOnWriting` comes to it, for `go_on`.
            file: What the jobs change.
            waits: Between steps.
            numbers: For edits.
        """
        self._host = host
        self._file = file
        self._waits = waits
        self._numbers = numbers
        self._jobs: deque[Job] = deque()
        self._current: Rewriting | None = None
        self._last: Rewriting | None = None
        self._number = 0

    @property
    def is_busy(self) -> bool:
        """Whether an edit is under way."""
        return bool(self._jobs)

    def put(self, job: Job) -> None:
        """Have an edit made after those before it."""
        waiting = list(self._jobs)[1:]
        if job.key and any(other.key == job.key for other in waiting):
            return
        self._jobs.append(job)
        if len(self._jobs) == 1:
            self._begin()

    def go_on(self, number: int) -> None:
        """Do the next step, if `number` is the edit under way."""
        if number == self._number and self._current is not None:
            self._step(self._current)

    def make_again(
        self,
        hunks: tuple[Hunk, ...],
        on_done: Callable[[], None] = lambda: None,
        *,
        instead_of_nothing: bytes = b"",
        tries: int = _TRIES,
    ) -> None:
        """Bring other people's edits into the file that were lost from it.

        Args:
            hunks: The edits.
            on_done: Called when the file has them.
            instead_of_nothing: What the file is to hold if it holds nothing at all, as after a power loss.
            tries: How often a failure is borne.
        """

        def edit(data: bytes) -> bytes:
            return apply(hunks, data) if data.strip(b"\0") else instead_of_nothing or apply(hunks, data)

        def failed(reason: str) -> None:
            log.error("edits of somebody else could not be made again: %s", reason)
            if tries > 1:
                self.make_again(hunks, on_done, instead_of_nothing=instead_of_nothing, tries=tries - 1)

        self.put(Job(edit, on_done, failed))

    def check_stragglers(self) -> None:
        """Make up for what somebody wrote to a version after it had been displaced and accounted for."""
        last, self._last = self._last, None
        if last is not None:
            self._settle_debts(last)

    def close(self) -> None:
        """Let go of the edit under way; what it had not finished is picked up by the next start."""
        for rewriting in (self._current, self._last):
            if rewriting is not None:
                rewriting.abandon()
        self._current = self._last = None
        self._jobs.clear()

    def _begin(self) -> None:
        """Have the first job begin in a moment: not at once, so that no chain of failures goes deep."""
        self._number = next(self._numbers)
        self._current = Rewriting(self._file, self._jobs[0].edit, self._waits)
        self._wake(0.0)

    def _step(self, rewriting: Rewriting) -> None:
        try:
            pause = rewriting.step()
        except TROUBLE as error:
            self._settle_debts(rewriting)
            self._end(None, reason_of(error))
            return
        if pause is None:
            self._end(rewriting, "")
        else:
            self._wake(pause)

    def _wake(self, delay_s: float) -> None:
        self._host.after(delay_s, GoOnWriting(edit=self._number))

    def _settle_debts(self, rewriting: Rewriting) -> None:
        """Have other people's edits made again that the file may lack."""
        hunks = rewriting.debts()
        if hunks:
            log.warning("an editor saved the reminders' file while it was changed; its edits are made again")
            self.make_again(hunks)

    def _end(self, rewriting: Rewriting | None, reason: str) -> None:
        job = self._jobs[0]
        self._current = None
        if rewriting is not None:
            self.check_stragglers()
            self._last = rewriting
            job.on_done()
        else:
            job.on_failed(reason)
        self._jobs.popleft()
        if self._jobs:
            self._begin()


def reason_of(error: Exception) -> str:
    """Why something did not work, for a person."""
    if isinstance(error, OSError):
        return f"{error.filename or 'the reminders file'}: {error.strerror or error}"
    return str(error)
