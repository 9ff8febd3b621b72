"""Document of reminders, the file as a whole: what it states, and edits that leave everything else byte for byte."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from domain.edit.lines import BOM, EditRefusedError, line_end
from domain.reminder.line import (
    BULLET,
    FAILED_BULLET,
    InvalidReminderError,
    Reminder,
    in_quotes,
    looks_like_reminder,
    parse,
    parse_window,
    windows_named,
)
from domain.reminder.naming import Namer
from messages.base import Value, Window, make_ready

FAILED_START = FAILED_BULLET.encode()
LONGEST_LINE_BYTES = 64 * 1024
_MAYBE = re.compile(rb"[ \t]*(?:(?:[-*+]|[0-9]+[.)])[ \t]|(?:date|time|recur|msg|id|in)=)")
"""What every line begins with that could be a reminder or was meant as one; all other lines are prose."""
_IN = re.compile(rb"discord-[a-z]+/[0-9]{1,20}")
"""What names a window."""


MaySee = Callable[[Window | None], bool]
"""Whether the reminders of a window may be shown to whoever asks; None stands for the reminders' channel."""


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
    named: tuple[str, ...] = ()
    """Windows that the line names, as it names them."""

    def is_seen_by(self, may_see: MaySee) -> bool:
        """Whether it may be shown: as the one window that it names, else as the reminders' channel; if in doubt not."""
        try:
            windows = {parse_window(name) for name in self.named}
        except InvalidReminderError:
            return False
        return len(windows) <= 1 and may_see(windows.pop() if windows else None)


@dataclass(frozen=True)
class Scan:
    """Parsed file."""

    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]

    @cached_property
    def repeated(self) -> tuple[Fault, ...]:
        """Lines whose id stands on an earlier line: they are due, but nobody can address them."""
        return tuple(
            _fault(
                entry,
                f"id {entry.reminder.id} stands on another line already: this one is due all the same, but the id is "
                "ambiguous, so neither can be modified or deleted by it",
            )
            for entry in self.entries
            if entry.repeats
        )

    @cached_property
    def failed(self) -> tuple[Fault, ...]:
        """Lines of reminders that could not be said."""
        return tuple(
            _fault(entry, "could not be said where it was asked for; `- [ ] ` has it said when it is due next")
            for entry in self.entries
            if entry.reminder.failed
        )

    def seen_by(self, may_see: MaySee) -> Scan:
        """What of it may be shown to whoever asks; the rest is for them as if it were not there."""
        first_lines: dict[str, int] = {}
        entries = []
        for entry in self.entries:
            if may_see(entry.reminder.window):
                first = first_lines.setdefault(entry.reminder.id, entry.number) if entry.reminder.id else entry.number
                repeats = first if first != entry.number else 0
                entries.append(Entry(entry.number, entry.raw, entry.reminder, repeats))
        return Scan(tuple(entries), tuple(fault for fault in self.faults if fault.is_seen_by(may_see)))

    def by_id(self, reminder_id: str) -> Entry:
        """The one line with that id.

        Raises:
            EditRefusedError: there is none, or more than one.
        """
        entries = [entry for entry in self.entries if entry.reminder.id == reminder_id]
        if not entries:
            raise EditRefusedError(f"no reminder has the id {in_quotes(reminder_id)}")
        if len(entries) > 1:
            raise EditRefusedError(
                f"the id {in_quotes(reminder_id)} is ambiguous: it stands on {len(entries)} lines; mend the file"
            )
        return entries[0]


def scan(data: bytes, holding: bytes = b"") -> Scan:
    """Everything that `data` states, in the order of its lines; never fails, whatever the bytes.

    Args:
        holding: Only lines that hold it are read, which is much quicker for a long file.
    """
    entries: list[Entry] = []
    faults: list[Fault] = []
    first_lines: dict[str, int] = {}
    maybe = _MAYBE.match
    for number, raw in enumerate(data.removeprefix(BOM).split(b"\n"), 1):
        if holding not in raw or not maybe(raw):
            continue
        try:
            reminder = _read(raw)
        except InvalidReminderError as error:
            faults.append(Fault(number, _shortened(raw), str(error), windows_named(raw.decode("utf-8", "replace"))))
            continue
        if reminder is not None:
            first = first_lines.setdefault(reminder.id, number) if reminder.id else number
            entries.append(Entry(number, raw, reminder, first if first != number else 0))
    return Scan(tuple(entries), tuple(faults))


