"""Rendering of a log for a terminal, and findings of a check of it."""

from __future__ import annotations

from collections.abc import Iterator

from domain.log.escape import visible
from domain.log.event import Event, Header
from domain.log.parser import Gap, ParsedEvent, ParsedLog, parse
from domain.log.window import LogName
from messages.base import Value, Window, make_ready


class Finding(Value, frozen=True, kw_only=True, gc=False):
    """A place in a log that differs from the written text."""

    line: int
    reason: str


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
    r"""A log's text in lines without line ends, fit for a terminal; each event under the line where it stands.

    Content is indented, so that it cannot pass for a heading of ours, and what could move the cursor, turn the
    reading direction or hide text is shown as `\uXXXX`.
    """
    log = parse(data)
    if log.header is not None:
        yield from _header_lines(log.header)
    gaps = [*log.damage, *log.seals, *([log.torn] if log.torn else [])]
    parts: list[ParsedEvent | Gap] = [*log.events, *gaps]
    for part in sorted(parts, key=lambda each: each.offset):
        yield from _event_lines(part.line, part.event) if isinstance(part, ParsedEvent) else _gap_lines(part)


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


def _gap_lines(gap: Gap) -> Iterator[str]:
    yield ""
    yield f"{gap.line}: {gap.length} bytes skipped: {visible(gap.reason)}"


def _one_line(text: str) -> str:
    return visible(text).replace("\n", r"\u000a")


make_ready(__name__)
