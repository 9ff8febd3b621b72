"""Texts about reminders that people read in Discord: one that is due, and the exact line after every change."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from domain.reminder.due import LATE, Firing
from domain.text.presentable import presentable

_SHORT_CHARS = 1_000
"""A text of no more stands whole in one message, whatever is put around it."""


def shown_time(moment: datetime, zone: tzinfo) -> str:
    """An instant on the clocks of `zone`, such as `Sun 2026-03-29 02:00 BST`."""
    return f"{moment.astimezone(zone):%a %Y-%m-%d %H:%M %Z}"


def firing_text(firing: Firing, now: datetime, zone: tzinfo, mention: str = "") -> str:
    """What is posted when a reminder is due.

    Args:
        mention: Stands before the message, such as `<@123>`.
    """
    notes = []
    if (lateness := now - firing.due) >= LATE:
        notes.append(f"{duration(lateness)} late")
    if firing.missed:
        notes.append(f"{firing.missed} earlier {'one' if firing.missed == 1 else 'ones'} missed")
    head = f"⏰ {mention} " if mention else "⏰ "
    return " · ".join((head + _core(firing, zone), *notes))


def firing_mark(firing: Firing, zone: tzinfo) -> str:
    """The part of `firing_text`, as shown, that is the same however late it is: it tells an earlier posting."""
    core = presentable(_core(firing, zone))
    return core if len(core) <= _SHORT_CHARS else core.rpartition("\n")[2]


def confirmation(what: str, line: str, *notes: str) -> str:
    """The exact line as it stands in the file, with what was done to it.

    Args:
        what: Such as `Reminder set`.
        line: Without its line end.
        notes: Sentences that follow.
    """
    return "\n".join((f"{what}:", "```", line, "```", *notes))


def duration(span: timedelta) -> str:
    """Days, hours and minutes, the two largest that count."""
    minutes = int(span.total_seconds()) // 60
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    return " ".join([f"{number:,} {unit}" for number, unit in parts if number][:2]) or "0 min"


def _core(firing: Firing, zone: tzinfo) -> str:
    name = f"{firing.reminder.id} · " if firing.reminder.id else ""
    return f"{firing.reminder.message}\n-# {name}{shown_time(firing.due, zone)}"
