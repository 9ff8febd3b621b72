"""Requests about reminders: creates, changes, deletes and lists reminders visible to the requester."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, assert_never

from msgspec.structs import replace as replace_fields

from actors.edited_file.file import reason_of
from actors.edited_file.queue import EditQueue
from actors.kernel import Host
from actors.scheduler.config import REQUESTED_BYTES, SchedulerConfig
from actors.scheduler.confirmations import Confirmations
from actors.scheduler.listing import list_reminders
from actors.scheduler.sight import Readership, Sight
from actors.scheduler.state import SchedulerState
from domain.edit.encoding import is_wide
from domain.edit.lines import EditRefusedError
from domain.policy.rate_limit import RateLimit
from domain.reminder.document import Entry, add_ids, append, holds_without_id, remove, replace, scan, windows_in
from domain.reminder.line import InvalidReminderError, Reminder, check_id, form
from domain.reminder.owed import OwedConfirmation
from domain.reminder.recurrence import next_firing
from domain.reminder.request import ReminderFields, changed_reminder, new_reminder, remark
from domain.reminder.share import check_share
from domain.reminder.text import shown_time
from messages.base import Surface, Window
from messages.forget import ForgetDerived, answer_derived
from messages.scheduler import (
    SCHEDULER,
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

REMINDERS_STAY = (
    "{count} reminders of this conversation stay, as people rely on them: /reminders lists and deletes them"
)
TROUBLE = (EditRefusedError, InvalidReminderError, OSError)
"""Errors that can stop an edit."""


class _Change(NamedTuple):
    """Change of a line by a request."""

    old: str
    line: str
    due: str
    note: str
    owed: OwedConfirmation | None
    """Confirmation of the change; None for no change, or without readers."""


class ReminderRequests:
    """Handler of requests: each becomes an edit of the file, or a look at the file, when its window's turn comes."""

    def __init__(
        self,
        host: Host,
        config: SchedulerConfig,
        edits: EditQueue,
        readership: Readership,
        confirmations: Confirmations,
        state: SchedulerState,
    ) -> None:
        """No request is being served.

        Args:
            host: The scheduler's actor.
            config: The operator's decisions.
            edits: Makes the edits of the reminders' file.
            readership: Says what a window may see.
            confirmations: Shows what was done.
            state: State beyond the actor's life.
        """
        self._host = host
        self._config = config
        self._file = edits.file
        self._edits = edits
        self._readership = readership
        self._confirmations = confirmations
        self._state = state

    def serve(self, request: ReminderRequest) -> None:
        """Have the edit made; the answer and the confirmation follow once the edit is in the file."""

        def begin() -> None:
            self._count(self._state.edits, request.window, "changes of reminders")
            self._confirmations.check_room(request.window)
            match request:
                case CreateReminder():
                    self._create(request)
                case ModifyReminder():
                    self._with_sight(request, lambda sight, known: self._modify(request, sight, known))
                case DeleteReminder():
                    self._with_sight(request, lambda sight, known: self._delete(request, sight, known))
                case _:
                    assert_never(request)

        self._try(request, begin)

    def list(self, request: ListReminders) -> None:
        """List the file's reminders visible to the window, in the window's turn: a long file takes a while."""

        def begin() -> None:
            self._count(self._state.lists, request.window, "lists of reminders")
            self._readership.query(request.window, windows_in(self._readable()), take_turn)

        def take_turn(sight: Sight) -> None:
            self._in_turn(request, None, lambda: self._try(request, lambda: self._list(request, sight)))

        self._try(request, begin)

    def answer_forget(self, request: ForgetDerived) -> None:
        """Answer with the number of a window's remaining reminders.

        The reminders stay: people rely on them, and a reminder names no event.
        """
        count = sum(entry.reminder.window == request.window for entry in scan(self._read() or b"").entries)
        note = REMINDERS_STAY.format(count=count) if count else ""
        self._host.tell(request.reply_to, answer_derived(request, SCHEDULER.kind, 0, note))

    def _list(self, request: ListReminders, sight: Sight) -> None:
        reminders = scan(self._readable())
        if not sight.is_whole:
            reminders = reminders.seen_by(sight.sees)
        now, zone = self._host.now(), self._config.zone
        answer = list_reminders(request.request_id, reminders, now, zone, request.limit, numbered=sight.is_whole)
        self._host.tell(request.reply_to, answer)

    def _create(self, request: CreateReminder) -> None:
        now, zone, window = self._host.now(), self._config.zone, _said_in(request.window)
        reminder_id = self._state.id_for(request.request_id, unused_id(self._host, self._looked_at()))
        reminder = new_reminder(_fields(request), reminder_id, now, zone, window)
        line, due, note = form(reminder), self._next(reminder), remark(reminder, zone)
        owed = self._confirmations.prepare(
            request.window, request.request_id, "Reminder set", reminder, line, _next_line(due), note
        )

        def edit(data: bytes) -> bytes:
            edited = append(data, line)
            if edited != data:
                check_share(data, window, line, REQUESTED_BYTES)
                self._confirmations.owe(owed)
                self._state.note_requested(reminder, now)
            return edited

        def on_done() -> None:
            self._confirmations.send(owed)
            self._host.tell(
                request.reply_to,
                ReminderCreated(request_id=request.request_id, id=reminder.id, line=line, next_due=due, note=note),
            )

        self._in_turn(request, edit, on_done)

    def _modify(self, request: ModifyReminder, sight: Sight, known: Sequence[Reminder]) -> None:
        now, zone = self._host.now(), self._config.zone
        change: dict[str, _Change] = {}

        def edit(data: bytes) -> bytes:
            data = self._with_lost_ids(data, known)
            entry = _entry(data, request.id, sight)
            if request.msg and not sight.may_tell(entry.reminder.window):
                raise EditRefusedError(
                    f"what {request.id} says cannot be changed here: it is said where others read it than here"
                )
            new = changed_reminder(entry.reminder, _fields(request), now, zone)
            line, due, note = form(new), self._next(new), remark(new, zone)
            if new == entry.reminder:
                change.setdefault("made", _Change(entry.line, entry.line, due, note, None))
                return data
            check_share(data, new.window, line, REQUESTED_BYTES, instead_of=entry.raw)
            owed = self._confirmations.prepare(
                request.window, request.request_id, "Reminder changed", new, line, _next_line(due), note
            )
            self._confirmations.owe(owed, instead_of=entry.line)
            if replace_fields(new, message=entry.reminder.message) != entry.reminder:
                self._state.note_requested(new, now)
            change["made"] = _Change(entry.line, line, due, note, owed)
            return replace(data, entry.number, line.encode("utf-8"))

        def on_done() -> None:
            old, line, due, note, owed = change["made"]
            self._confirmations.send(owed)
            self._host.tell(
                request.reply_to,
                ReminderModified(
                    request_id=request.request_id, id=request.id, line=line, old_line=old, next_due=due, note=note
                ),
            )

        self._in_turn(request, edit, on_done)

    def _delete(self, request: DeleteReminder, sight: Sight, known: Sequence[Reminder]) -> None:
        removed: list[tuple[Entry, OwedConfirmation | None]] = []

        def edit(data: bytes) -> bytes:
            data = self._with_lost_ids(data, known)
            if removed and all(entry.reminder.id != request.id for entry in _holding(data, request.id)):
                return data
            entry = _entry(data, request.id, sight)
            owed = self._confirmations.prepare(
                request.window, request.request_id, "Reminder deleted", entry.reminder, entry.line, is_gone=True
            )
            self._confirmations.owe(owed, instead_of=entry.line)
            removed[:] = [(entry, owed)]
            return remove(data, entry.number)

        def on_done() -> None:
            ((entry, owed),) = removed
            self._confirmations.send(owed)
            self._host.tell(
                request.reply_to, ReminderDeleted(request_id=request.request_id, id=request.id, line=entry.line)
            )

        self._in_turn(request, edit, on_done)

    def _with_sight(
        self, request: ModifyReminder | DeleteReminder, then: Callable[[Sight, Sequence[Reminder]], None]
    ) -> None:
        """Go on with the window's view of the reminders with the given id, and with these reminders."""
        check_id(request.id)
        known = [each for entry in _holding(self._looked_at(), request.id) if (each := entry.reminder).id == request.id]
        windows = [each.window for each in known]
        self._readership.query(request.window, windows, lambda sight: self._try(request, lambda: then(sight, known)))

    def _with_lost_ids(self, data: bytes, known: Sequence[Reminder]) -> bytes:
        """File with ids again, if an editor has saved one of the reminders without the id."""
        spent = self._state.spent_ids
        return add_ids(data, spent) if any(holds_without_id(data, each, spent) for each in known) else data

    def _in_turn(
        self,
        request: ReminderRequest | ListReminders,
        edit: Callable[[bytes], bytes] | None,
        on_done: Callable[[], None],
    ) -> None:
        def put() -> None:
            self._edits.put_for(request.window, edit, on_done, lambda reason: self._refuse(request, reason))

        self._try(request, put)

    def _try(self, request: ReminderRequest | ListReminders, act: Callable[[], None]) -> None:
        """Act, or answer with the reason for a refusal."""
        try:
            act()
        except TROUBLE as error:
            self._refuse(request, reason_of(error))

    def _read(self) -> bytes | None:
        """Content of the file; None for an unreadable file."""
        try:
            return self._file.read() or b""
        except OSError:
            return None

    def _looked_at(self) -> bytes:
        """Content of the file, for an edit.

        Raises:
            EditRefusedError: the file's encoding cannot be edited.
        """
        data = self._file_bytes()
        if flaw := self._edits.flaw(data):
            raise EditRefusedError(flaw)
        return data

    def _readable(self) -> bytes:
        """Content of the file, for a list of readable lines.

        Raises:
            EditRefusedError: no line is readable.
        """
        data = self._file_bytes()
        return self._looked_at() if is_wide(data) else data

    def _file_bytes(self) -> bytes:
        look = self._file.look()
        return b"" if look is None else look.data

    def _count(self, limit: RateLimit, window: Window, what: str) -> None:
        """Count a request of the window's.

        Raises:
            EditRefusedError: the window made too many requests.
        """
        wait_s = limit.take(window.address.key, self._host.monotonic())
        if wait_s:
            raise EditRefusedError(
                f"at most {limit.limit} {what} are made in {limit.window_s:.0f} s for one conversation: "
                f"try again in {wait_s:.0f} s"
            )

    def _refuse(self, request: ReminderRequest | ListReminders, reason: str) -> None:
        if not isinstance(request, ListReminders):
            self._confirmations.doubt(request.request_id, self._read)
        self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))

    def _next(self, reminder: Reminder) -> str:
        due = next_firing(reminder, self._host.now(), self._config.zone)
        return shown_time(due, self._config.zone) if due is not None else ""


def unused_id(host: Host, data: bytes) -> str:
    """Fresh random id, absent from the file `data`: `rid_` and 12 characters of A-Z2-7."""
    while (fresh := f"rid_{host.new_token()[:12].upper()}").encode("ascii") in data:
        pass
    return fresh


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


def _said_in(window: Window) -> Window | None:
    """Target window of a reminder from `window`; None for the reminders' channel."""
    return None if window.surface is Surface.CLI else window


def _holding(data: bytes, reminder_id: str) -> tuple[Entry, ...]:
    """Reminders whose lines hold the id; quicker than parsing all reminders of a long file."""
    return scan(data, holding=f"id={reminder_id}".encode("ascii")).entries


def _entry(data: bytes, reminder_id: str, sight: Sight) -> Entry:
    """Visible reminder with the id.

    Raises:
        EditRefusedError: no reminder has the id, or more than one.
    """
    return scan(data, holding=f"id={reminder_id}".encode("ascii")).seen_by(sight.sees).by_id(reminder_id)
