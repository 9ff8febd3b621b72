"""Grammar of a reminder, a single line of markdown: reminders, and the faults of other lines."""

from __future__ import annotations

import re
from datetime import date, time
from enum import StrEnum
from functools import lru_cache
from typing import NoReturn

from messages.base import Surface, Value, Window, make_ready

BULLET = "- [ ] "
FAILED_BULLET = "- [!] "
"""Bullet of a reminder that could not be posted in the requested place: kept, and never due."""
FIELDS = ("date", "time", "recur", "msg")
"""Fields of every line; `id` and `in` may be missing in lines written by people."""
OPTIONAL = ("id", "in")
SURFACES = (Surface.DISCORD_CHANNEL, Surface.DISCORD_THREAD, Surface.DISCORD_DM)
"""Surfaces where a reminder can be asked for and posted."""


_PLAIN = r"[^\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\"\\]*"
_MESSAGE = rf"{_PLAIN}(?:\\[^\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]{_PLAIN})*"
_USUAL = re.compile(
    r"- \[ \] date=(.{10}) time=((?:[01][0-9]|2[0-3]):[0-5][0-9]) recur=(none|daily|weekly|monthly)"
    r' msg="([^"\\]+)"(?: id=([\w-]+))?(?: in=(discord-[a-z]+/[0-9]+))?',
    re.ASCII,
)
"""The usual order, for speed; other lines are read field by field."""
_FIELD = re.compile(r" *([^\s=\"]+)=")
_QUOTED = re.compile(rf'"({_MESSAGE})"')
_UNQUOTED = re.compile(r"[^ ]*")
_ID = re.compile(r"[A-Za-z0-9_-]+")
_WINDOW = re.compile(r"([a-z-]+)/([1-9][0-9]{0,19})")
_NAMED = re.compile(r"(?<!\w)in=(\S*)|(discord-[a-z]+/[0-9]+)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_ESCAPED = re.compile(r'\\(["\\])')
_UNSPEAKABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that no line can hold; a tab is allowed, if a person put a tab there."""
_CHECKBOX = re.compile(r"[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+\[.?\]")
_BARE_FIELD = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:date|time|recur|msg|id|in)=")


class Recurrence(StrEnum):
    """Frequency of a reminder."""

    NONE = "none"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


_RECURRENCES = {known.value: known for known in Recurrence}


class InvalidReminderError(ValueError):
    """Line that is no reminder; the text gives the reason, for a person who wants to mend the line."""


class Reminder(Value, frozen=True, kw_only=True, gc=False):
    """Message with the time of posting, on the clocks of Europe/London."""

    day: date
    """First day; of a monthly reminder also the intended day of the month."""
    at: time
    """Whole minutes, without a zone."""
    recurrence: Recurrence
    message: str
    id: str = ""
    """Empty for a line without an id."""
    window: Window | None = None
    """Window of the request and of the posting; None: the reminders' channel."""
    failed: bool = False
    """True if the reminder could not be posted there; a failed reminder is due no more."""

    def has_times_of(self, other: Reminder) -> bool:
        """True if both are due at the same times."""
        return (self.day, self.at, self.recurrence) == (other.day, other.at, other.recurrence)


def parse(text: str) -> Reminder:
    """Reminder in a line.

    Args:
        text: The line without a line feed; blanks and a carriage return at the end don't count.

    Raises:
        InvalidReminderError: the line has no reminder.
    """
    usual = _USUAL.fullmatch(text)
    if usual is not None:
        day, at, recurrence, message, reminder_id, window = usual.groups()
        if message.isprintable() and not message.isspace():
            return Reminder(
                day=_day(day),
                at=time.fromisoformat(at),
                recurrence=_RECURRENCES[recurrence],
                message=message,
                id=reminder_id or "",
                window=parse_window(window) if window else None,
            )
    failed = text.startswith(FAILED_BULLET)
    return _from_fields(_fields(BULLET + text[len(BULLET) :] if failed else text), failed=failed)


