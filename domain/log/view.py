"""Rendering of a log for a terminal, and findings of a log check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from domain.log.escape import visible
from domain.log.event import Event, Header, Kind
from domain.log.forgotten import FORGOT, Forgotten
from domain.log.metadata import meta_dict
from domain.log.parser import Gap, ParsedEvent, ParsedLog, parse
from domain.log.window import LogName
from messages.base import Value, Window, make_ready


class Finding(Value, frozen=True, kw_only=True, gc=False):
    """Place in a log that differs from the written text."""

    line: int
    reason: str


class TakenOut(Value, frozen=True, kw_only=True, gc=False):
    """Words removed from some logs by one forget request."""

    forget_id: str
    """Id of the forget request; empty for records without room for an id."""
    events: int
    quotations: int
    at: datetime | None
    """Time of the window's note, with `by` and `why`; None if no log has the note."""
    by: str
    """Account of the requesting user, `operator` or `retention`."""
    why: str


class Takings:
    """Fold of logs into the removals: words removed, by account, time and reason."""

    def __init__(self) -> None:
        self._notes: dict[str, Event] = {}
        self._counts: dict[str, list[int]] = {}

    def add(self, log: ParsedLog) -> None:
        """Count the removals in a log, and keep the windows' notes."""
        for each in log.forgotten:
            self._counts.setdefault(str(meta_dict(each.meta_json).get(FORGOT, "")), [0, 0])[each.is_quote] += 1
        for event in (logged.event for logged in log.events if logged.event.kind is Kind.SYSTEM):
            if (meta := event.meta_dict()).get("what") == FORGOT:
                self._notes[str(meta.get("forget_id", ""))] = event

    def list_all(self) -> list[TakenOut]:
        """The forget requests, the newest note last."""
        requests = [_taken_out(each, self._notes.get(each), *count) for each, count in self._counts.items()]
        return sorted(requests, key=lambda each: (each.at.timestamp() if each.at else 0.0, each.forget_id))


def list_taken_out(logs: Iterable[ParsedLog]) -> list[TakenOut]:
    """Forget requests that removed words from some logs, the newest note last."""
    takings = Takings()
    for log in logs:
        takings.add(log)
    return takings.list_all()


def _taken_out(forget_id: str, note: Event | None, events: int, quotations: int) -> TakenOut:
    meta = note.meta_dict() if note is not None else {}
    return TakenOut(
        forget_id=forget_id,
        events=events,
        quotations=quotations,
        at=note.at if note is not None else None,
        by=str(meta.get("by", "")),
        why=str(meta.get("why", "")),
    )


def findings(log: ParsedLog, window: Window | None = None, name: LogName | None = None) -> tuple[Finding, ...]:
    """Faults of `log`, in the order of lines; sealed records are no faults, a torn tail is.

    Args:
        log: A whole file's.
        window: Window by the log's folders; None if the folders name no window.
        name: Name by the file name; None if the file name is no log name.
    """
    results = [_of_gap(gap) for gap in log.damage]
    if log.header is not None and window is not None and name is not None:
        results.extend(_of_header(log.header, window, name))
    if log.header is None and not log.damage:
        results.append(Finding(line=1, reason="no header"))
    if log.torn is not None:
        results.append(_of_gap(log.torn))
    return tuple(sorted(results, key=lambda each: each.line))


def _of_gap(gap: Gap) -> Finding:
    return Finding(line=gap.line, reason=f"{gap.length} bytes: {visible(gap.reason)}")


def _of_header(header: Header, window: Window, name: LogName) -> Iterator[Finding]:
    if header.window != window:
        yield Finding(line=1, reason=f"header of {header.window.address.key}, folder of {window.address.key}")
    # A name without a seq (0) is allowed for the first window of a second.
    if header.started_at != name.started_at or header.seq != (name.seq or 1):
        stated = f"{header.started_at:%Y%m%dT%H%M%SZ}_{header.seq:04}"
        yield Finding(line=1, reason=f"header of the window {stated}, name of another")


def render(data: bytes) -> Iterator[str]:
    r"""Text of a log in lines without line ends, fit for a terminal; each event under a line with the place.

    Content is indented, so no content passes for a heading of the runtime's. Characters that could move the cursor,
    turn the reading direction or hide text are shown as `\uXXXX`.
    """
    log = parse(data)
    if log.header is not None:
        yield from _header_lines(log.header)
    gaps = [*log.damage, *log.seals, *([log.torn] if log.torn else [])]
    gone = [each for each in log.forgotten if not each.is_quote]
    parts: list[ParsedEvent | Gap | Forgotten] = [*log.events, *gaps, *gone]
    for part in sorted(parts, key=lambda each: each.offset):
        match part:
            case ParsedEvent():
                yield from _event_lines(part.line, part.event)
            case Forgotten():
                yield from _forgotten_lines(part)
            case Gap():
                yield from _gap_lines(part)


def _header_lines(header: Header) -> Iterator[str]:
    yield f"{header.window.surface.value} {header.window.id}"
    yield f"window {header.seq} of {header.started_at:%Y-%m-%d %H:%M:%S} UTC, opened by {_one_line(header.opened_by)}"


def _event_lines(line: int, event: Event) -> Iterator[str]:
    yield ""
    yield f"{line}: {event.at:%Y-%m-%d %H:%M:%S} {event.kind.value} {event.id}"
    for key, value in event.meta_dict().items():
        yield f"  {_one_line(key)}: {_one_line(str(value))}"
    for text in event.content.split("\n"):
        yield f"    {visible(text)}"


def _forgotten_lines(gone: Forgotten) -> Iterator[str]:
    yield ""
    yield f"{gone.line}: {gone.at:%Y-%m-%d %H:%M:%S} {gone.kind.value} {gone.id}"
    for key, value in meta_dict(gone.meta_json).items():
        yield f"  {_one_line(key)}: {_one_line(str(value))}"
    yield "    (forgotten)"


def _gap_lines(gap: Gap) -> Iterator[str]:
    yield ""
    yield f"{gap.line}: {gap.length} bytes skipped: {visible(gap.reason)}"


def _one_line(text: str) -> str:
    return visible(text).replace("\n", r"\u000a")


make_ready(__name__)
