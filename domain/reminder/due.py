"""Firings: reminders due in a look at the file, and the interval of a look when clocks jump."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta, tzinfo

import msgspec

from domain.reminder.document import FAILED_START, Entry, scan_lines, worth_reading
from domain.reminder.file_lines import FileLines
from domain.reminder.line import Recurrence, Reminder
from domain.reminder.naming import Namer, base32_key
from domain.reminder.recurrence import firings, last_firing, one_off_due
from messages.base import Value, make_ready

CORRECTION = timedelta(hours=3)
"""Largest clock correction to wait for; a clock set back by more was wrong before."""
FAR_BACK = timedelta(days=1)
"""Time behind an earlier process's clock from which the clock is no corrected one, but shows 1970, say; and the least
step by which such a clock is put right."""
BETWEEN_LOOKS = timedelta(minutes=2)
"""Longest time between a correction of the clock and the next look, which comes within a minute."""
LATE = timedelta(minutes=2)
"""Delay from which a reminder's message names the delay."""
_MINUTE = timedelta(minutes=1)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RECURRING = frozenset((b" recur=dail", b" recur=week", b" recur=mont"))
_MOST_MISSED = 1_000


class Firing(Value, frozen=True, kw_only=True, gc=False):
    """One reminder to post now."""

    raw: bytes
    """Line of the reminder, as in the file."""
    reminder: Reminder
    """Reminder with an id, even if the line has no id yet."""
    due: datetime
    """UTC."""
    is_named: bool = True
    """True if the id stands in the line."""
    missed: int = 0
    """Number of earlier times of the same reminder covered by this firing."""

    @property
    def key(self) -> str:
        """Names this reminder at this minute, in at most 20 characters; the same in every life of the process."""
        return f"{_digest(self.reminder)}:{_base36(int(self.due.timestamp()) // 60)}"

    @property
    def is_one_off(self) -> bool:
        """True if the line is removed once the reminder was posted."""
        return self.reminder.recurrence is Recurrence.NONE


class Findings(Value, frozen=True, kw_only=True, gc=False):
    """Result of one look at the file."""

    firings: tuple[Firing, ...]
    """Firings in the order of their due times."""
    lacks_ids: bool
    """True if a reminder has no id yet."""


class Stretch:
    """Time covered by one look: later than `after`, not later than `until`."""

    def __init__(self, after: datetime, until: datetime, zone: tzinfo) -> None:
        self.after = after.astimezone(UTC)
        self.until = until.astimezone(UTC)
        self.zone = zone
        self._last_day = self.until.astimezone(zone).date().isoformat().encode("ascii")
        self._minutes = self._clock_minutes()

    def find(self, data: bytes, spent: Collection[str] = ()) -> Findings:
        """Due reminders among the file's bytes; a past one-off is due, however long ago the time was.

        Args:
            spent: Ids of permanently removed lines, as for a `Namer`.
        """
        entries = scan_lines(enumerate(self._worth_reading(FileLines(data).texts()), 1)).entries
        namer = Namer(data, spent)
        due = [firing for entry in entries if (firing := self._firing(entry, namer)) is not None]
        return Findings(
            firings=tuple(sorted(due, key=lambda firing: firing.due)),
            lacks_ids=any(not entry.reminder.id for entry in entries),
        )

    def _worth_reading(self, lines: list[bytes]) -> list[bytes]:
        """Lines except for the lines surely not due now, recognised at a glance: most of a long file.

        Such lines are in the usual order, have an id, and begin on a later day or recur at another minute of the day;
        or could not be posted.
        """
        last_day, minutes, relevant = self._last_day, self._minutes, []
        for line in lines:
            if line[:6] == FAILED_START and b'" id=' in line:
                continue
            if line[:11] == b"- [ ] date=" and b'" id=' in line:
                if line[11:21] > last_day:
                    continue
                if minutes is not None and line[32:43] in _RECURRING and line[21:27] == b" time=":
                    if line[27:32] in minutes:
                        relevant.append(line)
                    continue
            if worth_reading(line):
                relevant.append(line)
        return relevant

    def _firing(self, entry: Entry, namer: Namer) -> Firing | None:
        reminder, is_named = entry.reminder, bool(entry.reminder.id)
        if not is_named:  # each is named in its turn, due or not, as when ids are written
            reminder = msgspec.structs.replace(reminder, id=namer.name(reminder))
        if reminder.failed:
            return None
        if reminder.recurrence is Recurrence.NONE:
            due = one_off_due(reminder, self.zone)
            return Firing(raw=entry.raw, reminder=reminder, due=due, is_named=is_named) if due <= self.until else None
        last = last_firing(reminder, self.after, self.until, self.zone)
        if last is None:
            return None
        missed = 0
        for _ in firings(reminder, self.after, last - _MINUTE, self.zone):
            missed += 1
            if missed == _MOST_MISSED:
                break
        return Firing(raw=entry.raw, reminder=reminder, due=last, is_named=is_named, missed=missed)

    def _clock_minutes(self) -> frozenset[bytes] | None:
        """Clock times of the stretch, as `HH:MM`; None for a long stretch, or clock changes nearby."""
        if self.until - self.after > CORRECTION:
            return None
        before, after = (t.astimezone(self.zone).utcoffset() for t in (self.after - timedelta(days=2), self.until))
        if before != after:
            return None
        minute, minutes = self.until.replace(second=0, microsecond=0), set()
        while minute > self.after:
            minutes.add(minute.astimezone(self.zone).isoformat()[11:16].encode("ascii"))
            minute -= _MINUTE
        return frozenset(minutes)