def form(reminder: Reminder) -> str:
    """Line for `reminder`, without a line end: every field, in the usual order.

    Raises:
        InvalidReminderError: no line is possible: no id, a message with a line break or a control character, or a
            window outside Discord.
    """
    check_message(reminder.message)
    check_id(reminder.id)
    quoted = reminder.message.replace("\\", "\\\\").replace('"', '\\"')
    bullet = FAILED_BULLET if reminder.failed else BULLET
    place = "" if reminder.window is None else f" in={window_text(reminder.window)}"
    return (
        f"{bullet}date={reminder.day.isoformat()} time={reminder.at:%H:%M} recur={reminder.recurrence.value}"
        f' msg="{quoted}" id={reminder.id}{place}'
    )


def check_message(message: str) -> None:
    """Return if `message` is allowed in a reminder.

    Raises:
        InvalidReminderError: the message is not allowed.
    """
    if not message.strip():
        raise InvalidReminderError("msg is empty: a reminder must say something")
    if (match := _UNSPEAKABLE.search(message)) is not None:
        raise InvalidReminderError(
            f"msg has the character U+{ord(match[0]):04X}: line breaks and control characters cannot stand in one line"
        )


def check_id(reminder_id: str) -> None:
    """Return if `reminder_id` may stand in a line.

    Raises:
        InvalidReminderError: the id is not allowed.
    """
    if not _ID.fullmatch(reminder_id):
        raise InvalidReminderError(f"id {in_quotes(reminder_id)}: must be letters, digits, `_` and `-`, at least one")


def parse_date(text: str) -> date:
    """Day named by `text`.

    Raises:
        InvalidReminderError: not of the form `YYYY-MM-DD`, or no day of the calendar.
    """
    if not _DATE.fullmatch(text):
        raise InvalidReminderError(f"date {in_quotes(text)}: must be YYYY-MM-DD")
    return _day(text)


def parse_time(text: str) -> time:
    """Minute of a day named by `text`.

    Raises:
        InvalidReminderError: no `HH:MM` from 00:00 to 23:59.
    """
    if not _TIME.fullmatch(text):
        raise InvalidReminderError(f"time {in_quotes(text)}: must be HH:MM, from 00:00 to 23:59")
    return time.fromisoformat(text)


def parse_recurrence(text: str) -> Recurrence:
    """Recurrence named by `text`.

    Raises:
        InvalidReminderError: no recurrence has the name.
    """
    recurrence = _RECURRENCES.get(text)
    if recurrence is None:
        raise InvalidReminderError(f"recur {in_quotes(text)}: must be one of {', '.join(_RECURRENCES)}")
    return recurrence


@lru_cache(maxsize=4096)
def parse_window(text: str) -> Window:
    """Window named by `text`.

    Raises:
        InvalidReminderError: `text` names no window of Discord's.
    """
    match = _WINDOW.fullmatch(text)
    if match is None or match[1] not in SURFACES:
        names = ", ".join(surface.value for surface in SURFACES)
        raise InvalidReminderError(f"in {in_quotes(text)}: must be <surface>/<id>, with surface one of {names}")
    return Window(surface=Surface(match[1]), id=match[2])


def window_text(window: Window) -> str:
    """Value of `in=` for `window`.

    Raises:
        InvalidReminderError: `window` is no window of Discord's.
    """
    text = window.address.key
    parse_window(text)
    return text


def windows_named(text: str) -> tuple[str, ...]:
    """Every possible value of `in=` in a line that is no reminder."""
    return tuple(match[1] if match[1] is not None else match[2] for match in _NAMED.finditer(text))


def looks_like_reminder(text: str) -> bool:
    """True if the author of the line may have meant a reminder, so that a fault is worth a message."""
    return _CHECKBOX.match(text) is not None or _BARE_FIELD.match(text) is not None


