"""Scan of the reminders' file: looks until the file is at rest, and reports slow or failed looks."""

from __future__ import annotations

import logging
from collections.abc import Callable

from actors.edited_file.file import LIMIT_BYTES, EditedFile, Look, reason_of
from actors.kernel import Host

log = logging.getLogger(__name__)

FILE, LOOK = "the reminders' file", "looking at the reminders' file"
MAY_BE_LATE = "reminders may come late"
"""Kinds of trouble."""
LIMIT_S = 5.0
"""Longest look in seconds without an error (agent specification, 8.4)."""
MISSED = 2
"""Looks without the file until it counts as gone: a save by deletion first restores the file by the next look."""


class DueScan:
    """Single look at a time: two reads a moment apart must agree."""

    def __init__(
        self,
        host: Host,
        file: EditedFile,
        settle_s: float,
        report: Callable[[str, str, str], None],
        take_look: Callable[[Look], None],
    ) -> None:
        """No look has begun.

        Args:
            host: The scheduler's actor.
            file: File to be looked at.
            settle_s: Seconds between two reads.
            report: Told what is wrong, as `Troubles.report` is.
            take_look: Given the file at rest; calls `end`.
        """
        self._host = host
        self._file = file
        self._settle_s = settle_s
        self._report = report
        self._take_look = take_look
        self._first: Look | None = None
        self._began_at: float | None = None
        self._was_there = False
        self._missed = 0
        """Consecutive looks that missed a formerly present file."""
        self._conflicts: frozenset[str] = frozenset()
        self.took_s = 0.0
        """Duration in seconds of the last finished look."""

    def is_going_on(self) -> bool:
        """True while a look has begun and not ended."""
        return self._began_at is not None

    def begin(self) -> None:
        """Begin a look; a look still going on is reported and goes on."""
        if self.is_going_on():
            if self._took() > LIMIT_S:
                self._overran()
            return
        self._began_at = self._host.monotonic()
        self._first = self._read()
        if self.is_going_on():
            self._wake()

    def _look_again(self) -> None:
        """Take the file at rest; an empty file ends the look: nearly always an editor is saving the file."""
        first, self._first = self._first, self._read()
        if not self.is_going_on():
            return
        if first is None or self._first is None or self._first.is_empty:
            self._note_presence(self._first)
            self.end()
            if self._first is not None and first is not None and first.is_empty:
                self._take_look(self._first)
        elif first.data == self._first.data:
            self._note_presence(self._first)
            self._take_look(self._first)
        elif self._took() > LIMIT_S:
            self.end()
        else:
            self._wake()

    def end(self) -> None:
        """End the look, and report the duration."""
        if not self.is_going_on():
            return
        self.took_s = self._took()
        if self.took_s > LIMIT_S:
            self._overran()
        else:
            self._report(LOOK, "", "")
        self._began_at = None

    def _wake(self) -> None:
        self._host.wait(self._settle_s, self._look_again)

    def _read(self) -> Look | None:
        """Content of the file; a read error ends the look."""
        try:
            return self._file.look()
        except OSError as error:
            self._report(FILE, reason_of(error), "")
            self._began_at = None
            return None

    def _overran(self) -> None:
        slow = f"{self._file.path}: a scan takes more than {LIMIT_S:g} s, so {MAY_BE_LATE}"
        self._report(LOOK, slow, f" ({self._took():.1f} s)")

    def _took(self) -> float:
        return 0.0 if self._began_at is None else self._host.monotonic() - self._began_at

    def _absence(self) -> str:
        """Trouble of a missing file; empty if the file never was there, or may be in the middle of a save."""
        if self._missed < MISSED:
            return ""
        return f"{self._file.path}: is gone, so no reminder is due until it is back"

    def _beyond(self, look: Look) -> str:
        """Trouble of a file too long to be read as a whole; empty for any other file."""
        if not look.left_out_bytes:
            return ""
        return (
            f"{self._file.path}: has more than {LIMIT_BYTES // 2**20} MiB; only reminders in its first "
            f"{LIMIT_BYTES // 2**20} MiB are posted until it is smaller"
        )

    def _note_presence(self, look: Look | None) -> None:
        """Report once that the file vanished, or that unread copies lie beside the file."""
        if look is not None:
            self._was_there, self._missed = True, 0
        elif self._was_there or self._file.was_edited:
            self._missed += 1
        self._report(FILE, self._absence() if look is None else self._beyond(look), "")
        names = frozenset(self._file.conflict_copies())
        for name in sorted(names - self._conflicts):
            log.warning("%s lies beside the reminders' file and is not read: merge it by hand", name)
        self._conflicts = names
