"""Requests as reminders: from a script's request to a valid line, or to the reason for having no line."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, tzinfo

from domain.reminder.line import (
    InvalidReminderError,
    Recurrence,
    Reminder,
    check_message,
    in_quotes,
    parse_date,
    parse_recurrence,
    parse_time,
)
from domain.reminder.recurrence import instant, is_skipped, next_firing, shows_twice
from domain.reminder.text import shown_time
from messages.base import Value, Window, make_ready

LONGEST_MESSAGE_CHARS = 1_500
"""Length that leaves room in one Discord message for the text and the surrounding text."""
LONGEST_DELAY_MINUTES = 60 * 24 * 366 * 10
_MINUTE = timedelta(minutes=1)
_TURNING = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
"""Characters that change the display order of a line, so the line would read as another line."""


class ReminderFields(Value, frozen=True, kw_only=True, gc=False):
    """Reminder fields of a request; an empty field was not named."""

    date: str = ""
    """`YYYY-MM-DD`, `today` or `tomorrow`."""
    time: str = ""
    """`HH:MM`."""
    recur: str = ""
    msg: str = ""
    at: str = ""
    """An instant or a local time as ISO 8601, in place of `date` and `time`."""
    in_minutes: int = 0
    """From now, in their place."""


def new_reminder(
    fields: ReminderFields, reminder_id: str, now: datetime, zone: tzinfo, window: Window | None = None
) -> Reminder:
    """Reminder from `fields`.

    Args:
        window: Window of the request and of the posting; None: the reminders' channel.

    Raises:
        InvalidReminderError: the fields describe no reminder, or a reminder already due.
    """
    _check_words(fields.msg)
    recurrence = parse_recurrence(fields.recur or Recurrence.NONE.value)
    moment = _moment(fields, None, now, zone)
    if moment is None:
        raise InvalidReminderError("no time: give time= (with date= for a later day), at= or in_minutes=")
    reminder = Reminder(
        day=moment.date(),
        at=moment.time(),
        recurrence=recurrence,
        message=fields.msg,
        id=reminder_id,
        window=window,
    )
    _check_future(reminder, now, zone)
    return reminder


def changed_reminder(old: Reminder, fields: ReminderFields, now: datetime, zone: tzinfo) -> Reminder:
    """`old` with the named `fields` replaced; a reminder that could not be posted is open again.

    Raises:
        InvalidReminderError: the fields are empty, or give no valid reminder.
    """
    if fields == ReminderFields():
        raise InvalidReminderError("nothing to change: give date, time, recur, msg, at or in_minutes")
    if fields.msg:
        _check_words(fields.msg)
    moment = _moment(fields, old, now, zone) or datetime.combine(old.day, old.at)
    new = Reminder(
        day=moment.date(),
        at=moment.time(),
        recurrence=parse_recurrence(fields.recur) if fields.recur else old.recurrence,
        message=fields.msg or old.message,
        id=old.id,
        window=old.window,
    )
    if old.failed or (new.day, new.at, new.recurrence) != (old.day, old.at, old.recurrence):
        _check_future(new, now, zone)
    return new


def remark(reminder: Reminder, zone: tzinfo) -> str:
    """Sentence about a first time skipped or shown twice by the clocks; empty for every other time."""
    local = datetime.combine(reminder.day, reminder.at)
    first = shown_time(instant(local, zone), zone)
    if is_skipped(local, zone):
        return f"The clocks skip {local:%H:%M} on {reminder.day}, so it is due at the next minute there is: {first}."
    if shows_twice(local, zone):
        return f"The clocks show {local:%H:%M} twice on {reminder.day}; it is due at the first, {first}."
    return ""


def _moment(fields: ReminderFields, old: Reminder | None, now: datetime, zone: tzinfo) -> datetime | None:
    """Local minute named by the fields; None without a time."""
    ways = [bool(fields.at), fields.in_minutes != 0, bool(fields.date or fields.time)]
    if sum(ways) > 1:
        raise InvalidReminderError("the time is given twice: use date= and time=, or at=, or in_minutes=")
    if fields.at:
        return _local_of(fields.at, zone)
    if fields.in_minutes:
        return _after_minutes(fields.in_minutes, now, zone)
    if not (fields.date or fields.time):
        return None
    if not fields.time and old is None:
        raise InvalidReminderError("time= is missing: must be HH:MM, from 00:00 to 23:59")
    at = parse_time(fields.time) if fields.time else old.at if old is not None else time()
    if fields.date or old is None:
        return datetime.combine(_day(fields.date, at, now, zone), at)
    return datetime.combine(old.day, at)


def _day(word: str, at: time, now: datetime, zone: tzinfo) -> date:
    """Day named by `word`; for an empty word the first day with `at` still to come."""
    today = now.astimezone(zone).date()
    if word == "today":
        return today
    if word == "tomorrow":
        return today + timedelta(days=1)
    if word:
        return parse_date(word)
    return today if instant(datetime.combine(today, at), zone) > now else today + timedelta(days=1)


def _after_minutes(minutes: int, now: datetime, zone: tzinfo) -> datetime:
    if not 1 <= minutes <= LONGEST_DELAY_MINUTES:
        raise InvalidReminderError(f"in_minutes {minutes}: must be from 1 to {LONGEST_DELAY_MINUTES}")
    due = now + minutes * _MINUTE
    whole = due.replace(second=0, microsecond=0)
    return _expressible(whole if whole == due else whole + _MINUTE, zone)


def _local_of(text: str, zone: tzinfo) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidReminderError(f"at {in_quotes(text)}: must be ISO 8601, such as 2026-11-22T09:00") from None
    if moment.second or moment.microsecond:
        raise InvalidReminderError(f"at {in_quotes(text)}: must be a whole minute")
    return moment if moment.tzinfo is None else _expressible(moment, zone)


def _expressible(due: datetime, zone: tzinfo) -> datetime:
    """Local minute for an instant in the file, which knows no zones.

    Raises:
        InvalidReminderError: the minute stands for another instant.
    """
    try:
        local = due.astimezone(zone).replace(tzinfo=None, fold=0)
    except OverflowError:
        raise InvalidReminderError(f"{due.isoformat()}: is beyond the calendar") from None
    if instant(local, zone) != due:
        raise InvalidReminderError(
            f"{shown_time(due, zone)} cannot be written down: the clocks show {local:%H:%M} twice on {local:%Y-%m-%d}, "
            f"a line has no zone, and {local:%H:%M} in it means the first, {shown_time(instant(local, zone), zone)}. "
            "Choose that one, or a time after the second"
        )
    return local


def _check_future(reminder: Reminder, now: datetime, zone: tzinfo) -> None:
    if next_firing(reminder, now, zone) is None:
        raise InvalidReminderError(
            f"{reminder.day} {reminder.at:%H:%M} has passed: in London it is {shown_time(now, zone)}"
        )


def _check_words(message: str) -> None:
    check_message(message)
    if "\t" in message:
        raise InvalidReminderError("msg has a tab: control characters cannot stand in one line")
    if (match := _TURNING.search(message)) is not None:
        raise InvalidReminderError(
            f"msg has the character U+{ord(match[0]):04X}: characters that turn the order of a line cannot stand in it"
        )
    if len(message) > LONGEST_MESSAGE_CHARS:
        raise InvalidReminderError(f"msg has {len(message)} characters, at most {LONGEST_MESSAGE_CHARS} are allowed")


make_ready(__name__)
