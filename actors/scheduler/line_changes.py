"""Changes of the lines of reminders that were said, or could not be, as many at once as there are."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection

from actors.edited_file.queue import EditQueue, Job
from domain.reminder.document import change_lines, failed_line, ids_to_add, open_line

log = logging.getLogger(__name__)

_KEY = "line changes"


class LineChanges:
    """Lines to be removed, marked as failed, or reopened; a line that a user changed meanwhile stays."""

    def __init__(self, edits: EditQueue, spent: Collection[str]) -> None:
        """Begin without changes.

        Args:
            edits: Makes the edits.
            spent: Ids of removed lines, at any time.
        """
        self._edits = edits
        self._spent = spent
        self._changes: list[tuple[bytes, bytes | None, Callable[[Collection[str]], None]]] = []
        self._trouble = ""
        """Last reason for a failed change; reported once."""

    def remove(self, raw: bytes, on_done: Callable[[Collection[str]], None]) -> None:
        """Remove the first line equal to `raw`.

        Args:
            raw: The line.
            on_done: Called once the removal would survive a crash, with the ids that lines of the file get next.
        """
        self._add(raw, None, on_done)

    def mark_failed(self, raw: bytes) -> None:
        """Mark the line as a reminder that could not be posted."""
        self._add(raw, failed_line(raw))

    def reopen(self, raw: bytes) -> None:
        """Turn a line marked as failed into a reminder again."""
        self._add(raw, open_line(raw))

    def _add(self, raw: bytes, fate: bytes | None, on_done: Callable[[Collection[str]], None] = lambda _: None) -> None:
        self._changes.append((raw, fate, on_done))
        done, edited = 0, b""

        def edit(data: bytes) -> bytes:
            nonlocal done, edited
            done = len(self._changes)
            fates: defaultdict[bytes, list[bytes | None]] = defaultdict(list)
            for line, becomes, _ in self._changes:
                fates[line].append(becomes)
            edited = change_lines(data, fates)
            return edited

        def forget() -> None:
            changes = self._changes[:done]
            # Once for all: at a full hour many lines go together.
            next_ids = ids_to_add(edited, self._spent) if any(fate is None for _, fate, _ in changes) else ()
            for _, _, follow in changes:
                follow(next_ids)
            del self._changes[:done]
            self._trouble = ""

        def give_up(reason: str) -> None:
            if reason != self._trouble:
                log.error(
                    "posted and failed reminders are not marked in the file yet, the edit is tried again: %s", reason
                )
            self._trouble = reason
            self._changes.clear()

        self._edits.put(Job(edit, forget, give_up, key=_KEY))
