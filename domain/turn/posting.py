"""Posting of the runtime, as a log keeps it: what no turn said and people were shown all the same."""

from __future__ import annotations

from collections.abc import Collection

from domain.log.event import Event, Kind
from domain.log.metadata import MetaValue
from domain.log.off_record import MESSAGE_KEY
from messages.context import RuntimePosted

POSTED = "posted"
"""Value of `what` in the metadata of a posting's event."""


def posted_meta(posted: RuntimePosted, open_count: int) -> dict[str, MetaValue]:
    """The metadata of its event, whose content is the text.

    Args:
        posted: What was posted.
        open_count: How much the window has to do yet.
    """
    meta: dict[str, MetaValue] = {"what": POSTED, "by": posted.by, "message_ids": list[MetaValue](posted.message_ids)}
    if posted.file:
        meta["file"] = posted.file
    if posted.is_off_record:
        meta[MESSAGE_KEY] = True
    return {**meta, "open": open_count}


def is_posting(event: Event, message_ids: Collection[str]) -> bool:
    """True if an event says that the runtime posted one of these messages."""
    if event.kind is not Kind.SYSTEM:
        return False
    meta = event.meta_dict()
    ids = meta.get("message_ids")
    return meta.get("what") == POSTED and isinstance(ids, list) and not set(message_ids).isdisjoint(map(str, ids))
