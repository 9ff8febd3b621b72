"""Queue of edits of a file, one after the other, each in steps with an actor's timers between the steps.

The agent's own edits of the file go first; then the windows have their requests served in turn.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from actors.edited_file.file import LIMIT_BYTES, EditedFile, reason_of
from actors.edited_file.rewriting import Edit, Rewriting, Waits
from domain.edit.encoding import encoding_flaw
from domain.edit.lines import EditRefusedError
from domain.edit.merge import Hunk, LineKey, apply, changes, same_line
from domain.policy.fair_queue import FairQueue
from messages.base import RequestId, Window

log = logging.getLogger(__name__)

_TRIES = 5
_MOST_OWING = 16
"""Edits whose displaced versions cannot be read; beyond the limit, the oldest are left for `EditedFile.leftovers`."""


class Host(Protocol):
    """Actor for whom the edits are made, as far as the queue needs the actor."""

    def wait(self, delay_s: float, then: Callable[[], None]) -> RequestId:
        """Call `then` later, unless the actor's life ends before."""


@dataclass(frozen=True, slots=True)
class QueueConfig:
    """Settings of one file's queue."""

    requested_bytes: int
    """Largest size of the file after a window's request, so people have room for their own lines."""
    file: str
    """Name of the file for people: the reminders' file."""
    remedy: str
    """Remedy for a full file: some reminders have to be deleted."""
    most_waiting: int = 0
    """Most waiting jobs of one window."""
    waits: Waits = field(default_factory=Waits)
    """Between steps."""
    read_bytes: int = LIMIT_BYTES
    """So much of the file is looked at; people are told."""
    flaw: Callable[[bytes], str] = encoding_flaw
    """Gives the reason why the file may not be edited at present; empty if edits are allowed."""
    key: LineKey = same_line
    """Gives a line of a person without the marks that edits add."""