def in_quotes(text: str, limit: int = 40) -> str:
    """`text` in quotes, safe for a terminal, and not long."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def _day(text: str) -> date:
    """Day named by ten characters."""
    try:
        if text[7] == "-":  # a week's day has none there, and is taken otherwise
            return date.fromisoformat(text)
    except ValueError:
        if _DATE.fullmatch(text):
            raise InvalidReminderError(f"date {in_quotes(text)}: the calendar has no such day") from None
    raise InvalidReminderError(f"date {in_quotes(text)}: must be YYYY-MM-DD")


def _from_fields(fields: dict[str, str], *, failed: bool) -> Reminder:
    missing = [name for name in FIELDS if name not in fields]
    if missing:
        raise InvalidReminderError(f"{', '.join(f'{name}=' for name in missing)} missing")
    if "id" in fields:
        check_id(fields["id"])
    message = _ESCAPED.sub(r"\1", fields["msg"])
    check_message(message)
    return Reminder(
        day=parse_date(fields["date"]),
        at=parse_time(fields["time"]),
        recurrence=parse_recurrence(fields["recur"]),
        message=message,
        id=fields.get("id", ""),
        window=parse_window(fields["in"]) if "in" in fields else None,
        failed=failed,
    )


def _fields(text: str) -> dict[str, str]:
    """Field -> value as in the line, without the quotes of `msg`."""
    text = text.rstrip(" \t\r")
    if not text.startswith(BULLET):
        _refuse_bullet(text)
    fields: dict[str, str] = {}
    position = len(BULLET)
    while position < len(text):
        match = _FIELD.match(text, position)
        if match is None and text[position:].lstrip().startswith(("<!--", "%%")):
            raise InvalidReminderError("has a comment beside it: put the comment on a line of its own")
        if match is None:
            raise InvalidReminderError(f"{in_quotes(text[position:].strip())}: must be a field such as date=2026-11-22")
        name = match[1]
        if name not in (*FIELDS, *OPTIONAL):
            raise InvalidReminderError(
                f"{in_quotes(name)}: unknown field; the fields are {', '.join((*FIELDS, *OPTIONAL))}"
            )
        if name in fields:
            raise InvalidReminderError(f"{name}= stands there twice")
        fields[name], position = _value(name, text, match.end())
    return fields


def _value(name: str, text: str, start: int) -> tuple[str, int]:
    """Value from `start` on, and the value's end."""
    if name != "msg":
        match = _UNQUOTED.match(text, start)
        assert match is not None, "the pattern matches nothing, too"
        return match[0], match.end()
    quoted = _QUOTED.match(text, start)
    if quoted is None:
        _refuse_message(text, start)
    if quoted.end() < len(text) and text[quoted.end()] != " ":
        raise InvalidReminderError(f'msg: after the closing " comes {in_quotes(text[quoted.end()])} instead of a space')
    return quoted[1], quoted.end()


def _refuse_message(text: str, start: int) -> NoReturn:
    if not text.startswith('"', start):
        raise InvalidReminderError('msg must stand in double quotes, as in msg="…"')
    if (match := _UNSPEAKABLE.search(text, start)) is not None:
        raise InvalidReminderError(f"msg has the control character U+{ord(match[0]):04X}")
    raise InvalidReminderError('msg has no closing " (a quote inside is written \\")')


def _refuse_bullet(text: str) -> NoReturn:
    box = _CHECKBOX.match(text)
    if box is None:
        raise InvalidReminderError("must begin with `- [ ] `")
    if text[0] in " \t":
        raise InvalidReminderError("is indented: `- [ ] ` must begin in the first column")
    if box[0][-2] in "xX":
        raise InvalidReminderError("is ticked, so it is never due; `- [ ] ` makes it a reminder again")
    raise InvalidReminderError(f"begins with {in_quotes(box[0])}: must begin with `- [ ] ` and one space after it")


make_ready(__name__)
