"""Memories from events: events that become memories, and the index's data about the events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b

from domain.log.event import Kind
from domain.log.metadata import MetaValue, meta_dict
from domain.log.parser import Record
from domain.log.redaction import Tombstone, tombstone_of
from domain.memory.hybrid_text import embedded_text
from domain.memory.pins import PIN, UNPIN
from messages.base import EventId, TurnId, Value, make_ready

EMBEDDED_CHARS = 8_000
"""Number of characters to embed from the beginning of a long turn."""
USER = "user"
AGENT = "agent"
_SPOKEN_KINDS = (USER, AGENT)
_PIN = Kind.PIN.value
_TOMBSTONE = Kind.TOMBSTONE.value
_REMEMBERED = (*_SPOKEN_KINDS, _PIN, _TOMBSTONE)


class Remembered(Value, frozen=True, kw_only=True, gc=False):
    """Turn in the form of the index."""

    path: str
    line: int
    event_id: EventId
    turn_id: TurnId
    """Turn of the memory; empty for pinned words outside any turn."""
    at: datetime
    role: str
    """`user` or `agent`."""
    author: str
    text: str
    is_pinned: bool = False

    @property
    def is_own_pin(self) -> bool:
        """True if the entry is the content of a pin event: without the pin, no memory."""
        return not self.turn_id and self.role == USER

    @property
    def embedded_text(self) -> str:
        """Text for the vector."""
        return embedded_text(self.author, self.at, self.text)[:EMBEDDED_CHARS]

    @property
    def hash(self) -> bytes:
        """Names `embedded_text`: equal texts have equal vectors."""
        text = embedded_text(self.author, self.at, self.text)[:EMBEDDED_CHARS]
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class PinChange(Value, frozen=True, kw_only=True, gc=False):
    """A message became a pin, or stopped being a pin."""

    path: str
    line: int
    """Line of the pinned event."""
    is_pinned: bool
    at: datetime
    source_path: str
    source_line: int
    """Line of the pin event in the log."""


class TakenBack(Value, frozen=True, kw_only=True, gc=False):
    """Withdrawal of words: neither the words nor their results are a memory any more."""

    tombstone: Tombstone
    source_path: str
    source_line: int
    """Line of the withdrawal in the log."""


Entry = Remembered | PinChange | TakenBack
"""Content of one event for the index."""


def entry_of_event(
    *, path: str, line: int, event_id: EventId, kind: str, at: datetime, text: str, meta_json: str
) -> Entry | None:
    """Index entry for one event of a log; None for kinds without memories, and for blank texts."""
    meta = meta_dict(meta_json) if kind in _REMEMBERED else {}
    return _entry_of_parts(path, line, event_id, kind, at, text, meta)


def entry_of_record(path: str, record: Record) -> Entry | None:
    """Index entry as in `entry_of_event`, for an event returned by `domain.log.parser.read`."""
    return _entry_of_parts(path, record.line, record.id, record.kind, record.at, record.content, record.meta)


def _entry_of_parts(
    path: str, line: int, event_id: EventId, kind: str, at: datetime, text: str, meta: Mapping[str, MetaValue]
) -> Entry | None:
    if kind == _PIN:
        return _pin_entry(path, line, event_id, at, text, meta)
    if kind == _TOMBSTONE:
        tombstone = tombstone_of(meta)
        return None if tombstone is None else TakenBack(tombstone=tombstone, source_path=path, source_line=line)
    if kind not in _SPOKEN_KINDS or not text.strip():
        return None
    is_user = kind == USER
    return Remembered(
        path=path,
        line=line,
        event_id=event_id,
        turn_id=TurnId(event_id if is_user else str(meta.get("turn", ""))),
        at=at,
        role=USER if is_user else AGENT,
        author=str(meta.get("author", "")) if is_user else AGENT,
        text=text,
    )


def _pin_entry(
    path: str, line: int, event_id: EventId, at: datetime, text: str, meta: Mapping[str, MetaValue]
) -> Entry | None:
    action, where, there = meta.get("action"), meta.get("path"), meta.get("line")
    if meta.get("event"):
        if action not in (PIN, UNPIN) or not isinstance(where, str) or not isinstance(there, int):
            return None
        return PinChange(path=where, line=there, is_pinned=action == PIN, at=at, source_path=path, source_line=line)
    if action != PIN or not text.strip():
        return None
    return Remembered(
        path=path,
        line=line,
        event_id=event_id,
        turn_id=TurnId(""),
        at=at,
        role=USER,
        author=str(meta.get("author", "")),
        text=text,
        is_pinned=True,
    )


make_ready(__name__)
