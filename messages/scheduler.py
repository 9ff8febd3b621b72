"""Protocol of the scheduler, the only writer of the reminders' file and the source of due reminders."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, RequestId, Value, Window, Word, make_ready
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, ReadersDescribed
from messages.socket import Refused
from messages.status import DescribeYourself

SCHEDULER = Address("scheduler")

ReminderText = Annotated[str, Meta(max_length=1_500)]
"""Length that leaves room in one Discord message for the text and its surroundings."""
DelayMinutes = Annotated[int, Meta(ge=0, le=60 * 24 * 366 * 10)]
"""Ten years at most."""


class ListedReminder(Value, frozen=True, kw_only=True, gc=False):
    """One reminder of the file."""

    id: str
    """Empty for a line without an id yet."""
    line: str
    """The line's exact text in the file."""
    msg: str
    recur: str
    next_due: datetime | None
    """UTC; None for a one-off reminder about to be posted after its time, and for a failed reminder."""
    next_local: str
    """The same time on London's clocks, for people; empty for None."""
    is_addressable: bool = True
    """False for an id on several lines, or on no line: the reminder can't be modified or deleted by its id."""
    failed: bool = False
    """True if the reminder could not be posted at its place; a change of its time opens the reminder again."""


class InvalidLine(Value, frozen=True, kw_only=True, gc=False):
    """A line left out, or not used as probably meant."""

    number: int
    """Number in the file; 0 for readers who may not see the whole file."""
    line: str
    reason: str


class CreateReminder(Message, frozen=True, kw_only=True, gc=False):
    """Add a reminder for the window; answered by `ReminderCreated` or `Refused`, and confirmed.

    A reminder from a command line is posted in the reminders' channel.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    msg: ReminderText
    date: Word = ""
    """`YYYY-MM-DD`, `today` or `tomorrow`; empty for the next day on which `time` is still to come."""
    time: Word = ""
    """`HH:MM` on London's clocks."""
    recur: Word = "none"
    at: Word = ""
    """ISO 8601 in place of `date` and `time`; without an offset, London's time."""
    in_minutes: DelayMinutes = 0
    """From now, in their place."""


class ModifyReminder(Message, frozen=True, kw_only=True, gc=False):
    """Change the named parts of one line; answered by `ReminderModified` or `Refused`, and confirmed in the window.

    The line does not exist for people who may not read the place of its request.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word
    msg: ReminderText = ""
    date: Word = ""
    time: Word = ""
    recur: Word = ""
    at: Word = ""
    in_minutes: DelayMinutes = 0


class DeleteReminder(Message, frozen=True, kw_only=True, gc=False):
    """Take one line out; answered by `ReminderDeleted` or `Refused`, and confirmed in the window.

    The line does not exist for people who may not read the place of its request.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word


class ListReminders(Message, frozen=True, kw_only=True, gc=False):
    """List the file's reminders, as far as the window may see them; answered by `RemindersListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    limit: Annotated[int, Meta(ge=0, le=1_000)] = 200
    """Most reminders in the answer, soonest first."""


class RelayConfirmation(Message, frozen=True, kw_only=True, gc=False):
    """Show a command line's report of a change in a window; answered by `ConfirmationRelayed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    what: Annotated[str, Meta(max_length=60)]
    """Such as `Reminder set`."""
    line: Annotated[str, Meta(max_length=4_500)]
    """The line's exact text in the file, present or former; longer than any line written by the agent."""
    notes: Annotated[str, Meta(max_length=500)] = ""
    """Lines that follow."""


class ConfirmationRelayed(Message, frozen=True, kw_only=True, gc=False):
    """The confirmation is on its way."""

    request_id: RequestId


class ReminderCreated(Message, frozen=True, kw_only=True, gc=False):
    """The line stands in the file."""

    request_id: RequestId
    id: str
    line: str
    next_due: str
    """On London's clocks, for people."""
    note: str = ""


class ReminderModified(Message, frozen=True, kw_only=True, gc=False):
    """The new line stands in the file in place of the old one."""

    request_id: RequestId
    id: str
    line: str
    old_line: str
    next_due: str
    note: str = ""


class ReminderDeleted(Message, frozen=True, kw_only=True, gc=False):
    """The line stands in the file no more."""

    request_id: RequestId
    id: str
    line: str


class RemindersListed(Message, frozen=True, kw_only=True, gc=False):
    """Reminders in the file at present."""

    request_id: RequestId
    reminders: tuple[ListedReminder, ...]
    """Soonest first."""
    left_out: int
    """Number of visible reminders beyond the limit."""
    invalid: tuple[InvalidLine, ...]


ReminderRequest = CreateReminder | ModifyReminder | DeleteReminder
SchedulerCommand = ReminderRequest | ListReminders | RelayConfirmation | DescribeYourself
SchedulerReply = ReminderCreated | ReminderModified | ReminderDeleted | RemindersListed | ConfirmationRelayed | Refused
SchedulerMessage = SchedulerCommand | ReadersDescribed | Delivered | DeliveryFailed | DeliveryRefused
make_ready(__name__)
