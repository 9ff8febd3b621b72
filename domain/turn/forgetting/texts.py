"""Texts of an event: words of a person, and words in metadata."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from domain.log.event import Event, Kind
from domain.log.forgotten import FORGOT
from domain.log.off_record import OFF_RECORD_KINDS
from domain.log.redaction import DELETION_DEFERRED, EDIT_DEFERRED, LOOKED_THROUGH
from domain.turn.attachments import spoken_texts
from domain.turn.compaction import CUT

_WORDLESS = (
    DELETION_DEFERRED,
    EDIT_DEFERRED,
    LOOKED_THROUGH,
    CUT,
    FORGOT,
    "resumed",
    "joined",
    "model",
    *OFF_RECORD_KINDS,
)
"""Subjects of system events without words of people or models."""


def person_texts(event: Event) -> Iterator[str]:
    """Words of an event of a person: as typed, as spoken, and with the texts of files."""
    yield event.content
    typed = event.meta_dict().get("typed")
    yield event.content[: typed if isinstance(typed, int) else 0]
    yield from spoken_texts(event.content)


def texts_in(value: object) -> Iterator[str]:
    """All texts in a value of metadata."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def holds_words(event: Event, meta: dict[str, Any]) -> bool:
    """True if an event with the metadata can hold words of people or models."""
    if event.kind in (Kind.DELIVERY, Kind.TOMBSTONE):
        return False
    return event.kind is not Kind.SYSTEM or meta.get("what") not in _WORDLESS