def windows_in(data: bytes) -> frozenset[Window | None]:
    """Every window that a reminder of the file may belong to, None for the reminders' channel.

    It reads no line, so it is quick and may name some that none belongs to.
    """
    windows: set[Window | None] = {None}
    for name in frozenset(_IN.findall(data)):
        with suppress(InvalidReminderError):
            windows.add(parse_window(name.decode("ascii")))
    return frozenset(windows)


def append(data: bytes, line: str) -> bytes:
    """`data` with `line` after its last line, in its own line ends; a missing final one stays missing.

    A file that holds the line already stays as it is.
    """
    if holds(data, line):
        return data
    raw, end = line.encode("utf-8"), line_end(data)
    if not data.removeprefix(BOM):
        return data + raw + end
    return data + raw + end if data.endswith(b"\n") else data + end + raw


def holds(data: bytes, line: str) -> bool:
    """Whether `line` stands in `data`, as `Entry.line` gives it."""
    raw = line.encode("utf-8")
    return any(other.rstrip(b"\r") == raw for other in data.removeprefix(BOM).split(b"\n"))


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
    return change_lines(data, {raw: (None,)})


def change_lines(data: bytes, changes: Mapping[bytes, Sequence[bytes | None]]) -> bytes:
    """`data` with lines changed, each where it stands exactly so; in one pass, however many there are.

    Args:
        changes: Line -> what becomes of the first one, the second one and so on; None takes it out.
    """
    head, lines = _lines(data)
    met: defaultdict[bytes, int] = defaultdict(int)
    doomed = []
    for index in [index for index, line in enumerate(lines) if line in changes]:
        line = lines[index]
        fates, count = changes[line], met[line]
        if count == len(fates):
            continue
        met[line] += 1
        fate = fates[count]
        if fate is None and index < len(lines) - 1:
            doomed.append(index)
        else:
            lines[index] = fate or b""
    for index in reversed(doomed):
        del lines[index]
    return head + b"\n".join(lines) if met else data


def failed_line(raw: bytes) -> bytes:
    """The line of a reminder that is due, as it is kept when it could not be said."""
    return FAILED_BULLET.encode() + raw.removeprefix(BULLET.encode())


def open_line(raw: bytes) -> bytes:
    """The line that `failed_line` changed, as it was."""
    return BULLET.encode() + raw.removeprefix(FAILED_BULLET.encode())


def add_ids(data: bytes, spent: Collection[str] = (), *, last_line_too: bool = True) -> bytes:
    """`data` with ` id=…` after the last word of every reminder that has none; blanks at the line's end stay there.

    Args:
        spent: Ids of lines that are gone for good, which are not used.
        last_line_too: Whether a last line without a line end counts; somebody may still be writing it.
    """
    reminders, namer = scan(data), Namer(data, spent)
    head, lines = _lines(data)
    for entry in reminders.entries:
        if entry.reminder.id or (entry.number == len(lines) and not last_line_too):
            continue
        fresh, raw = namer.name(entry.reminder), entry.raw
        end = len(raw.rstrip(b" \t\r"))
        lines[entry.number - 1] = raw[:end] + b" id=" + fresh.encode("ascii") + raw[end:]
    return head + b"\n".join(lines)


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


def _fault(entry: Entry, reason: str) -> Fault:
    window = entry.reminder.window
    return Fault(entry.number, _shortened(entry.raw), reason, (window.address.key,) if window is not None else ())


def _shortened(raw: bytes, limit: int = 200) -> str:
    text = raw[: limit * 4].decode("utf-8", "replace").rstrip("\r")
    return text if len(text) <= limit else text[: limit - 1] + "…"


make_ready(__name__)
