"""Recurrence: a zone's local minutes turned into a reminder's instants, through every clock change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

from dateutil.relativedelta import relativedelta

from domain.reminder.line import Recurrence, Reminder

_MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)
_STEPS = {Recurrence.DAILY: 1, Recurrence.WEEKLY: 7}
"""Days between two occurrences."""
_FAR_PAST = datetime(1, 1, 5, tzinfo=UTC)
_FAR_FUTURE = datetime(9999, 12, 30, tzinfo=UTC)
"""Bound beyond which the calendar ends within a zone's offset: no instant is searched there."""


def instant(local: datetime, zone: tzinfo) -> datetime:
    """The instant at which the clocks of `zone` show `local`.

    A skipped minute stands for the first minute that the clocks show after the gap; of a repeated minute, the earlier
    counts.

    Args:
        local: Naive, a whole minute.

    Returns:
        UTC.

    Source:
        Gap and overlap rules: agent specification, 8.2.2.
    """
    due = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if due.astimezone(zone).replace(tzinfo=None) == local:
        return due
    return _end_of_gap(local, zone, due)


def shows_twice(local: datetime, zone: tzinfo) -> bool:
    """True if the clocks of `zone` show the naive `local` twice."""
    first, second = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return first < second and first.astimezone(zone).replace(tzinfo=None) == local


def is_skipped(local: datetime, zone: tzinfo) -> bool:
    """True if the clocks of `zone` never show the naive `local`."""
    return instant(local, zone).astimezone(zone).replace(tzinfo=None) != local


def firings(reminder: Reminder, after: datetime, until: datetime, zone: tzinfo) -> Iterator[datetime]:
    """The instants at which `reminder` is due, later than `after` and not later than `until`, in order.

    Args:
        after: Aware; any zone.
        until: Aware; any zone.

    Returns:
        UTC, whole minutes.
    """
    after, until = max(after.astimezone(UTC), _FAR_PAST), min(until.astimezone(UTC), _FAR_FUTURE)
    if until <= after:
        return
    last = until.astimezone(zone).date()
    previous = after
    for day in _days_from(reminder, (after.astimezone(zone) - 2 * _DAY).date()):
        if day > last:
            return
        due = instant(datetime.combine(day, reminder.at), zone)
        if previous < due <= until:  # a whole day that was skipped makes two days' minutes fall together
            yield due
            previous = due


def next_firing(reminder: Reminder, after: datetime, zone: tzinfo) -> datetime | None:
    """First instant at which `reminder` is due strictly after `after`.

    Returns:
        Instant in UTC, None for a past one-off.
    """
    return next(firings(reminder, after, _FAR_FUTURE, zone), None)


def last_firing(reminder: Reminder, after: datetime, until: datetime, zone: tzinfo) -> datetime | None:
    """Last instant of `reminder` later than `after` and not later than `until`; None without such an instant."""
    recent = max(after.astimezone(UTC), min(until.astimezone(UTC), _FAR_FUTURE) - timedelta(days=35))
    for begin in (recent, after):  # nearly always the first is enough, however long the stretch
        instants = list(firings(reminder, begin, until, zone))
        if instants:
            return instants[-1]
    return None


def one_off_due(reminder: Reminder, zone: tzinfo) -> datetime:
    """First time at which a reminder is due, as UTC."""
    return instant(datetime.combine(reminder.day, reminder.at), zone)


def _days_from(reminder: Reminder, earliest: date) -> Iterator[date]:
    """Local days of the reminder, from the reminder's own day; begins at or shortly before `earliest`."""
    if reminder.recurrence is Recurrence.NONE:
        yield reminder.day
    elif reminder.recurrence is Recurrence.MONTHLY:
        yield from _months_from(reminder.day, earliest)
    else:
        step = _STEPS[reminder.recurrence]
        skipped = max(0, (earliest - reminder.day).days // step)
        first = reminder.day.toordinal() + skipped * step
        for ordinal in range(first, date.max.toordinal() + 1, step):
            yield date.fromordinal(ordinal)


def _months_from(anchor: date, earliest: date) -> Iterator[date]:
    """The anchor's day in every month, or a shorter month's last day; always counted from the anchor."""
    first = max(0, _months_between(anchor, earliest))
    for months in range(first, _months_between(anchor, date.max) + 1):
        yield anchor + _months(months)


@lru_cache(maxsize=1200)
def _months(number: int) -> relativedelta:
    """Duration of so many months, cached.

    Construction is slower than addition, and a file's reminders share a few durations.
    """
    return relativedelta(months=number)


def _months_between(first: date, second: date) -> int:
    """Whole months from the month of `first` to the month of `second`, whatever their days."""
    return (second.year - first.year) * 12 + second.month - first.month


def _end_of_gap(local: datetime, zone: tzinfo, after: datetime) -> datetime:
    """First whole local minute shown by the clocks after the gap around `local`.

    Args:
        after: `local` taken with the offset before the gap, hence at or after the end of the gap.
    """
    low, high = local.replace(tzinfo=zone, fold=1).astimezone(UTC) - _MINUTE, after
    while high - low > _MINUTE:
        middle = low + (high - low) // _MINUTE // 2 * _MINUTE
        if middle.astimezone(zone).replace(tzinfo=None) > local:
            high = middle
        else:
            low = middle
    local_end = high.astimezone(zone)
    spare = timedelta(seconds=local_end.second, microseconds=local_end.microsecond)
    return high + (_MINUTE - spare if spare else timedelta(0))
