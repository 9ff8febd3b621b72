"""Document of reminders, the file as a whole: contents, and edits that leave all other bytes unchanged."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from domain.edit.lines import EditRefusedError
from domain.reminder.file_lines import FileLines
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
"""Beginning of every line that could be a reminder or was meant as a reminder; all other lines are prose."""
_QUOTE = re.compile(rb"[ \t]*>[ \t>]*")
_LATER = re.compile(rb"\r+" + _MAYBE.pattern)
"""Carriage return within a line, before a possible reminder for programs with such line ends."""
_ADDED_ID = re.compile(rb" id=rid_[A-Z2-7]{12}(?=[ \t\r]*\Z)")
_IN = re.compile(rb"discord-[a-z]+/[0-9]{1,20}")
"""Name of a window."""


MaySee = Callable[[Window | None], bool]
"""True if the reminders of a window may be shown to the requester; None stands for the reminders' channel."""


class Entry(Value, frozen=True, kw_only=False, gc=False):
    """Line with a reminder."""

    number: int
    """Of the line, from 1."""
    raw: bytes
    """Line as in the file, without the line end."""
    reminder: Reminder
    repeats: int = 0
    """Number of the first line with the same id; 0 when this line is the first."""

    @property
    def line(self) -> str:
        """Line as read by people."""
        return self.raw.rstrip(b"\r").decode("utf-8")


