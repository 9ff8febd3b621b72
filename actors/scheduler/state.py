"""State of the scheduler beyond its file: in memory only, for a single process, across restarts of the actor."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from domain.policy.rate_limit import RateLimit
from domain.reminder.due import Cursor, Firing
from domain.reminder.line import Reminder
from domain.reminder.owed import CLOCK_ERROR
from domain.reminder.share import EDITS, EVERY_S, LISTS
from messages.base import RequestId, Window

ALWAYS_CAUGHT_UP = timedelta(minutes=1)
"""Time before the start within which missed reminders are posted even without `catchup_hours`."""
UNSETTLED = timedelta(minutes=2)
"""Time beyond the watermark of a process in which the process may have posted a reminder: a look, and a delivery."""
_REMEMBERED = 10_000


@dataclass(slots=True)
class Outgoing:
    """A firing on its way to people."""

    firing: Firing
    since: float
    """The kernel's steady seconds."""


@dataclass(slots=True)
class SchedulerState:
    """One process's memory of postings; its loss loses no reminder, for the file has all reminders."""

    started_at: datetime | None = None
    tried_until: datetime | None = None
    """Time before which an earlier process may have posted a reminder, by the clock of then."""
    furthest: datetime | None = None
    """Latest time of any look of this process or an earlier one, by the clock of then; None before the start."""
    cursor: Cursor | None = None
    readable: bytes | None = None
    """The file as last read; None before the first look. Due reminders come from this copy while the file is in UTF-16.
    """
    announced: bytes = b""
    """The file at the last look whose reminders were posted."""
    shown_keys: OrderedDict[str, None] = field(default_factory=OrderedDict)
    """Keys of firings that people have seen, oldest first."""
    outgoing: dict[RequestId, Outgoing] = field(default_factory=dict)
    owed: dict[str, Firing] = field(default_factory=dict)
    """Undelivered firings by key."""
    unseen: dict[str, Firing] = field(default_factory=dict)
    """Undelivered firings by key, each without a line at the last look, as in the middle of a save; the next decides.
    """
    reworded: set[str] = field(default_factory=set)
    """Keys of undelivered firings whose words changed, each of the only line with its id: people may have seen the
    earlier words."""
    shown_failed: dict[str, Firing] = field(default_factory=dict)
    """Firings by key that people have seen, each with a line still marked as failed."""
    rests_until: dict[str, float] = field(default_factory=dict)
    """Key -> time of another try after a refusal, in the kernel's steady seconds."""
    closed_until: dict[Window, float] = field(default_factory=dict)
    """Closed windows, each with the time of another try, in the kernel's steady seconds."""
    next_ones: dict[Window, dict[str, Firing]] = field(default_factory=dict)
    """Firings by key that wait until earlier firings of their window are shown."""
    confirming: dict[RequestId, tuple[Window, float]] = field(default_factory=dict)
    """Confirmations on their way: where to, and since when."""
    edits: RateLimit = field(default_factory=lambda: RateLimit(EDITS, EVERY_S))
    """Requests of each window to change the file."""
    lists: RateLimit = field(default_factory=lambda: RateLimit(LISTS, EVERY_S))
    """Requests of each window for a list."""
    ids: OrderedDict[RequestId, str] = field(default_factory=OrderedDict)
    """Request for a new reminder -> the reminder's id, so a request handled twice adds a single line."""

    spent_ids: OrderedDict[str, None] = field(default_factory=OrderedDict)
    """Ids of posted reminders with removed lines, oldest first."""

    requested: OrderedDict[str, tuple[datetime, Reminder]] = field(default_factory=OrderedDict)
    """Id of a reminder -> time of the latest request for its times, and the reminder with these times, oldest first; of
    requests since the last look."""

    def begin(
        self, now: datetime, watermark: datetime | None, catchup: timedelta, furthest: datetime | None = None
    ) -> Cursor:
        """Start counting at the process's first start; later go on.

        Args:
            watermark: Time of an earlier process's last look, if known.
            catchup: Age up to which missed recurring reminders are made up for.
            furthest: Latest time of any earlier process's look, if known; more than `CLOCK_ERROR` ahead it bounds the
                making up only, or a clock once ahead by years would have every reminder looked for ever after.
        """
        if self.cursor is None:
            self.started_at = now
            self.cursor = Cursor.resume(now, now - ALWAYS_CAUGHT_UP, watermark, catchup, furthest)
            is_near = furthest is not None and furthest - now <= CLOCK_ERROR
            self.furthest = max(now, watermark or now, (furthest if is_near else None) or now)
            # Later than now, if the clock was set back, perhaps several processes ago.
            self.tried_until = self.furthest + UNSETTLED if self.furthest > now else now
        return self.cursor

    def note_look(self, now: datetime) -> datetime:
        """Note a look at the file; return the latest time of any look."""
        self.furthest = max(now, self.furthest or now)
        return self.furthest

    def note_shown(self, key: str) -> None:
        """Note that users have seen a firing."""
        self.shown_keys[key] = None
        self.owed.pop(key, None)
        self.unseen.pop(key, None)
        self.rests_until.pop(key, None)
        while len(self.shown_keys) > _REMEMBERED:
            self.shown_keys.popitem(last=False)

    def note_gone(self, reminder_id: str) -> None:
        """Note the removal of a reminder's line: a later line with the same text is another reminder."""
        self.spent_ids[reminder_id] = None
        while len(self.spent_ids) > _REMEMBERED:
            self.spent_ids.popitem(last=False)

    def note_requested(self, reminder: Reminder, now: datetime) -> None:
        """Note a request for a reminder's times: none of them before the request is due, however old the last look."""
        self.requested[reminder.id] = now, reminder
        while len(self.requested) > _REMEMBERED:
            self.requested.popitem(last=False)

    def is_requested(self, firing: Firing) -> bool:
        """False for a recurring reminder's firing before the request for its times, made since the last look.

        The request may fail: a firing by the earlier times stays due.
        """
        at, reminder = self.requested.get(firing.reminder.id, (None, firing.reminder))
        return at is None or firing.is_one_off or firing.due > at or not firing.reminder.has_times_of(reminder)

    def id_for(self, request_id: RequestId, fresh: str) -> str:
        """The reminder's id for a request: `fresh` the first time, the same ever after."""
        reminder_id = self.ids.setdefault(request_id, fresh)
        while len(self.ids) > _REMEMBERED:
            self.ids.popitem(last=False)
        return reminder_id
