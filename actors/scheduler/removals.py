"""Removal of the lines of one-offs that people have seen, as many at once as there are."""

from __future__ import annotations

import logging

from actors.scheduler.edit_queue import EditQueue, Job
from domain.reminder.document import remove_line

log = logging.getLogger(__name__)

_KEY = "removals"


class Removals:
    """Lines that are to go."""

    def __init__(self, edits: EditQueue) -> None:
        """None is to go; `edits` makes the edits."""
        self._edits = edits
        self._lines: list[bytes] = []

    def add(self, raw: bytes) -> None:
        """Have the first line that is exactly `raw` taken out; one that somebody changed meanwhile stays."""
        self._lines.append(raw)
        lines: list[bytes] = []

        def edit(data: bytes) -> bytes:
            lines[:] = self._lines
            for line in lines:
                data = remove_line(data, line)
            return data

        def forget() -> None:
            for line in lines:
                self._lines.remove(line)

        def give_up(reason: str) -> None:
            log.error("reminders that were said could not be taken out of the file, it is tried again: %s", reason)
            self._lines.clear()

        self._edits.put(Job(edit, forget, give_up, key=_KEY))
