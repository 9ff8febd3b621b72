"""Events of a log, under a header that names the window."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from domain.log import metadata as log_metadata
from domain.log.metadata import MetaValue
from messages.base import EventId, Value, Window, make_ready

_ID = re.compile("[0-9A-Za-z_-]{1,64}")
_RESERVED = ("header", "seal")


class Kind(StrEnum):
    """Type of an event."""

    USER = "user"
    AGENT = "agent"
    TOOL_CALL = "tool-call"
    TOOL_RESULT = "tool-result"
    DELIVERY = "delivery"
    PIN = "pin"
    TOMBSTONE = "tombstone"
    """A withdrawal of earlier words: the words stay in the log, and are recalled no more."""
    SYSTEM = "system"


class Event(Value, frozen=True, kw_only=True, gc=False):
    """One occurrence in a window. `event` makes an Event from the values of callers."""

    id: EventId
    at: datetime
    """UTC, whole milliseconds."""
    kind: Kind
    content: str
    """Any text whatever, lone surrogates too."""
    meta_json: str = "{}"
    """Metadata as spelt by `domain.log.metadata.meta_json`, so equal metadata is equal text."""

    def meta_dict(self) -> dict[str, MetaValue]:
        """The metadata, as a fresh dictionary."""
        return log_metadata.meta_dict(self.meta_json)


class Header(Value, frozen=True, kw_only=True, gc=False):
    """The first record of a log file."""

    window: Window
    started_at: datetime
    """UTC, whole seconds."""
    seq: int
    """Distinguishes windows started in the same second, from 1."""
    opened_by: str
    """Opener of the window, e.g. a Discord user id."""
    after: int | None = None
    """Greatest message id of the window's earlier logs; None if unrecorded, or without a message."""


def event(id: str, at: datetime, kind: Kind | str, content: str, meta: Mapping[str, MetaValue] | None = None) -> Event:
    """Event with the time in UTC cut to the millisecond, and metadata in canonical form.

    Raises:
        ValueError: as `require_valid`, or a naive `at`, an unknown `kind`, metadata outside JSON.
    """
    if at.tzinfo is None:
        raise ValueError(f"at {at!r}: a time zone is required")
    moment = at.astimezone(UTC)
    whole = Event(
        id=EventId(id),
        at=moment.replace(microsecond=moment.microsecond // 1000 * 1000),
        kind=Kind(kind),
        content=content,
        meta_json=log_metadata.meta_json(meta or {}),
    )
    require_valid(whole)
    return whole


def require_valid(event: Event) -> None:
    """Refuse an event that a log cannot give back exactly.

    Raises:
        ValueError: names the field, the value and the rule.
    """
    if not _ID.fullmatch(event.id) or event.id in _RESERVED:
        raise ValueError(f"event id {event.id[:80]!r}: 1 to 64 letters, digits, _ and - are allowed, not {_RESERVED}")
    if event.at.utcoffset() != timedelta(0) or event.at.microsecond % 1000:
        raise ValueError(f"at {event.at!r}: UTC in whole milliseconds is required")
    if not log_metadata.is_canonical(event.meta_json):
        raise ValueError(f"meta_json {event.meta_json[:80]!r}: not in the form that meta_json() gives")


make_ready(__name__)
