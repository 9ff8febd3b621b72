"""Queue of edits of the reminders' file: the scheduler's own settings. Pure."""

from __future__ import annotations

from collections.abc import Callable

from actors.edited_file.file import LIMIT_BYTES
from actors.edited_file.queue import QueueConfig
from actors.edited_file.rewriting import Waits
from domain.edit.lines import EditRefusedError
from domain.reminder.line import InvalidReminderError
from domain.reminder.share import EDITS, LISTS

REQUESTED_BYTES = LIMIT_BYTES // 2
"""No request makes the file larger, so that people have room for their own lines."""
WAITING = EDITS + LISTS
"""Most waiting jobs of one window: no more can come in a minute."""
TROUBLE = (EditRefusedError, InvalidReminderError, OSError)
"""Errors that can stop an edit."""


def queue_config(waits: Waits, flaw: Callable[[bytes], str]) -> QueueConfig:
    """Rules of editing the reminders' file; `flaw` gives why it may not be edited as it is."""
    return QueueConfig(
        most_waiting=WAITING,
        requested_bytes=REQUESTED_BYTES,
        file="the reminders' file",
        remedy="some reminders have to be deleted",
        waits=waits,
        flaw=flaw,
    )
