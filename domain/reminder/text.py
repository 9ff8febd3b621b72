"""Texts about reminders for people in Discord: a due reminder, and the exact line after every change."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

from domain.reminder.due import LATE, Firing
from domain.text.characters import units
from domain.text.presentable import presentable
from domain.text.splitting import LIMIT

_MISLEADING = re.compile(r"`{3,}|[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that would end the block, break the line, or be invisible."""
_SHORT_CHARS = 1_000
"""Longest text sure to fit whole in one message, with any surrounding text."""
_SPELLED = (
    "Hidden characters, and characters that would end this block, are spelled out here; "
    "the attached file has the exact line."
)
_CUT = "The line does not fit into one message; the attached file has the exact line."


class Confirmation(NamedTuple):
    """Message posted after an edit of the file."""

    text: str
    exact: str = ""
    """Exact line, if `text` can only spell the line out or takes more than one message; else empty."""


def shown_time(moment: datetime, zone: tzinfo) -> str:
    """Instant on the clocks of `zone`, such as `Sun 2026-03-29 02:00 BST`."""
    return f"{moment.astimezone(zone):%a %Y-%m-%d %H:%M %Z}"


def firing_text(firing: Firing, now: datetime, zone: tzinfo, mention: str = "") -> str:
    """Message posted when a reminder is due.

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


def firing_mark(firing: Firing, zone: tzinfo, *, is_reworded: bool = False) -> str:
    """Part of the shown `firing_text` independent of the delay, used to recognise an earlier posting.

    Args:
        is_reworded: True if the earlier posting may have other words.
    """
    core = presentable(_core(firing, zone))
    return core if len(core) <= _SHORT_CHARS and not is_reworded else core.rpartition("\n")[2]


def confirmation(what: str, line: str, *notes: str) -> Confirmation:
    """Exact line in the file, with the action taken.

    Discord ends a code block at three backticks, whatever the beginning, so backticks are spelled out like all hidden
    characters.

    Args:
        what: Such as `Reminder set`.
        line: Without a line end.
        notes: Sentences that follow.
    """
    rendered = presentable(_MISLEADING.sub(lambda match: "".join(map(_code, match[0])), line))
    text = "\n".join((f"{what}:", "```", rendered, "```", *notes))
    if rendered != line:
        return Confirmation(f"{text}\n{_SPELLED}", line)
    if units(text) > LIMIT:
        return Confirmation(f"{text}\n{_CUT}", line)
    return Confirmation(text)


def _code(character: str) -> str:
    return f"\\u{ord(character):04x}"


class Confirmed(NamedTuple):
    """Parts of a confirmation."""

    what: str
    line: str
    """Line exactly as in the file."""
    notes: tuple[str, ...]


def parse_confirmation(confirmation: Confirmation) -> Confirmed:
    """Parts from which `confirmation` made the text."""
    what, _, line, _, *notes = confirmation.text.split("\n")
    if confirmation.exact:
        del notes[-1]
    return Confirmed(what.removesuffix(":"), confirmation.exact or line, tuple(notes))


def duration(span: timedelta) -> str:
    """Days, hours and minutes, the two largest nonzero units."""
    minutes = int(span.total_seconds()) // 60
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    return " ".join([f"{number:,} {unit}" for number, unit in parts if number][:2]) or "0 min"


def _core(firing: Firing, zone: tzinfo) -> str:
    name = f"{firing.reminder.id} · " if firing.reminder.id else ""
    return f"{firing.reminder.message}\n-# {name}{shown_time(firing.due, zone)}"
