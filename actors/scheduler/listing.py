"""Listing of the file's content: soonest first, with every next time."""

from __future__ import annotations

from datetime import datetime, tzinfo

from domain.reminder.document import Entry, Scan
from domain.reminder.recurrence import next_firing
from domain.reminder.text import shown_time
from messages.base import RequestId
from messages.scheduler import InvalidLine, ListedReminder, RemindersListed

MOST_INVALID = 100


def by_next(reminders: Scan, now: datetime, zone: tzinfo) -> list[tuple[datetime | None, Entry]]:
    """Every reminder with its next time, soonest first; reminders without a next time, past or failed, come first."""
    timed = [
        (None if entry.reminder.failed else next_firing(entry.reminder, now, zone), entry)
        for entry in reminders.entries
    ]
    return sorted(timed, key=lambda pair: pair[0] or now)


def list_reminders(
    request_id: RequestId, reminders: Scan, now: datetime, zone: tzinfo, limit: int, *, numbered: bool
) -> RemindersListed:
    """Answer to a request for the list.

    Args:
        reminders: Reminders visible to the reader.
        limit: Most reminders in the list.
        numbered: True if the reader may know a line's number in the file, and thus the number of lines before.
    """
    timed = by_next(reminders, now, zone)
    repeated = {entry.reminder.id for entry in reminders.entries if entry.repeats}
    faults = sorted((*reminders.faults, *reminders.repeated), key=lambda fault: fault.number)
    return RemindersListed(
        request_id=request_id,
        reminders=tuple(_listed_reminder(entry, due, zone, repeated) for due, entry in timed[: max(0, limit)]),
        left_out=max(0, len(timed) - max(0, limit)),
        invalid=tuple(
            InvalidLine(number=fault.number if numbered else 0, line=fault.text, reason=fault.reason)
            for fault in faults[:MOST_INVALID]
        ),
    )


def _listed_reminder(entry: Entry, due: datetime | None, zone: tzinfo, repeated: set[str]) -> ListedReminder:
    reminder = entry.reminder
    return ListedReminder(
        id=reminder.id,
        line=entry.line,
        msg=reminder.message,
        recur=reminder.recurrence.value,
        next_due=due,
        next_local=shown_time(due, zone) if due is not None else "",
        failed=reminder.failed,
        is_addressable=bool(reminder.id) and reminder.id not in repeated,
    )
