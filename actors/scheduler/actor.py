"""The actor that keeps people's reminders."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from actors.edited_file.file import LIMIT_BYTES, EditedFile, Look
from actors.edited_file.queue import EditQueue, Job
from actors.kernel import Actor, Then, not_understood
from actors.scheduler.alerts import ALERT, Alerts
from actors.scheduler.announcer import FIRING, Announcer
from actors.scheduler.config import SchedulerConfig
from actors.scheduler.confirmations import Confirmations
from actors.scheduler.due_scan import DueScan
from actors.scheduler.line_changes import LineChanges
from actors.scheduler.requests import ReminderRequests
from actors.scheduler.sight import Readership
from actors.scheduler.state import SchedulerState
from actors.scheduler.status import Troubles, describe
from actors.scheduler.watermark import Watermark
from domain.edit.encoding import encoding_flaw, is_wide
from domain.reminder.document import add_ids
from domain.reminder.due import Findings, Firing, Stretch
from domain.reminder.file_lines import FileLines
from messages.base import Message, RequestId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, ReadersDescribed
from messages.forget import ForgetDerived
from messages.scheduler import (
    CreateReminder,
    DeleteReminder,
    ListReminders,
    ModifyReminder,
    RelayConfirmation,
    SchedulerMessage,
)
from messages.status import DescribeYourself, SelfDescription

log = logging.getLogger(__name__)

EARLY = timedelta(seconds=1)
"""Largest difference by which a timer may fire before the intended minute."""
MINUTE = timedelta(minutes=1)
REST_S = 2.0
"""A last line without a line end is taken for whole when the file has not changed for so long."""
_T = TypeVar("_T")
_WATERMARK, _LEFTOVERS, _DISK = "the time of the last scan", "edits left by a crash", "the disk"
_CONFIRMATIONS, _NOTES = "confirmations", "notes of confirmations"
_ENCODING = "the encoding of the reminders' file"
_CONSEQUENCES = {
    _WATERMARK: "the time of the last scan is not stored, so reminders missed while the agent is off may be lost",
    _LEFTOVERS: "edits that a crash left beside the reminders' file cannot be recovered yet",
    _CONFIRMATIONS: "changes of reminders before a crash may not be confirmed yet",
    _NOTES: "changes of reminders before the agent ended may not be confirmed yet",
    _DISK: "a task of the reminders failed",
}
"""Consequence of each kind of disk error, in words for users."""


class SchedulerActor(Actor):
    """Scheduler: looks at the reminders' file on every minute and posts due reminders.

    Owns: the reminders' file, as far as the agent writes the file; people write there, too.
    Asks: the surface, to show due reminders and confirmations, and for the readers of a window.
    Crashes on: a defect. A failure of the disk is no crash, whatever its kind: the failure is reported, and the
    access tried again.
    """

    def __init__(self, config: SchedulerConfig, state: SchedulerState) -> None:
        """Begin before the first look.

        Args:
            config: The operator's decisions.
            state: State that outlives the actor in this process; the same object at every restart.
        """
        super().__init__()
        self._config = config
        self._state = state
        self._file = EditedFile(config.file, config.spare, config.disk)
        self._watermark = Watermark(config.spare)
        self._alerts = Alerts(self, config)
        self._troubles = Troubles(self._alerts.tell, self.monotonic)
        self._edits = EditQueue(self, self._file, config.queue(self._flaw))
        readership = Readership(self, config.delivery, config.channel)
        self._confirmations = Confirmations(self, config, state)
        self._requests = ReminderRequests(self, config, self._edits, readership, self._confirmations, state)
        self._due_scan = DueScan(self, self._file, config.waits.settle_s, self._troubles.report, self._take)
        self._announcer = Announcer(self, config, state, LineChanges(self._edits, state.spent_ids), self._alerts.tell)
        self._ids_tried = False
        self._id_trouble = ""

    def on_start(self) -> None:
        """Resume the unfinished work of an earlier process, and look at once."""
        with self.blocking():
            looked_at = self._guard(_WATERMARK, self._watermark.read, None)
            furthest = self._guard(_WATERMARK, self._watermark.read_furthest, None)
            catchup = timedelta(hours=self._config.catchup_hours)
            self._cursor = self._state.begin(self.now(), looked_at, catchup, furthest)
            with suppress(OSError):  # then every look tries it again, and says so
                self._edits.bring_back()
        if self._config.fires:
            self._aim = self.now()
            self._aim_at(self._aim)

    def handle(self, message: SchedulerMessage | ForgetDerived) -> None:
        """Act on the file, or on the fate of a posting."""
        with self.blocking():
            self._guard(_DISK, partial(self._dispatch, message), None)

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Take an answer as `handle` takes a message."""
        with self.blocking():
            self._guard(_DISK, partial(then, answer), None)

    def _dispatch(self, message: SchedulerMessage | ForgetDerived) -> None:
        match message:
            case Delivered() | DeliveryFailed() | DeliveryRefused():
                self._take_delivery(message)
            case ReadersDescribed():
                pass  # An answer behind its deadline.
            case CreateReminder() | ModifyReminder() | DeleteReminder():
                self._requests.serve(message)
            case RelayConfirmation():
                self._confirmations.relay(message)
            case ListReminders():
                self._requests.list(message)
            case ForgetDerived():
                self._requests.answer_forget(message)
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message.request_id))
            case _:
                not_understood(message)

    @property
    def in_progress(self) -> bool:  # type: ignore[override]  # it follows from the parts
        """True while an edit is under way or a reminder on its way."""
        return self._edits.is_busy or bool(self._state.outgoing)

    def on_stop(self) -> None:
        """Let go of the files."""
        with self.blocking():
            self._confirmations.forget_shown(0.0)
        self._edits.close()

    # looking

    def _begin_minute(self) -> None:
        now = self.now()
        is_early = timedelta(0) < self._aim - now < EARLY
        if not is_early:
            # Aimed at the wall clock anew each time, so nothing adds up.
            self._aim = (now + MINUTE).replace(second=0, microsecond=0)
        self._aim_at(now)
        if not is_early:
            self._alerts.try_again()
            self._edits.try_again()
            self._guard(_NOTES, self._confirmations.begin_minute, None)
            self._ids_tried = False
            self._due_scan.begin()

    def _aim_at(self, now: datetime) -> None:
        """Wait for the intended minute."""
        self.wait((self._aim - now).total_seconds(), self._begin_minute)

    def _take(self, look: Look) -> None:
        flaw = "" if look.is_empty else self._flaw(look.data)
        if is_wide(look.data):
            if self._state.readable is None:
                self._due_scan.end()
                return
            look = replace(look, data=self._state.readable)
        else:
            self._state.readable = look.data
        self._take_look(look, flaw)

    def _take_look(self, look: Look, flaw: str) -> None:
        """Have due reminders of a file at rest posted; `flaw` is the reason against an edit."""
        if not flaw and self._edits.is_settled:
            make_durable = self._file.make_durable
            self._guard(_CONFIRMATIONS, lambda: self._confirmations.make_up(look.data, make_durable), None)
        if look.is_empty:
            return
        after, until = self._cursor.stretch(self.now())
        stretch = Stretch(after, until, self._config.zone)
        findings = stretch.find(look.data, self._state.spent_ids)
        if findings.lacks_ids and not (self._ids_tried or look.left_out_bytes or flaw):
            self._give_ids(self._may_end_the_file(look))
        else:
            self._announce(look, findings, self._earlier(stretch, look))

    def _give_ids(self, last_line_too: bool) -> None:
        """Give every reminder an id, then look anew."""
        self._ids_tried = True

        def look_anew(reason: str = "") -> None:
            if reason and reason != self._id_trouble:
                log.error("reminders get no ids: %s", reason)
            self._id_trouble = reason
            self._due_scan.end()
            self._due_scan.begin()

        def edit(data: bytes) -> bytes:
            return add_ids(data, self._state.spent_ids, last_line_too=last_line_too)

        self._edits.put(Job(edit, look_anew, look_anew, key="ids", most_bytes=LIMIT_BYTES))

    def _earlier(self, stretch: Stretch, look: Look) -> tuple[Firing, ...]:
        """Due firings of the file as it was at the last look, if the file has changed since."""
        earlier = self._state.announced
        return stretch.find(earlier, self._state.spent_ids).firings if earlier != look.data else ()

    def _announce(self, look: Look, findings: Findings, earlier: Sequence[Firing]) -> None:
        if self._edits.is_settled:
            self._guard(_LEFTOVERS, self._edits.bring_back, None)
        now = self.now()
        file = FileLines(look.data)
        unfinished = b"" if self._may_end_the_file(look) else file.lines[-1]
        firings = [firing for firing in findings.firings if self._state.is_requested(firing)]
        due = [firing for firing in firings if firing.is_named or firing.raw != unfinished]
        # A save may be under way. One-offs are found again; a recurring reminder would be due at its next time only.
        keys = {firing.key for firing in due}
        unseen = [firing for firing in (*earlier, *firings) if not (firing.is_one_off or firing.key in keys)]
        self._announcer.announce(due, unseen, frozenset(file.texts()), now, self.monotonic())
        self._state.announced = look.data
        self._cursor.advance(now)
        self._state.requested.clear()  # later looks begin here, also by a clock that was set back
        settled, furthest = self._announcer.settled_until(self._cursor.at), self._state.note_look(now)
        write = partial(self._watermark.write, settled, furthest)
        self._guard(_WATERMARK, write, None, tells=self._config.catchup_hours > 0)
        self._due_scan.end()

    def _flaw(self, data: bytes) -> str:
        """Reason why the file may not be edited as it is, reported once; empty for an editable file."""
        flaw = encoding_flaw(data)
        self._troubles.report(_ENCODING, f"{self._file.path}: {flaw}" if flaw else "")
        return flaw

    def _may_end_the_file(self, look: Look) -> bool:
        """True if the last line seems whole: the clock that dated the file may be ahead of this one."""
        has_rested = look.data == self._state.announced or self.now().timestamp() - look.modified_at > REST_S
        return has_rested or look.data.endswith(b"\n")

    def _take_delivery(self, reply: Delivered | DeliveryFailed | DeliveryRefused) -> None:
        if reply.request_id.startswith(FIRING):
            self._announcer.take(reply, self.now(), self.monotonic())
        elif reply.request_id.startswith(ALERT):
            self._alerts.take(reply)
        else:
            self._confirmations.take(reply)

    # the rest

    def _guard(self, cause: str, act: Callable[[], _T], otherwise: _T, *, tells: bool = True) -> _T:
        """Access the disk, or report the function lost without the disk."""
        return self._troubles.guard_disk(cause, act, otherwise, consequence=_CONSEQUENCES[cause], tells=tells)

    def _description(self, request_id: RequestId) -> SelfDescription:
        return describe(
            request_id,
            self._file,
            now=self.now(),
            zone=self._config.zone,
            watermark=self._cursor.at,
            took_s=self._due_scan.took_s,
            outgoing=len(self._state.outgoing),
            trouble=str(self._troubles),
        )