class Fault(Value, frozen=True, kw_only=False, gc=False):
    """Line meant as a reminder but invalid, or line with another reminder's id."""

    number: int
    text: str
    """Line with U+FFFD for bytes outside UTF-8, cut when long."""
    reason: str
    named: tuple[str, ...] = ()
    """Windows named by the line, as spelled there."""

    def is_seen_by(self, may_see: MaySee) -> bool:
        """True if the line may be shown, as of the named window, else the reminders' channel; in doubt False."""
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
        """Lines with the id of an earlier line: such reminders are due, but no request can address the lines."""
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
        """Lines of reminders that could not be posted."""
        return tuple(
            _fault(entry, "could not be said in its conversation; `- [ ] ` schedules it for its next time")
            for entry in self.entries
            if entry.reminder.failed
        )

    def seen_by(self, may_see: MaySee) -> Scan:
        """Part of the scan that may be shown to the requester; other lines are treated as absent."""
        first_lines: dict[str, int] = {}
        entries = []
        for entry in self.entries:
            if may_see(entry.reminder.window):
                first = first_lines.setdefault(entry.reminder.id, entry.number) if entry.reminder.id else entry.number
                repeats = first if first != entry.number else 0
                entries.append(Entry(entry.number, entry.raw, entry.reminder, repeats))
        return Scan(tuple(entries), tuple(fault for fault in self.faults if fault.is_seen_by(may_see)))

    def by_id(self, reminder_id: str) -> Entry:
        """Only line with an id.

        Raises:
            EditRefusedError: no line, or more than one line, has the id.
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
    """Reminders and faults of `data`, in the order of the lines; never fails, whatever the bytes.

    Args:
        data: The file.
        holding: Only lines with these bytes are read, much quicker for a long file.
    """
    file, maybe = FileLines(data), _MAYBE.match
    later = _LATER.search if b"\r" in data and _LATER.search(data) else lambda _: None
    candidates = [index for index, raw in enumerate(file.lines) if holding in raw and (maybe(raw) or later(raw))]
    return scan_lines((index + 1, file.lines[index]) for index in candidates if file.is_text(index))


def scan_lines(lines: Iterable[tuple[int, bytes]]) -> Scan:
    """Reminders and faults of text lines, each with a number."""
    entries: list[Entry] = []
    faults: list[Fault] = []
    first_lines: dict[str, int] = {}
    for number, raw in lines:
        try:
            reminder = _read(raw)
        except InvalidReminderError as error:
            faults.append(Fault(number, _shorten(raw), str(error), windows_named(raw.decode("utf-8", "replace"))))
            continue
        if reminder is not None:
            first = first_lines.setdefault(reminder.id, number) if reminder.id else number
            entries.append(Entry(number, raw, reminder, first if first != number else 0))
    return Scan(tuple(entries), tuple(faults))


def worth_reading(raw: bytes) -> bool:
    """True for a line that could be a reminder or was meant as a reminder; all other lines are prose."""
    return _MAYBE.match(raw) is not None


def hidden_reminders(data: bytes) -> tuple[Fault, ...]:
    """Lines that would be reminders outside of code, math, a comment, the front matter or a quote."""
    file = FileLines(data)
    notes = []
    for index in file.hidden_indices():
        raw = file.lines[index]
        if _MAYBE.match(raw) and scan_lines([(index + 1, raw.lstrip(b" \t"))]).entries:
            seen = file.special[index]
            end = ", which nothing closes" if seen.is_open else ""
            reason = f"stands in {seen.kind.value} that begins in line {seen.first + 1}{end}, so it is not a reminder"
            notes.append(Fault(index + 1, _shorten(raw), reason))
    for index, raw in enumerate(file.lines):
        quote = _QUOTE.match(raw)
        if quote is not None and file.is_text(index) and scan_lines([(index + 1, raw[quote.end() :])]).entries:
            notes.append(Fault(index + 1, _shorten(raw), "stands in a quote, so it is not a reminder"))
    return tuple(sorted(notes, key=lambda note: note.number))


def windows_in(data: bytes) -> frozenset[Window | None]:
    """Every window with a possible reminder in the file, None for the reminders' channel.

    No line is read, so the search is quick and may name windows without a reminder.
    """
    windows: set[Window | None] = {None}
    for name in frozenset(_IN.findall(data)):
        with suppress(InvalidReminderError):
            windows.add(parse_window(name.decode("ascii")))
    return frozenset(windows)


def append(data: bytes, line: str) -> bytes:
    """`data` with `line` after the last line, with the file's line ends; a missing final line end stays missing.

    A file with the line already stays unchanged. If the file ends in an unclosed code block or comment, the line goes
    above the block or comment.

    Raises:
        EditRefusedError: no place for the line leaves code and comments unchanged.
    """
    return data if holds(data, line) else FileLines(data).with_line(line.encode("utf-8"))


def holds(data: bytes, line: str) -> bool:
    """True if `line`, as `Entry.line` gives the line, is a line of text in `data`."""
    raw, file = line.encode("utf-8"), FileLines(data)
    return any(other.rstrip(b"\r") == raw and file.is_text(index) for index, other in enumerate(file.lines))


def replace(data: bytes, number: int, raw: bytes) -> bytes:
    """`data` with line `number` (from 1) replaced by `raw`; the line end and a trailing carriage return stay.

    Raises:
        EditRefusedError: `raw` would hide other lines, or reveal hidden lines.
    """
    file = FileLines(data)
    carriage_return = b"\r" if file.lines[number - 1].endswith(b"\r") else b""
    return file.with_changes({number - 1: raw + carriage_return})


def remove(data: bytes, number: int) -> bytes:
    """`data` without line `number` (from 1); a bullet stays if code or a comment depends on the line."""
    return FileLines(data).with_changes({number - 1: None})


def remove_line(data: bytes, raw: bytes) -> bytes:
    """`data` without the first line of text equal to `raw`; unchanged without such a line."""
    return change_lines(data, {raw: (None,)})


def change_lines(data: bytes, changes: Mapping[bytes, Sequence[bytes | None]]) -> bytes:
    """`data` with lines of text changed, each at an exactly equal line; in one pass for any number.

    Args:
        data: The file.
        changes: Line -> new text of the first equal line, the second and so on; None removes the line.
    """
    file = FileLines(data)
    met: defaultdict[bytes, int] = defaultdict(int)
    line_changes: dict[int, bytes | None] = {}
    for index in [index for index, line in enumerate(file.lines) if line in changes and file.is_text(index)]:
        line = file.lines[index]
        fates, count = changes[line], met[line]
        if count < len(fates):
            met[line] += 1
            line_changes[index] = fates[count]
    return file.with_changes(line_changes) if line_changes else data


def failed_line(raw: bytes) -> bytes:
    """Line kept for a due reminder that could not be posted."""
    return FAILED_BULLET.encode() + raw.removeprefix(BULLET.encode())


def open_line(raw: bytes) -> bytes:
    """Original of a line changed by `failed_line`."""
    return BULLET.encode() + raw.removeprefix(FAILED_BULLET.encode())


def add_ids(data: bytes, spent: Collection[str] = (), *, last_line_too: bool = True) -> bytes:
    """`data` with ` id=…` after the last word of every reminder without an id; blanks at the line's end stay there.

    Args:
        spent: Ids of permanently removed lines, not to be reused.
        last_line_too: True if a last line without a line end counts; a user may still be writing the line.
    """
    reminders, namer, file = scan(data), Namer(data, spent), FileLines(data)
    lines = list(file.lines)
    for entry in reminders.entries:
        if entry.reminder.id or (entry.number == len(lines) and not last_line_too):
            continue
        fresh, raw = namer.name(entry.reminder), entry.raw
        end = len(raw.rstrip(b" \t\r"))
        lines[entry.number - 1] = raw[:end] + b" id=" + fresh.encode("ascii") + raw[end:]
    return file.join(lines)


def ids_to_add(data: bytes, spent: Collection[str] = (), holding: bytes = b"") -> frozenset[str]:
    """Ids that `add_ids` would give to lines of `data`; `holding` as of `scan`."""
    namer = Namer(data, spent)
    return frozenset(namer.name(each.reminder) for each in scan(data, holding).entries if not each.reminder.id)


def holds_without_id(data: bytes, reminder: Reminder, spent: Collection[str] = ()) -> bool:
    """True if `add_ids` would give a line of `data` the id of `reminder`: the same reminder, without the id."""
    return reminder.id in ids_to_add(data, spent, f"date={reminder.day.isoformat()}".encode("ascii"))


def without_added_id(raw: bytes) -> bytes:
    """Line as it stood before `add_ids`; any other line unchanged."""
    return _ADDED_ID.sub(b"", raw)


def _read(raw: bytes) -> Reminder | None:
    """Reminder in a line; None for prose.

    Raises:
        InvalidReminderError: the line was meant as a reminder.
    """
    if len(raw) > LONGEST_LINE_BYTES:
        raise InvalidReminderError(f"has {len(raw):,} bytes, at most {LONGEST_LINE_BYTES:,} are read")
    if b"\r" in raw and any(looks_like_reminder(part.decode("utf-8", "replace")) for part in raw.split(b"\r")[1:]):
        raise InvalidReminderError(
            "has a carriage return within, where other lines of the file end with line feeds: end all lines alike"
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if not looks_like_reminder(raw.decode("utf-8", "replace")):
            return None
        raise InvalidReminderError(f"is not UTF-8 from byte {error.start + 1} on") from None
    try:
        return parse(text)
    except InvalidReminderError:
        if looks_like_reminder(text):
            raise
        return None


def _fault(entry: Entry, reason: str) -> Fault:
    window = entry.reminder.window
    return Fault(entry.number, _shorten(entry.raw), reason, (window.address.key,) if window is not None else ())


def _shorten(raw: bytes, limit: int = 200) -> str:
    text = raw[: limit * 4].decode("utf-8", "replace").rstrip("\r")
    return text if len(text) <= limit else text[: limit - 1] + "…"


make_ready(__name__)
