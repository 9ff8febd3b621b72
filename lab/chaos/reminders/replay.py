"""Replay of years, minute by minute, through the scheduler; every firing comes once, on its minute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import perf_counter
from zoneinfo import ZoneInfo

from domain.reminder.document import remove_line, scan
from domain.reminder.due import Cursor, Stretch
from domain.reminder.recurrence import firings

START = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
FILE = b"""# Ten years
- [ ] date=2026-01-01 time=01:30 recur=daily msg="daily in the gap and the overlap" id=rid_DAILY
- [ ] date=2026-01-04 time=01:30 recur=weekly msg="weekly on Sundays" id=rid_WEEKLY
- [ ] date=2026-01-31 time=09:00 recur=monthly msg="the last of the month" id=rid_MONTHLY
- [ ] date=2026-03-29 time=01:15 recur=none msg="in a gap" id=rid_GAP
- [ ] date=2031-10-26 time=01:45 recur=none msg="in an overlap" id=rid_OVERLAP
- [ ] date=2028-02-29 time=23:59 recur=monthly msg="from a leap day on" id=rid_LEAP
"""


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """Result of so many looks."""

    looks: int
    firings: int
    missing: int
    doubled: int
    late: int
    """Reminders said later than the first check at or after their minute."""
    seconds: float

    @property
    def is_sound(self) -> bool:
        """True if each reminder came once, on its minute."""
        return not (self.missing or self.doubled or self.late)


def replay(
    zone: ZoneInfo,
    start: datetime,
    end: datetime,
    step: timedelta = MINUTE,
    tick: Callable[[datetime], object] = lambda _now: None,
) -> ReplayReport:
    """Look at the file once a step, from `start` to `end`.

    Args:
        zone: The clocks.
        start: UTC; a reminder that was due before is not of this replay.
        end: UTC.
        step: Between two looks.
        tick: Called at every midnight.
    """
    began = perf_counter()
    data = b"\n".join(line for line in FILE.split(b"\n") if not _is_past(line, start))
    firings_said = _live(zone, data, start, end, step, tick)
    expected = {
        (entry.reminder.id, due) for entry in scan(data).entries for due in firings(entry.reminder, start, end, zone)
    }
    times = Counter((name, due) for name, due, _ in firings_said)
    return ReplayReport(
        looks=int((end - start) / step),
        firings=len(firings_said),
        missing=len(expected - times.keys()),
        doubled=sum(count - 1 for count in times.values()) + len(times.keys() - expected),
        late=sum(not now - step < due <= now for _, due, now in firings_said),
        seconds=perf_counter() - began,
    )


def _is_past(line: bytes, start: datetime) -> bool:
    return b"recur=none" in line and line[11:21].decode() < start.date().isoformat()


def _live(
    zone: ZoneInfo, data: bytes, start: datetime, end: datetime, step: timedelta, tick: Callable[[datetime], object]
) -> list[tuple[str, datetime, datetime]]:
    """Id, due minute and time of the check for every reminder said."""
    cursor, now = Cursor(start), start
    firings_said: list[tuple[str, datetime, datetime]] = []
    while now < end:
        now += step
        after, until = cursor.stretch(now)
        for firing in Stretch(after, until, zone).find(data).firings:
            firings_said.append((firing.reminder.id, firing.due, now))
            if firing.is_one_off:
                data = remove_line(data, firing.raw)
        cursor.advance(now)
        if now.hour == now.minute == 0:
            tick(now)
    return firings_said