@dataclass(frozen=True, slots=True)
class Job:
    """An edit of the agent's own with a continuation."""

    edit: Edit
    """May raise ValueError besides `EditRefusedError`."""
    on_done: Callable[[], None]
    on_failed: Callable[[str], None]
    key: str = ""
    """A waiting job stands for every other with its key, unless the key is empty."""
    most_bytes: int | None = None
    """The edit fails if the file would become larger than before and than this limit."""
    fills_zeros: bool = False
    """True if the edit also applies to a file of zeros only, as after a power loss."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowJob:
    """Request of a window: an edit with its callbacks, or callbacks alone that wait for their turn."""

    window: Window
    edit: Edit | None
    on_done: Callable[[], None]
    on_failed: Callable[[str], None]
    most_bytes: int
    """As of a `Job`."""

    @property
    def request_id(self) -> RequestId:
        """Name of the job in the queue."""
        return RequestId(str(id(self)))


class EditQueue:
    """Queue of jobs: the agent's own in order, then jobs of windows in turn.

    Entering the queue takes the same time whatever its length.
    """

    def __init__(self, host: Host, file: EditedFile, config: QueueConfig) -> None:
        """Create an empty queue.

        Args:
            host: Owner of the queue.
            file: File that the jobs change.
            config: Settings of this file's queue.
        """
        self._host = host
        self.file = file
        self._config = config
        self._own: deque[Job] = deque()
        self._keys: Counter[str] = Counter()
        """Keys of own waiting jobs."""
        self._jobs: FairQueue[WindowJob] = FairQueue(1)
        self._waiting: Counter[Window] = Counter()
        self._running: Job | WindowJob | None = None
        self._current: Rewriting | None = None
        self._last: Rewriting | None = None
        self._owing: list[Rewriting] = []
        """Edits with a displaced version still unread."""
        self._unmade: list[Callable[[], None]] = []
        """Callbacks for failed remakes of other people's edits; retried in the next minute."""

    @property
    def is_busy(self) -> bool:
        """True if an edit is under way."""
        return self._running is not None

    @property
    def is_settled(self) -> bool:
        """True if no edit is under way and no edits of other people are left to remake."""
        return not (self.is_busy or self._owing or self._unmade)

    @property
    def is_at_rest(self) -> bool:
        """True if the queue is settled and no program can be writing to a displaced version."""
        return self.is_settled and self._last is None

    def put(self, job: Job) -> None:
        """Queue an edit of the agent's own after the earlier own edits, and before all windows' edits."""
        if job.key and self._keys[job.key]:
            return
        self._keys[job.key] += 1
        self._own.append(job)
        self._begin()

    def put_for(
        self, window: Window, edit: Edit | None, on_done: Callable[[], None], on_failed: Callable[[str], None]
    ) -> None:
        """Have an edit made when the window's turn comes.

        Args:
            window: On whose behalf.
            edit: Edit to make; None for a turn alone.
            on_done: Called when the file holds the result of the edit.
            on_failed: Called with the reason for a failure.

        Raises:
            EditRefusedError: too many of the window's jobs wait already.
        """
        most = self._config.most_waiting
        if self._waiting[window] >= most:
            raise EditRefusedError(f"{most} requests of this conversation wait already: try again in a minute")
        self._waiting[window] += 1
        self._jobs.enter(WindowJob(window, edit, on_done, on_failed, self._config.requested_bytes))
        self._begin()

    def flaw(self, data: bytes) -> str:
        """Reason why the file may not be edited while holding `data`, for a person; empty if edits are allowed."""
        flaw = self._config.flaw(data)
        return f"{self._config.file} {flaw}" if flaw else ""

    def make_again(
        self,
        hunks: tuple[Hunk, ...],
        on_done: Callable[[], None] = lambda: None,
        *,
        instead_of_nothing: bytes = b"",
        tries: int = _TRIES,
    ) -> None:
        """Bring other people's lost edits back into the file.

        Args:
            hunks: The edits.
            on_done: Called when the file has the edits.
            instead_of_nothing: New content for an empty file, as after a power loss.
            tries: Failures allowed before the next minute.
        """

        def edit(data: bytes) -> bytes:
            wants_all = bool(instead_of_nothing) and not data.strip(b"\0")
            return instead_of_nothing if wants_all else apply(hunks, data, self._config.key)

        def try_later(reason: str) -> None:
            log.error("another program's edits could not be applied again: %s", reason)
            if tries > 1:
                self.make_again(hunks, on_done, instead_of_nothing=instead_of_nothing, tries=tries - 1)
            else:
                self._unmade.append(
                    partial(self.make_again, hunks, on_done, instead_of_nothing=instead_of_nothing, tries=1)
                )

        self.put(Job(edit, on_done, try_later, fills_zeros=True))

    def bring_back(self) -> None:
        """Remake in the file the changes from versions left beside it by a crash.

        Raises:
            OSError: the folders cannot be read.
        """
        for leftover in self.file.leftovers():
            path, data, expected = leftover.path, leftover.data, leftover.expected
            hunks = changes(expected, data, self._config.key) if expected is not None else ()
            log.warning("%s: what a crash left there is brought back (%d edits)", path.name, len(hunks))
            instead = data if leftover.may_fill else b""
            self.make_again(hunks, partial(self.file.forget, path), instead_of_nothing=instead)

    def try_again(self) -> None:
        """Retry remakes that failed a minute ago."""
        self.check_stragglers()
        owing, self._owing = self._owing, []
        for rewriting in owing:
            self._settle_debts(rewriting)
        unmade, self._unmade = self._unmade, []
        for make_again in unmade:
            make_again()

    def check_stragglers(self) -> None:
        """Remake changes written to a version after it had been displaced and accounted for."""
        last, self._last = self._last, None
        if last is not None:
            self._settle_debts(last)

    def close(self) -> None:
        """Abandon the edit under way; the next start picks up unfinished work."""
        for rewriting in (self._current, self._last, *self._owing):
            if rewriting is not None:
                rewriting.abandon()
        self._current = self._last = self._running = None
        self._owing.clear()
        self._unmade.clear()
        self._own.clear()
        self._keys.clear()
        self._jobs.clear()
        self._waiting.clear()

    def _begin(self) -> None:
        """Have the next job begin in a moment, if no job runs: not at once, so no chain of failures goes deep."""
        if self._running is not None:
            return
        job = self._running = self._take()
        if job is None:
            return
        self._current = None
        if job.edit is not None:
            edit, config = _bound_edit(job.edit, job, self._config), self._config
            self._current = Rewriting(self.file, edit, config.waits, config.key)
        self._wake(job, 0.0)

    def _take(self) -> Job | WindowJob | None:
        """Take the next job; None from an empty queue."""
        if self._own:
            job = self._own.popleft()
            self._keys[job.key] -= 1
            return job
        return self._jobs.admit()

    def _leave(self, job: WindowJob) -> None:
        """Give another window its turn."""
        self._jobs.leave(job.request_id)
        self._waiting[job.window] -= 1
        if not self._waiting[job.window]:
            del self._waiting[job.window]

    def _wake(self, job: Job | WindowJob, delay_s: float) -> None:
        def go_on() -> None:
            if self._running is job:  # or the queue was closed meanwhile
                self._step()

        self._host.wait(delay_s, go_on)

    def _step(self) -> None:
        job, rewriting = self._running, self._current
        assert job is not None, "a step belongs to a job"
        if rewriting is None:
            self._end(None, "")
            return
        try:
            pause = rewriting.step()
        except (EditRefusedError, OSError) as error:
            self._settle_debts(rewriting)
            self._end(None, reason_of(error))
            return
        if pause is None:
            self._end(rewriting, "")
        else:
            self._wake(job, pause)

    def _settle_debts(self, rewriting: Rewriting) -> None:
        """Have other people's edits made again that the file may lack."""
        hunks = rewriting.debts()
        if hunks:
            log.warning("an editor saved %s during a change; the editor's edits are applied again", self._config.file)
            self.make_again(hunks, rewriting.settle)
        if rewriting.is_owing:
            self._owing.append(rewriting)
            if len(self._owing) > _MOST_OWING:
                self._owing.pop(0).abandon()

    def _end(self, rewriting: Rewriting | None, reason: str) -> None:
        job, self._running, self._current = self._running, None, None
        assert job is not None, "a job ends once"
        if isinstance(job, WindowJob):
            self._leave(job)
        if rewriting is not None:
            self.check_stragglers()
            self._last = rewriting
        if reason:
            job.on_failed(reason)
        else:
            job.on_done()
        self._begin()


def _bound_edit(edit: Edit, job: Job | WindowJob, config: QueueConfig) -> Edit:
    """`edit`, but failing if the file has a flaw, or would grow beyond the job's limit."""
    most_bytes = job.most_bytes
    fills_zeros = isinstance(job, Job) and job.fills_zeros

    def edit_in_bounds(data: bytes) -> bytes:
        try:
            edited = edit(data)
        except ValueError as error:
            raise EditRefusedError(str(error)) from error
        if edited != data and not (fills_zeros and not data.strip(b"\0")) and (flaw := config.flaw(data)):
            raise EditRefusedError(f"{config.file} {flaw}")
        if most_bytes is not None and len(edited) > most_bytes and len(edited) > len(data):
            raise EditRefusedError(
                f"{config.file} would have too many bytes, at most {most_bytes:,} are written of the "
                f"{config.read_bytes:,} that are read: {config.remedy} first"
            )
        return edited

    return edit_in_bounds
