"""Protocol of the scheduler, the only actor that writes the reminders' file and says what is due."""

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
    """Empty for a line that has none yet."""
    line: str
    """As it stands in the file."""
    msg: str
    recur: str
    next_due: datetime | None
    """UTC; None for a one-off whose time has passed and whose text is about to be posted, and for a failed reminder."""
    next_local: str
    """The same on London's clocks, for people; empty for None."""
    is_addressable: bool = True
    """False for an id that stands on several lines, or none: it can't be modified or deleted by it."""
    failed: bool = False
    """True if the reminder could not be posted where it was asked for; a change of its time opens it again."""


class InvalidLine(Value, frozen=True, kw_only=True, gc=False):
    """A line that is not used, or not as it may have been meant."""

    number: int
    """In the file; 0 for who may not see all of it."""
    line: str
    reason: str


class CreateReminder(Message, frozen=True, kw_only=True, gc=False):
    """Add a line that is said in the window when due; answered by `ReminderCreated` or `Refused`, and confirmed.

    What is asked for on a command line is said in the reminders' channel.
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
    """ISO 8601 in place of `date` and `time`; without an offset it is London's."""
    in_minutes: DelayMinutes = 0
    """From now, in their place."""


class ModifyReminder(Message, frozen=True, kw_only=True, gc=False):
    """Change what is named of one line; answered by `ReminderModified` or `Refused`, and confirmed in the window.

    For who may not read where the line was asked for there is no such line.
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

    For who may not read where the line was asked for there is no such line.
    """

    request_id: RequestId
    reply_to: Address
    window: Window
    id: Word


class ListReminders(Message, frozen=True, kw_only=True, gc=False):
    """Say what the file holds, as far as it may be shown in the window; answered by `RemindersListed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    limit: Annotated[int, Meta(ge=0, le=1_000)] = 200
    """Most reminders in the answer, soonest first."""


class RelayConfirmation(Message, frozen=True, kw_only=True, gc=False):
    """Show in a window what a command line has said of a change; answered by `ConfirmationRelayed` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    what: Annotated[str, Meta(max_length=60)]
    """Such as `Reminder set`."""
    line: Annotated[str, Meta(max_length=4_500)]
    """Exactly as it stands in the file, or stood there; more than any that the agent writes."""
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
    """The line stands in the file in place of the old one."""

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
    """Reminders that the file holds now."""

    request_id: RequestId
    reminders: tuple[ListedReminder, ...]
    """Soonest first."""
    left_out: int
    """Reminders beyond the limit that may be shown as well."""
    invalid: tuple[InvalidLine, ...]


ReminderRequest = CreateReminder | ModifyReminder | DeleteReminder
SchedulerCommand = ReminderRequest | ListReminders | RelayConfirmation | DescribeYourself
SchedulerReply = ReminderCreated | ReminderModified | ReminderDeleted | RemindersListed | ConfirmationRelayed | Refused
SchedulerMessage = SchedulerCommand | ReadersDescribed | Delivered | DeliveryFailed | DeliveryRefused
make_ready(__name__)
