"""Tail of a log, read without the rest: enough to decide if the window needs attention."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domain.log import metadata as log_metadata
from domain.log.event import Kind
from domain.log.metadata import MetaValue, remove_mark
from domain.log.off_record import MESSAGE_KEY, message_number
from domain.log.parser import ParsedLog, parse
from messages.base import EventId, Value, make_ready

_HEAD = re.compile(
    rb"## [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z "
    rb"(user|agent|tool-call|tool-result|delivery|pin|tombstone|system) ([0-9A-Za-z_-]{1,64})\n"
    rb"<!-- (\{.*\})(?::[0-9A-Za-z_-]{9} --> *| -->)\n"
)
_MARKER = re.compile(rb"\n<!-- end ([0-9A-Za-z_-]{1,64}) bytes=[0-9]{1,18} hash=[0-9a-f]{16} -->\n\n(?!> \[!seal\] )")
_KINDS = {kind.value.encode("ascii"): kind for kind in Kind}
# Of all metadata only this is read, and not as JSON: a start-up looks at every window there is. Inside a string a
# quotation mark never follows a brace or a comma, it follows its backslash.
_MESSAGE_IDS = {
    Kind.USER.value.encode("ascii"): re.compile(rb'[{,]"message_id":"?([0-9]{1,20})"?[,}]'),
    Kind.SYSTEM.value.encode("ascii"): re.compile(
        rb'[{,]"' + MESSAGE_KEY.encode("ascii") + rb'":"?([0-9]{1,20})"?[,}]'
    ),
}


class TailEvent(Value, frozen=True, kw_only=True, gc=False):
    """First lines of an event that looks whole."""

    id: EventId
    kind: Kind
    meta_json: str

    def meta_dict(self) -> dict[str, MetaValue]:
        """The metadata, as a fresh dictionary."""
        return log_metadata.meta_dict(self.meta_json)


class TailState(Value, frozen=True, kw_only=True, gc=False):
    """The last things a log says."""

    last: TailEvent | None
    """Last whole event; None without a whole event in the bytes read."""
    last_message_id: int
    """Greatest id of a person's message in the whole events read; 0 without a message there, with earlier events
    unknown."""
    clean: bool
    """True if the file ends in a whole record (a sealed record counts)."""
    from_start: bool
    """True if the bytes are the whole file."""

    @property
    def is_known(self) -> bool:
        """True if `last` is the log's last event (None: no event); if not, the log must be read to know."""
        return self.clean and (self.last is not None or self.from_start)


def tail_state(tail: bytes, *, from_start: bool) -> TailState:
    """State of a log by the last bytes; hashes are not checked.

    Args:
        tail: Last bytes of the log, cut anywhere.
        from_start: True if the bytes are the whole log.
    """
    last: TailEvent | None = None
    greatest = 0
    for head, stop in _records(tail):
        # Of others than the last event and people's messages nothing is asked.
        if (last is not None and head[1] not in _MESSAGE_IDS) or not _is_whole(tail, head, stop):
            continue
        last = last or _event(head)
        if head[1] in _MESSAGE_IDS and (match := _MESSAGE_IDS[head[1]].search(head[3])):
            greatest = max(greatest, int(match[1]))
    end = _MARKER.match(tail, max(0, tail.rfind(b"\n<!-- end ")))
    return TailState(
        last=last,
        last_message_id=greatest,
        clean=end is not None and end.end() == len(tail),
        from_start=from_start,
    )


def newest_message(data: bytes) -> int:
    """Greatest `message_id` of a whole log, or of earlier logs according to the header; 0 without a message."""
    log = parse(data)
    numbers = map(int, message_numbers(log))
    return max(numbers, default=0) or (log.header.after or 0 if log.header is not None else 0)


def message_numbers(log: ParsedLog) -> Iterator[str]:
    """Numbers of people's messages in a log, wordless placeholders included."""
    events = ((logged.event.kind, logged.event.meta_json) for logged in log.events)
    forgotten = ((each.kind, each.meta_json) for each in log.forgotten)
    return filter(None, (message_number(*each) for each in (*events, *forgotten)))


def _records(tail: bytes) -> Iterator[tuple[re.Match[bytes], int]]:
    """First lines of each record and the beginning of the next record; last first.

    Contents have no line like a heading or an end marker, so each heading or end marker found is real.
    """
    stop = at = len(tail)
    while (at := tail.rfind(b"\n## ", 0, at)) >= 0:
        head = _HEAD.match(tail, at + 1)
        if head is not None:
            yield head, stop
            stop = at


def _is_whole(tail: bytes, head: re.Match[bytes], stop: int) -> bool:
    end = tail.find(b"\n<!-- end ", head.end(), stop)
    marker = _MARKER.match(tail, end) if end >= 0 else None
    return marker is not None and marker[1] == head[2]


def _event(head: re.Match[bytes]) -> TailEvent | None:
    try:
        meta, _ = remove_mark(head[3].decode("ascii"))
    except ValueError:
        return None  # Not written by us; the full parser reports it.
    return TailEvent(id=EventId(head[2].decode("ascii")), kind=_KINDS[head[1]], meta_json=meta)


make_ready(__name__)