class Cursor:
    """Point in time up to which the file was examined.

    Going on, the cursor covers every instant once, suspends and jumps forward included. Set back a little, the cursor
    waits until the clock has caught up. Set back by more than `CORRECTION` the clock was wrong, so the new time counts
    at once, from just before the first look by it; times before the furthest point ever examined are not made up for
    when the clock is set forward again.
    """

    def __init__(self, start: datetime) -> None:
        self.at = start
        self._furthest = start
        self._start = self._looked_at = start
        self._far: datetime | None = None
        """Furthest point of all earlier processes, while this clock is far behind."""
        self._catchup = timedelta()
        """Longest time off to look back once a clock far behind is put right."""

    @classmethod
    def resume(
        cls,
        now: datetime,
        start: datetime,
        watermark: datetime | None,
        catchup: timedelta,
        furthest: datetime | None = None,
    ) -> Cursor:
        """Cursor of a process that begins now, after a process that looked last at `watermark`.

        A watermark ahead of `now` comes from a clock set back since then, and counts as if the process had lived
        on: a little ahead, the cursor waits; by more than `CORRECTION`, the old clock was wrong.

        Args:
            now: Start of the process.
            start: Start of the examined time without a watermark.
            watermark: Time of the last look; None when unknown.
            catchup: Longest time to look back for reminders missed by an earlier process.
            furthest: Latest time of any look; later than `watermark` if the last process too had a clock far behind.
        """
        if watermark is None:
            return cls(start)
        if watermark <= now:
            cursor = cls(min(start, max(watermark, now - catchup)))
        else:
            cursor = cls(watermark if watermark - now <= CORRECTION else start)
            cursor._furthest = watermark
        far = max(watermark, furthest or watermark)
        if far - now > FAR_BACK:
            cursor._far, cursor._catchup = far, max(catchup, now - start)
            cursor._start = cursor._looked_at = start
        return cursor

    def stretch(self, now: datetime) -> tuple[datetime, datetime]:
        """Time that a look at `now` covers, as (after, until); empty, with both the same, when time has not gone on."""
        if now <= self.at:
            return (now - BETWEEN_LOOKS if self.at - now > CORRECTION else now), now
        if self._far is not None and self._far < now and now - self.at > FAR_BACK:
            lived = self._looked_at - self._start + BETWEEN_LOOKS
            return max(self._far, now - lived - self._catchup), now
        return (self._furthest if self.at < self._furthest < now else self.at), now

    def advance(self, now: datetime) -> None:
        """The look at `now` is done."""
        self._looked_at = now
        if now > self.at or self.at - now > CORRECTION:
            self.at = now
            self._furthest = max(self._furthest, now)
        if self._far is not None and now >= self._far:
            self._far = None


def _digest(reminder: Reminder) -> str:
    place = f"\0{reminder.window.address.key}" if reminder.window is not None else ""
    return base32_key(f"{reminder.id}\0{reminder.message}{place}".encode(), 12)


def _base36(number: int) -> str:
    sign, number = ("-", -number) if number < 0 else ("", number)
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return sign + digits


make_ready(__name__)
