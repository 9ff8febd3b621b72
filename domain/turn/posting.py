"""Posting of the runtime, as a log keeps it: text shown to people without belonging to a turn's answer."""

from __future__ import annotations

from collections.abc import Collection

from domain.log.event import Event, Kind
from domain.log.forgotten import Forgotten
from domain.log.metadata import MetaValue, meta_dict
from domain.log.off_record import MESSAGE_KEY
from messages.base import TurnId
from messages.context import RuntimePosted
from messages.discord import DISCORD
from messages.shell import APPROVAL

POSTED = "posted"
"""Value of `what` in the metadata of a posting's event."""
_OF_TURNS = (APPROVAL.kind, DISCORD.kind)
"""Actors that post on behalf of the turn in hand: questions about commands, and files of commands."""


def posted_meta(posted: RuntimePosted, open_count: int, running: TurnId | None) -> dict[str, MetaValue]:
    """The metadata of a posting's event; the event's content is the text.

    Args:
        posted: Posted text with its messages.
        open_count: Number of open tasks of the window.
        running: Turn in hand, whose postings are forgotten with the turn.
    """
    meta: dict[str, MetaValue] = {"what": POSTED, "by": posted.by, "message_ids": list[MetaValue](posted.message_ids)}
    if posted.file:
        meta["file"] = posted.file
    if posted.is_off_record:
        meta[MESSAGE_KEY] = True
    if running is not None and posted.by in _OF_TURNS:
        meta["turn"] = running
    return {**meta, "open": open_count}


def is_posting(record: Event | Forgotten, message_ids: Collection[str]) -> bool:
    """True if a record reports a posting of the runtime in any of the messages, be the words forgotten or not."""
    if record.kind is not Kind.SYSTEM:
        return False
    meta = meta_dict(record.meta_json)
    ids = meta.get("message_ids")
    return meta.get("what") == POSTED and isinstance(ids, list) and not set(message_ids).isdisjoint(map(str, ids))
