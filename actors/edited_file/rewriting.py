"""Optimistic rewriting: an edit of a file, step by step, while other people edit the file too."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from actors.edited_file.access import FileRefusedError
from actors.edited_file.displaced import Displaced
from actors.edited_file.file import EditedFile, reason_of
from domain.edit.encoding import encoding_flaw
from domain.edit.lines import EditRefusedError
from domain.edit.merge import Hunk, LineKey, additions, apply, changes, same_line

log = logging.getLogger(__name__)

Edit = Callable[[bytes], bytes]
"""Gives the new content of the file, equal to the old if already correct. May raise `EditRefusedError`."""

_ROUNDS = 100
_READS = 60
_STRICT_READS = 20
"""Reads before the file is taken in any state: a half-finished save is then found in the displaced version."""
_EMPTY_READS = 20
"""An empty file, or a missing file that once was there, is nearly always one being saved; after so many reads the file
counts as empty, or missing."""
_FAILURES = 5
"""Failed disk calls allowed once the file has our version, since giving up then leaves the edit half done."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds between the steps."""

    settle_s: float = 0.05
    """Seconds between two reads that must be equal."""
    verify_s: float = 0.2
    """Seconds for programs with the old version open to finish writing to it."""


class Rewriting:
    """Edit without loss of other writers' edits; each step is quick, and the caller waits between steps.

    Read until two reads agree, swap the file with a new version, and examine the displaced version: changes of other
    writers are owed. Repeat until the file holds the edit and all owed changes durably.
    """

    def __init__(self, file: EditedFile, edit: Edit, waits: Waits, key: LineKey = same_line) -> None:
        self._file = file
        self._edit = edit
        self._waits = waits
        self._key = key
        self._next: Callable[[], float | None] = self._begin
        self._last: bytes | None = None
        self._reads = 0
        self._rounds = 0
        self._failures = 0
        self._truth = b""
        """Content of the file as other people want it, without our edit."""
        self._expected = b""
        """Content of the displaced version at the last look."""
        self._written = b""
        self._has_written = False
        """True if the file has held a version of this edit."""
        self._refusal: EditRefusedError | None = None
        """Reason why a finished edit was taken back."""
        self._owed: tuple[Hunk, ...] = ()
        self._displaced: list[Displaced] = []
        self._counted: list[Displaced] = []
        """Displaced versions whose edits were handed over by `debts`."""
        self._open_debts = 0
        """Results of `debts` with edits that are not settled yet."""
        self._is_done = False

    def step(self) -> float | None:
        """Do the next step.

        Returns:
            Seconds to wait before the following step; None when the edit is done and would survive a power loss.

        Raises:
            EditRefusedError: the edit itself refuses; the file stays without the edit.
            FileRefusedError: the file cannot be changed now; no person's text is lost. The error's text warns if the
                edit may have been made all the same.
            OSError: the file cannot be changed now, and was not.
        """
        try:
            return self._next()
        except OSError as error:
            if not self._has_written:
                raise
            self._failures += 1
            if isinstance(error, FileRefusedError) or self._failures > _FAILURES:
                raise FileRefusedError(f"{reason_of(error)}; the change may already be in the file") from error
            return self._waits.verify_s

    def abandon(self) -> None:
        """Close all files; displaced versions not accounted for stay for the next start."""
        for displaced in (*self._displaced, *self._counted):
            displaced.close()
        self._displaced.clear()
        self._counted.clear()

    @property
    def is_owing(self) -> bool:
        """True if a displaced version could not be read yet, so `debts` must be called again."""
        return bool(self._displaced)

    def debts(self) -> tuple[Hunk, ...]:
        """Other people's edits that the file may lack now, for the caller to make again and then to `settle`.

        After a finished edit, late writes of programs with a displaced version still open; after a failed edit, also
        edits already seen and not made again yet.
        """
        hunks = () if self._is_done else self._owed
        self._owed, unread = (), []
        for displaced in self._displaced:
            try:
                data = displaced.read()
            except OSError as error:
                log.error("another program's edit cannot be compared and stays in its own file: %s", error)
                unread.append(displaced)
                continue
            if data and data != displaced.accounted:
                # Lines only come: it may be half saved still, and a line too many does less harm than one too few.
                hunks += additions(changes(displaced.accounted, data, self._key))
            self._counted.append(displaced)
        self._displaced = unread
        if hunks:
            self._open_debts += 1
        elif not self._open_debts:
            self._discard_counted()
        return hunks

    def settle(self) -> None:
        """Note that the file has the changes of one result of `debts`; after the last, discard the counted versions."""
        self._open_debts -= 1
        if not self._open_debts:
            self._discard_counted()

    def _discard_counted(self) -> None:
        for displaced in self._counted:
            displaced.discard()
            displaced.close()
        self._counted.clear()

    def run(self, wait: Callable[[float], object]) -> None:
        """Do all steps; for callers that may wait."""
        while (pause := self.step()) is not None:
            wait(pause)

    def _begin(self) -> float | None:
        self._last = self._file.read()
        self._next = self._await_rest
        return self._waits.settle_s

    def _await_rest(self) -> float | None:
        data = self._file.read()
        self._reads += 1
        may_be_saved = data == b"" or (data is None and self._file.was_edited)
        unsettled = data != self._last or (may_be_saved and self._reads < _EMPTY_READS)
        if unsettled and (not data or self._reads < _STRICT_READS):
            self._last = data
            self._count_read()
            return self._waits.settle_s
        if data is None:
            return self._create()
        self._truth = self._merge_hunks(additions(self._owed), data)
        return self._write(data)

    def _create(self) -> float | None:
        self._truth = b""
        data = self._edit_truth()
        if not data:
            return None
        if not self._file.create(data):
            return self._again()
        self._has_written, self._written, self._next = True, data, self._verify_creation
        return self._waits.verify_s

    def _verify_creation(self) -> float | None:
        """Examine the new file: a program in the middle of a save may have replaced or overwritten the file."""
        return self._finish() if self._file.read() == self._written else self._again()

    def _write(self, seen: bytes) -> float | None:
        """Put our version of the truth in the place of the seen content."""
        self._next = partial(self._write, seen)
        self._rounds += 1
        if self._rounds > _ROUNDS:
            raise FileRefusedError(f"{self._file.path}: is being changed too quickly, {_ROUNDS} attempts failed")
        data = self._edit_truth()
        if data == seen:
            return self._finish()
        try:
            displaced = self._file.put(data, seen)
        except FileNotFoundError:
            return self._again()
        if displaced is None:
            return self._again()
        self._has_written = True
        self._displaced.append(displaced)
        self._expected, self._written, self._last, self._reads = seen, data, None, 0
        self._next = self._verify
        return self._waits.verify_s

    def _edit_truth(self) -> bytes:
        """Our version of the truth: the truth itself, if the edit refuses after it had been made."""
        if self._refusal is None:
            try:
                return self._edit(self._truth)
            except EditRefusedError as refusal:
                if not self._has_written:
                    raise
                self._refusal = refusal
        return self._truth

    def _again(self) -> float:
        """Begin anew after another writer was faster."""
        self._count_read()
        self._next = self._begin
        return self._waits.settle_s

    def _verify(self) -> float | None:
        """Examine the displaced version and the present content of the file."""
        old, current = self._displaced[-1].read(), self._file.read()
        if self._is_being_saved(old, current):
            self._count_read()
            return self._waits.settle_s
        assert current is not None, "an absent file counts as being saved"
        owed, fresh = self._owed, tuple[Hunk, ...]()
        if old != self._expected:
            fresh = changes(self._expected, old, self._key)
            self._displaced[-1].accounted = old
            self._owed += fresh
            self._truth = old if self._truth == self._expected else self._merge_hunks(fresh, self._truth)
        elif current == self._written:
            return self._finish()
        if current != self._written:
            # What was made once is looked after only as far as lines could be missing again: to take lines out again
            # and again would be a quarrel with whoever puts them back.
            self._truth = self._merge_hunks(fresh, self._merge_hunks(additions(owed), current))
        return self._write(current)

    def _merge_hunks(self, hunks: tuple[Hunk, ...], data: bytes) -> bytes:
        """`data` with other people's edits made in it.

        Raises:
            FileRefusedError: `data` is not in UTF-8, so no line can be put in.
        """
        merged = apply(hunks, data, self._key)
        if merged != data and (flaw := encoding_flaw(data)):
            raise FileRefusedError(f"{self._file.path}: {flaw}")
        return merged

    def _is_being_saved(self, old: bytes, current: bytes | None) -> bool:
        """True if a version may be incomplete in the middle of a save: absent, emptied, or displaced in mid-save."""
        if current is None or (not current and self._written) or (not old and self._expected):
            return True
        before, self._last = self._last, old
        return old not in (self._expected, before)

    def _count_read(self) -> None:
        self._reads += 1
        if self._reads > _READS:
            raise FileRefusedError(f"{self._file.path}: keeps changing: another program writes to it")

    def _finish(self) -> float | None:
        """Promise the edit, even an edit already in the file: an earlier attempt may have left it unsynced.

        Raises:
            EditRefusedError: the edit was taken back.
        """
        self._next, self._has_written = self._finish, True
        self._file.make_durable()
        self._is_done = True
        for displaced in self._displaced:
            displaced.discard()
        if self._refusal is not None:
            raise self._refusal
        return None
