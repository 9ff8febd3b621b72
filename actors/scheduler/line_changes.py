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
        self._changes: list[tuple[bytes, bytes | None, Callable[[bytes], None]]] = []
        self._trouble = ""
        """Last reason for a failed change; reported once."""

    def remove(self, raw: bytes, on_done: Callable[[bytes], None]) -> None:
        """Remove the first line equal to `raw`; `on_done` gets the file once the removal would survive a crash."""
        self._add(raw, None, on_done)

    def mark_failed(self, raw: bytes) -> None:
        """Mark the line as a reminder that could not be posted."""
        self._add(raw, failed_line(raw))

    def reopen(self, raw: bytes) -> None:
        """Turn a line marked as failed into a reminder again."""
        self._add(raw, open_line(raw))

    def _add(self, raw: bytes, fate: bytes | None, on_done: Callable[[bytes], None] = lambda _: None) -> None:
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
            for _, _, follow in self._changes[:done]:
                follow(edited)
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
