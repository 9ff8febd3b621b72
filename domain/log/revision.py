"""Revision of a message: words and metadata after an edit, beside the event of the old words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from domain.log.event import Event, Kind
from domain.log.metadata import MetaValue
from domain.log.redaction import Tombstone
from domain.text.mention import without_names
from domain.text.shortening import is_beginning
from messages.base import EventId
from messages.context import ReviseMessage

WAS_QUESTION = "question"
"""Metadata key of an edited message: true if earlier words of the message were a question; a message is one once."""
NOT_KEPT = ("overheard", "open", "quote", "attachments", "typed", "told")
"""Metadata of an edited message that the new words do not take over unchanged."""


@dataclass(frozen=True, slots=True)
class HeldEdit:
    """Withdrawn message whose new words are not noted yet."""

    event: Event
    edit: ReviseMessage
    asks: bool = False
    """True if the message waits for an answer, to be given to the new words."""
    quotation: dict[str, MetaValue] = field(default_factory=dict)
    """Metadata of the message's quotation, unless withdrawn."""


def later_edit(before: ReviseMessage, edit: ReviseMessage) -> ReviseMessage:
    """Newer of two edits; a question of the earlier edit is still to be answered."""
    return msgspec.structs.replace(edit, wants_answer=edit.wants_answer or before.wants_answer)


def person_event(events: Mapping[tuple[EventId, bool], Event], tombstone: Tombstone) -> Event | None:
    """Event with a person's own message, if `tombstone` is for a person's message.

    Args:
        events: By id and True for only a quotation.
        tombstone: The tombstone.
    """
    event = None if tombstone.is_quote else events.get((tombstone.event_id, False))
    return event if event is not None and event.kind is Kind.USER else None


def makes_question(event: Event, edit: ReviseMessage) -> bool:
    """True if an edit makes an overheard message a question, which no earlier words of the message were."""
    meta = event.meta_dict()
    return edit.wants_answer and meta.get("overheard") is True and WAS_QUESTION not in meta


def is_changed(event: Event, text: str, files: int) -> bool:
    """True if an edited message with `text` and so many files differs from the logged message."""
    meta = event.meta_dict()
    before = without_names(event.content[: _typed_chars(event, meta)])
    return before != without_names(text) or _files(meta) > files


def shows_present_words(events: Mapping[tuple[EventId, bool], Event], tombstone: Tombstone, text: str) -> bool:
    """True if a pin or a quotation, perhaps cut short, has the present words of the quoted message."""
    event = events.get((tombstone.event_id, tombstone.is_quote))
    if event is None:
        return False
    quote = event.meta_dict().get("quote") if tombstone.is_quote else None
    words = str(quote.get("text", "")) if isinstance(quote, dict) else event.content
    return is_beginning(words, text)


def revise(event: Event, text: str, notes: str, files: int) -> tuple[str, dict[str, MetaValue]]:
    """New words and metadata of a message; where a file of several was taken out, none of their texts stays.

    Args:
        event: Event of the old words.
        text: Typed text after the edit.
        notes: Lines about the message's other parts.
        files: Number of files after the edit.
    """
    before = event.meta_dict()
    meta: dict[str, MetaValue] = {key: value for key, value in before.items() if key not in NOT_KEPT}
    meta["edited"] = True
    if not before.get("overheard"):
        meta[WAS_QUESTION] = True
    words = "\n\n".join(filter(None, (text, notes)))
    if notes:
        meta |= {"typed": len(text), "told": len(words) - len(text)}
    if not _files(before) or _files(before) > files:
        return words, meta
    meta |= {"attachments": before["attachments"], "typed": len(text)}
    return words + event.content[_typed_chars(event, before) + told_chars(before) :], meta


def told_chars(meta: Mapping[str, object]) -> int:
    """Number of the runtime's characters about other parts, after a logged message's typed characters."""
    chars = meta.get("told")
    return chars if isinstance(chars, int) else 0


def _typed_chars(event: Event, meta: dict[str, MetaValue]) -> int:
    """Number of typed characters in a message; texts of files follow."""
    typed = meta.get("typed")
    return typed if isinstance(typed, int) else len(event.content)


def _files(meta: dict[str, MetaValue]) -> int:
    attachments = meta.get("attachments")
    return len(attachments) if isinstance(attachments, list) else 0
