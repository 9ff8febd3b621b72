"""Requests about reminders: creates, changes, deletes and lists them, and confirms every line in its exact words."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from actors.kernel import Host
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.edit_queue import TROUBLE, EditQueue, Job, reason_of
from actors.scheduler.listing import listed
from actors.scheduler.reminder_file import ReminderFile
from actors.scheduler.state import SchedulerState
from domain.reminder.document import append, remove, replace, scan
from domain.reminder.due import base32_key
from domain.reminder.line import Reminder, form
from domain.reminder.recurrence import next_firing
from domain.reminder.request import ReminderFields, changed_reminder, new_reminder, remark
from domain.reminder.text import confirmation, shown_time
from messages.base import RequestId, Surface, Window
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

CONFIRMATION = "confirm-"
"""How the request ids of confirmations begin."""


class ReminderRequests:
    """Handler of requests: each becomes an edit of the file."""

    def __init__(
        self, host: Host, config: SchedulerConfig, file: ReminderFile, edits: EditQueue, state: SchedulerState
    ) -> None:
        """No request is being served.

        Args:
            host: The actor that it works for.
            config: Who shows confirmations, and where.
            file: The reminders' file.
            edits: Makes the edits.
            state: What outlives the actor.
        """
        self._host = host
        self._config = config
        self._file = file
        self._edits = edits
        self._state = state

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
        answer = listed(request.request_id, scan(data), self._host.now(), self._config.zone, request.limit)
        self._host.tell(request.reply_to, answer)

    def _create(self, request: CreateReminder) -> None:
        now, zone = self._host.now(), self._config.zone
        reminder = new_reminder(
            _fields(request), self._state.id_for(request.request_id, new_reminder_id(self._host)), now, zone
        )
        line, note = form(reminder), remark(reminder, zone)

        def on_done() -> None:
            due = self._next(reminder)
            self._confirm(request.window, request.request_id, "Reminder set", line, _next_line(due), note)
            self._host.tell(
                request.reply_to,
                ReminderCreated(request_id=request.request_id, id=reminder.id, line=line, next_due=due, note=note),
            )

        self._put(request, lambda data: append(data, line), on_done)

    def _modify(self, request: ModifyReminder) -> None:
        now, zone = self._host.now(), self._config.zone
        change: dict[str, tuple[Reminder, str]] = {}

        def edit(data: bytes) -> bytes:
            entry = scan(data).by_id(request.id)
            new = changed_reminder(entry.reminder, _fields(request), now, zone)
            if new == entry.reminder:
                change.setdefault("line", (new, entry.line))
                return data
            change["line"] = new, entry.line
            return replace(data, entry.number, form(new).encode("utf-8"))

        def on_done() -> None:
            reminder, old = change["line"]
            line, due, note = form(reminder), self._next(reminder), remark(reminder, zone)
            if line != old.rstrip(" \t\r"):
                self._confirm(request.window, request.request_id, "Reminder changed", line, _next_line(due), note)
            self._host.tell(
                request.reply_to,
                ReminderModified(
                    request_id=request.request_id, id=reminder.id, line=line, old_line=old, next_due=due, note=note
                ),
            )

        self._put(request, edit, on_done)

    def _delete(self, request: DeleteReminder) -> None:
        removed: list[str] = []

        def edit(data: bytes) -> bytes:
            reminders = scan(data)
            if removed and all(entry.reminder.id != request.id for entry in reminders.entries):
                return data
            entry = reminders.by_id(request.id)
            removed[:] = [entry.line]
            return remove(data, entry.number)

        def on_done() -> None:
            self._confirm(request.window, request.request_id, "Reminder deleted", removed[0])
            self._host.tell(
                request.reply_to, ReminderDeleted(request_id=request.request_id, id=request.id, line=removed[0])
            )

        self._put(request, edit, on_done)

    def _put(self, request: ReminderRequest, edit: Callable[[bytes], bytes], on_done: Callable[[], None]) -> None:
        self._edits.put(Job(edit, on_done, lambda reason: self._refuse(request, reason)))

    def _confirm(self, window: Window, request_id: RequestId, what: str, line: str, *notes: str) -> None:
        """Post the exact line where it was asked for; the file keeps it, whatever becomes of this message."""
        if window.surface is Surface.CLI and self._config.fires:  # an operator's command, of the agent in Discord
            if self._config.channel is None:
                return
            window = self._config.channel
        self._host.tell(
            self._config.delivery,
            PostMessage(
                request_id=RequestId(f"{CONFIRMATION}{request_id}"),
                reply_to=self._host.address,
                window=window,
                text=confirmation(what, line, *(note for note in notes if note)),
                nonce=base32_key(f"{window.address}\0{request_id}\0{line}".encode(), 16),
            ),
        )

    def _refuse(self, request: ReminderRequest | ListReminders, reason: str) -> None:
        self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))

    def _next(self, reminder: Reminder) -> str:
        due = next_firing(reminder, self._host.now(), self._config.zone)
        return shown_time(due, self._config.zone) if due is not None else ""


def new_reminder_id(host: Host) -> str:
    """A fresh id: `rid_` and 12 characters of A-Z2-7."""
    return f"rid_{(host.new_id() + host.new_id()).upper()[:12]}"


def _fields(request: CreateReminder | ModifyReminder) -> ReminderFields:
    return ReminderFields(
        date=request.date,
        time=request.time,
        recur=request.recur,
        msg=request.msg,
        at=request.at,
        in_minutes=request.in_minutes,
    )


def _next_line(due: str) -> str:
    return f"Next: {due}." if due else ""
