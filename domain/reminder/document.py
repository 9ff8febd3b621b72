"""Document of reminders, the file as a whole: what it states, and edits that leave everything else byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from domain.reminder.line import InvalidReminderError, Reminder, check_id, looks_like_reminder, parse
from messages.base import Value

BOM = b"\xef\xbb\xbf"
LONGEST_LINE_BYTES = 64 * 1024
_MAYBE = re.compile(rb"[ \t]*(?:(?:[-*+]|[0-9]+[.)])[ \t]|(?:date|time|recur|msg|id)=)")
"""What every line begins with that could be a reminder or was meant as one; all other lines are prose."""


class EditRefusedError(Exception):
    """The edit cannot be made and the file is as it was; the text says why."""


class Entry(Value, frozen=True, kw_only=False, gc=False):
    """One line that states a reminder."""

    number: int
    """Of the line, from 1."""
    raw: bytes
    """The line as it stands there, without its line end."""
    reminder: Reminder
    repeats: int = 0
    """Number of the first line with the same id; 0 when this one is the first."""

    @property
    def line(self) -> str:
        """The line as people read it."""
        return self.raw.rstrip(b"\r").decode("utf-8")


class Fault(Value, frozen=True, kw_only=False, gc=False):
    """One line that was meant as a reminder and is none, or one that shares its id."""

    number: int
    text: str
    """The line, with U+FFFD for what is no UTF-8, cut when long."""
    reason: str


@dataclass(frozen=True)
class Scan:
    """Parsed file."""

    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]

    @cached_property
    def repeated(self) -> tuple[Fault, ...]:
        """Lines whose id stands on an earlier line: they are due, but nobody can address them."""
        return tuple(
            Fault(
                entry.number,
                _shortened(entry.raw),
                f"id {entry.reminder.id} stands on line {entry.repeats} already: this one is due all the same, but the "
                "id is ambiguous, so neither can be modified or deleted by it",
            )
            for entry in self.entries
            if entry.repeats
        )

    def by_id(self, reminder_id: str) -> Entry:
        """The one line with that id.

        Raises:
            EditRefusedError: there is none, or more than one.
        """
        entries = [entry for entry in self.entries if entry.reminder.id == reminder_id]
        if not entries:
            raise EditRefusedError(f"no reminder has the id {reminder_id!r}")
        if len(entries) > 1:
            lines = ", ".join(str(entry.number) for entry in entries)
            raise EditRefusedError(f"the id {reminder_id!r} is ambiguous: it stands on lines {lines}; mend the file")
        return entries[0]


def scan(data: bytes) -> Scan:
    """Everything that `data` states, in the order of its lines; never fails, whatever the bytes."""
    entries: list[Entry] = []
    faults: list[Fault] = []
    first_lines: dict[str, int] = {}
    maybe = _MAYBE.match
    for number, raw in enumerate(data.removeprefix(BOM).split(b"\n"), 1):
        if not maybe(raw):
            continue
        try:
            reminder = _read(raw)
        except InvalidReminderError as error:
            faults.append(Fault(number, _shortened(raw), str(error)))
            continue
        if reminder is not None:
            first = first_lines.setdefault(reminder.id, number) if reminder.id else number
            entries.append(Entry(number, raw, reminder, first if first != number else 0))
    return Scan(tuple(entries), tuple(faults))


def append(data: bytes, line: str) -> bytes:
    """`data` with `line` after its last line, in its own line ends; a missing final one stays missing.

    A file that holds the line already stays as it is.
    """
    raw = line.encode("utf-8")
    if any(other.rstrip(b"\r") == raw for other in data.removeprefix(BOM).split(b"\n")):
        return data
    end = line_end(data)
    if not data.removeprefix(BOM):
        return data + raw + end
    return data + raw + end if data.endswith(b"\n") else data + end + raw


def replace(data: bytes, number: int, raw: bytes) -> bytes:
    """`data` with line `number` (from 1) saying `raw`; its line end and its trailing carriage return stay."""
    head, lines = _lines(data)
    old = lines[number - 1]
    lines[number - 1] = raw + (b"\r" if old.endswith(b"\r") else b"")
    return head + b"\n".join(lines)


def remove(data: bytes, number: int) -> bytes:
    """`data` without line `number` (from 1)."""
    head, lines = _lines(data)
    if number == len(lines):
        lines[number - 1] = b""
    else:
        del lines[number - 1]
    return head + b"\n".join(lines)


def remove_line(data: bytes, raw: bytes) -> bytes:
    """`data` without the first line that is exactly `raw`; as it is when there is none."""
    _, lines = _lines(data)
    for number, other in enumerate(lines, 1):
        if other == raw:
            return remove(data, number)
    return data


def add_ids(data: bytes, new_id: Callable[[], str], *, last_line_too: bool = True) -> bytes:
    """`data` with ` id=…` after every reminder that has none.

    Args:
        new_id: Gives ids; one that stands in the file already is not used.
        last_line_too: Whether a last line without a line end counts; somebody may still be writing it.
    """
    reminders = scan(data)
    used = {entry.reminder.id for entry in reminders.entries}
    head, lines = _lines(data)
    for entry in reminders.entries:
        if entry.reminder.id or (entry.number == len(lines) and not last_line_too):
            continue
        while (fresh := new_id()) in used:
            continue
        check_id(fresh)
        used.add(fresh)
        raw = entry.raw
        text = raw.rstrip(b" \t\r")
        lines[entry.number - 1] = text + b" id=" + fresh.encode("ascii") + (b"\r" if raw.endswith(b"\r") else b"")
    return head + b"\n".join(lines)


def line_end(data: bytes) -> bytes:
    """What most lines of `data` end with."""
    carriage_returns = data.count(b"\r\n")
    return b"\r\n" if carriage_returns * 2 > data.count(b"\n") else b"\n"


def _lines(data: bytes) -> tuple[bytes, list[bytes]]:
    """The byte order mark, if any, and the lines; joined by line feeds they are `data`."""
    body = data.removeprefix(BOM)
    return data[: len(data) - len(body)], body.split(b"\n")


def _read(raw: bytes) -> Reminder | None:
    """The reminder that a line states; None for prose.

    Raises:
        InvalidReminderError: it was meant as one.
    """
    if len(raw) > LONGEST_LINE_BYTES:
        raise InvalidReminderError(f"has {len(raw):,} bytes, at most {LONGEST_LINE_BYTES:,} are read")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if not looks_like_reminder(raw.decode("utf-8", "replace")):
            return None
        raise InvalidReminderError(f"is no UTF-8 from byte {error.start + 1} on") from None
    try:
        return parse(text)
    except InvalidReminderError:
        if looks_like_reminder(text):
            raise
        return None


def _shortened(raw: bytes, limit: int = 200) -> str:
    text = raw[: limit * 4].decode("utf-8", "replace").rstrip("\r")
    return text if len(text) <= limit else text[: limit - 1] + "…"
