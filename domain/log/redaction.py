"""Redaction of a log: the log without withdrawn words, with the same number of bytes, so every line stays.

A tombstone event's metadata: `message_id` (the deleted or edited message), `why` (`deleted` or `edited`), and the
withdrawn event: `event` (the id), `path` and `line`. `part` is `quote` if only the event's quotation is withdrawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from domain.log.event import Event, Kind
from domain.log.metadata import MetaValue
from domain.log.parser import parse
from messages.base import EventId, Value, make_ready

DELETED = "deleted"
EDITED = "edited"
EDIT_DEFERRED = "edit-deferred"
"""Subject of a system event: a message was edited, and the old words are withdrawn later."""
DELETION_DEFERRED = "deletion-deferred"
"""Subject of a system event: messages were deleted, and their words are taken back later."""
OWED = "owed"
"""Subject of a system event that carries an undelivered text over into a new log."""
LOOKED_THROUGH = "looked-through"
"""Subject of a system event that lists deferred messages without further words to withdraw."""
QUOTE = "quote"
_NOTE = b"(taken back)"
_BYTES = re.compile(rb"[^\n]")
_END = b"\n<!-- end "


class Tombstone(Value, frozen=True, kw_only=True, gc=False):
    """Withdrawal of one event of a log."""

    event_id: EventId
    path: str
    line: int
    """Line of the withdrawn event."""
    message_id: str
    is_quote: bool
    """True if only the event's quotation of the message is withdrawn."""


def tombstone_of(meta: Mapping[str, MetaValue]) -> Tombstone | None:
    """Tombstone by an event's metadata; None if the metadata describes no tombstone."""
    event_id, path, line = meta.get("event"), meta.get("path"), meta.get("line")
    if not isinstance(event_id, str) or not isinstance(path, str) or not isinstance(line, int):
        return None
    return Tombstone(
        event_id=EventId(event_id),
        path=path,
        line=line,
        message_id=str(meta.get("message_id", "")),
        is_quote=meta.get("part") == QUOTE,
    )


def tombstone_meta(tombstone: Tombstone, why: str) -> dict[str, MetaValue]:
    """Metadata of the event for `tombstone`."""
    meta: dict[str, MetaValue] = {
        "message_id": tombstone.message_id,
        "why": why,
        "event": tombstone.event_id,
        "path": tombstone.path,
        "line": tombstone.line,
    }
    return meta | ({"part": QUOTE} if tombstone.is_quote else {})


def tombstones_in(events: Iterable[Event]) -> list[Tombstone]:
    """Tombstones of the events, in order."""
    tombstones = (tombstone_of(event.meta_dict()) for event in events if event.kind is Kind.TOMBSTONE)
    return [tombstone for tombstone in tombstones if tombstone is not None]


def redact_log(data: bytes, tombstones: Iterable[Tombstone], before: bytes = b"") -> bytes:
    """Whole log without withdrawn words: equally long, with each line in place.

    Together with the message that opened a turn, all results of the turn go. Bytes outside whole events are left out as
    well, since torn bytes may belong to a withdrawn event.

    Args:
        data: The log.
        tombstones: Tombstones to apply.
        before: Earlier result for the log's beginning, with other tombstones; the earlier tombstones stay in force.
    """
    tombstones = tuple(tombstones)
    gone = {each.event_id for each in tombstones if not each.is_quote}
    quotes = {each.event_id for each in tombstones if each.is_quote}
    log, redacted = parse(data), bytearray(before + data[len(before) :])
    for logged in log.events:
        event = logged.event
        if event.id in gone or event.meta_dict().get("turn") in gone:
            heading = data.index(b"\n", logged.offset) + 1
            _blank(redacted, heading, data.index(_END, heading) + 1)
        elif event.id in quotes:
            heading = data.index(b"\n", logged.offset) + 1
            _blank(redacted, heading, data.index(b"\n", heading))
    for gap in (*log.seals, *log.damage, *((log.torn,) if log.torn is not None else ())):
        _blank(redacted, gap.offset, gap.offset + gap.length)
    return bytes(redacted)


def _blank(data: bytearray, start: int, end: int) -> None:
    """Take out everything between two places but the ends of lines."""
    length = end - start
    blank = bytearray(_BYTES.sub(b" ", bytes(data[start:end])))
    first_line = blank.find(b"\n")
    if len(_NOTE) <= (length if first_line < 0 else first_line):
        blank[: len(_NOTE)] = _NOTE
    data[start:end] = blank


make_ready(__name__)
