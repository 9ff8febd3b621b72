"""Lines of the reminders' file, and moments, as the tests write them."""

from __future__ import annotations

from datetime import datetime


def line(message: str, local: str, recur: str = "none", reminder_id: str = "rid_AAAAAAAAAAAA") -> str:
    day, clock = local.split(" ")
    return f'- [ ] date={day} time={clock} recur={recur} msg="{message}"' + (
        f" id={reminder_id}" if reminder_id else ""
    )


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)
