"""Changes of the lines of reminders that were said, or could not be, as many at once as there are."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable

from actors.edited_file.queue import EditQueue, Job
from domain.reminder.document import change_lines, failed_line, open_line

log = logging.getLogger(__name__)

_KEY = "line changes"


class LineChanges:
    """Lines to be removed, marked as failed, or reopened; a line that a user changed meanwhile stays."""

    def __init__(self, edits: EditQueue) -> None:
        """Begin without changes; `edits` makes the edits."""
        self._edits = edits
        self._changes: list[tuple[bytes, bytes | None, Callable[[], None]]] = []
        self._trouble = ""
        """Last reason for a failed change; reported once."""

    def remove(self, raw: bytes, on_done: Callable[[], None]) -> None:
        """Remove the first line equal to `raw`; `on_done` is called once the removal would survive a crash."""
        self._add(raw, None, on_done)

    def mark_failed(self, raw: bytes) -> None:
        """Mark the line as a reminder that could not be posted."""
        self._add(raw, failed_line(raw))

    def reopen(self, raw: bytes) -> None:
        """Turn a line marked as failed into a reminder again."""
        self._add(raw, open_line(raw))

    def _add(self, raw: bytes, fate: bytes | None, on_done: Callable[[], None] = lambda: None) -> None:
        self._changes.append((raw, fate, on_done))
        done = 0

        def edit(data: bytes) -> bytes:
            nonlocal done
            done = len(self._changes)
            fates: defaultdict[bytes, list[bytes | None]] = defaultdict(list)
            for line, becomes, _ in self._changes:
                fates[line].append(becomes)
            return change_lines(data, fates)

        def forget() -> None:
            for _, _, follow in self._changes[:done]:
                follow()
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
