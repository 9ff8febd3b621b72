"""Serves requests: creates, modifies, deletes and lists reminders, and confirms every line in its exact words."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import assert_never

from actors.scheduler.config import SchedulerConfig
from actors.scheduler.edit_queue import TROUBLE, EditQueue, Job, reason_of
from actors.scheduler.listing import listed
from actors.scheduler.reminder_file import ReminderFile
from actors.scheduler.state import SchedulerState
from domain.reminder.document import append, remove, replace, scan
from domain.reminder.due import base32_key
from domain.reminder.line import Reminder, form
from domain.reminder.recurrence import next_firing
from domain.reminder.request import Wish, changed_reminder, new_reminder, remark
from domain.reminder.text import confirmation, shown_time
from messages.base import Address, Message, RequestId, Surface, Window
from messages.discord import PostMessage
from messages.scheduler import (
    CreateReminder,
    DeleteReminder,
    ListReminders,
    ModifyReminder,
    ReminderCreated,
    ReminderDeleted,
    ReminderModified,
    ReminderRequest,
)
from messages.socket import Refused

log = logging.getLogger(__name__)

CONFIRMATION = "confirm-"
"""How the request ids of confirmations begin."""


class ReminderRequests:
    """Turns requests into edits of the file.

    Args:
        config: Where the file is and who shows confirmations.
        file: The reminders' file.
        edits: Makes the edits.
        state: What outlives the actor.
        address: Whose the answers to postings are.
        tell: Sends a message.
        now: Wall clock.
        new_id: Gives ids for reminders.
    """

    def __init__(
        self,
        config: SchedulerConfig,
        file: ReminderFile,
        edits: EditQueue,
        state: SchedulerState,
        *,
        address: Address,
        tell: Callable[[Address, Message], None],
        now: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._config = config
        self._file = file
        self._edits = edits
        self._state = state
        self._address = address
        self._tell = tell
        self._now = now
        self._new_id = new_id

    def serve(self, request: ReminderRequest) -> None:
        """Have the edit made; the answer and the confirmation follow when it stands in the file."""
        try:
            match request:
                case CreateReminder():
                    self._create(request)
                case ModifyReminder():
                    self._modify(request)
                case DeleteReminder():
                    self._delete(request)
                case _:
                    assert_never(request)
        except TROUBLE as error:
            self._refuse(request, reason_of(error))

    def list(self, request: ListReminders) -> None:
        """Say what the file holds."""
        try:
            data = self._file.read() or b""
        except TROUBLE as error:
            self._refuse(request, reason_of(error))
            return
        found = scan(data)
        self._tell(request.reply_to, listed(request.request_id, found, self._now(), self._config.zone, request.limit))

    def _create(self, request: CreateReminder) -> None:
        now, zone = self._now(), self._config.zone
        reminder = new_reminder(_wish(request), self._state.id_for(request.request_id, self._new_id()), now, zone)
        line, note = form(reminder), remark(reminder, zone)

        def done() -> None:
            due = self._next(reminder)
            self._confirm(request.window, request.request_id, "Reminder set", line, _next_line(due), note)
            self._tell(
                request.reply_to,
                ReminderCreated(request_id=request.request_id, id=reminder.id, line=line, next_due=due, note=note),
            )

        self._put(request, lambda data: append(data, line), done)

    def _modify(self, request: ModifyReminder) -> None:
        now, zone = self._now(), self._config.zone
        made: dict[str, tuple[Reminder, str]] = {}

        def edit(data: bytes) -> bytes:
            entry = scan(data).by_id(request.id)
            new = changed_reminder(entry.reminder, _wish(request), now, zone)
            if new == entry.reminder:
                made.setdefault("line", (new, entry.line))
                return data
            made["line"] = new, entry.line
            return replace(data, entry.number, form(new).encode("utf-8"))

        def done() -> None:
            reminder, old = made["line"]
            line, due, note = form(reminder), self._next(reminder), remark(reminder, zone)
            if line != old.rstrip(" \t\r"):
                self._confirm(request.window, request.request_id, "Reminder changed", line, _next_line(due), note)
            self._tell(
                request.reply_to,
                ReminderModified(
                    request_id=request.request_id, id=reminder.id, line=line, old_line=old, next_due=due, note=note
                ),
            )

        self._put(request, edit, done)

    def _delete(self, request: DeleteReminder) -> None:
        gone: list[str] = []

        def edit(data: bytes) -> bytes:
            found = scan(data)
            if gone and all(entry.reminder.id != request.id for entry in found.entries):
                return data
            entry = found.by_id(request.id)
            gone[:] = [entry.line]
            return remove(data, entry.number)

        def done() -> None:
            self._confirm(request.window, request.request_id, "Reminder deleted", gone[0])
            self._tell(request.reply_to, ReminderDeleted(request_id=request.request_id, id=request.id, line=gone[0]))

        self._put(request, edit, done)

    def _put(self, request: ReminderRequest, edit: Callable[[bytes], bytes], done: Callable[[], None]) -> None:
        self._edits.put(Job(edit, done, lambda reason: self._refuse(request, reason)))

    def _confirm(self, window: Window, request_id: RequestId, what: str, line: str, *notes: str) -> None:
        """Post the exact line where it was asked for; the file keeps it, whatever becomes of this message."""
        if window.surface is Surface.CLI and self._config.fires:  # an operator's command, of the agent in Discord
            if self._config.channel is None:
                return
            window = self._config.channel
        self._tell(
            self._config.delivery,
            PostMessage(
                request_id=RequestId(f"{CONFIRMATION}{request_id}"),
                reply_to=self._address,
                window=window,
                text=confirmation(what, line, *(note for note in notes if note)),
                nonce=base32_key(f"{window.address}\0{request_id}\0{line}".encode(), 16),
            ),
        )

    def _refuse(self, request: ReminderRequest | ListReminders, reason: str) -> None:
        self._tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))

    def _next(self, reminder: Reminder) -> str:
        due = next_firing(reminder, self._now(), self._config.zone)
        return shown_time(due, self._config.zone) if due is not None else ""


def _wish(request: CreateReminder | ModifyReminder) -> Wish:
    return Wish(
        date=request.date,
        time=request.time,
        recur=request.recur,
        msg=request.msg,
        at=request.at,
        in_minutes=request.in_minutes,
    )


def _next_line(due: str) -> str:
    return f"Next: {due}." if due else ""
