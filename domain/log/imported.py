"""Imported log: messages of a window's past, from Discord's history or an export, in a separate file.

Such a log is written once, whole, and never answered, resumed or shown as a window's history. The events are `user`
events in the order of the messages, each named by the message's id and marked `imported`. Later deletions and
edits stand in further imported logs: tombstones, and `user` events with the new words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from domain.log.event import Event, Header, Kind, event
from domain.log.format import encode_event, encode_header
from domain.log.metadata import MetaValue, meta_dict
from domain.log.window import ImportedName
from messages.base import Window
from messages.past import PastMessage

IMPORTED = "imported"
"""Key of an event's metadata, true for a message of the past."""
OPENED_BY = "import"


def past_meta(message: PastMessage, audience: str) -> dict[str, MetaValue]:
    """Metadata of a message's event.

    Args:
        message: Message of the past.
        audience: Readers of the window, as a label of `domain.policy.audience`; empty when unknown.
    """
    meta: dict[str, MetaValue] = {
        "author": message.author_name,
        "author_id": message.author_id,
        "message_id": message.message_id,
        IMPORTED: True,
    }
    if audience:
        meta["audience"] = audience
    if message.reply_to_message_id:
        meta["reply_to"] = message.reply_to_message_id
    if told_chars := len(message.text) - message.typed_chars:
        meta |= {"typed": message.typed_chars, "told": told_chars}
    return meta


def past_event(message: PastMessage, audience: str) -> Event:
    """Event of a message of the past.

    Raises:
        ValueError: as `domain.log.event.event`.
    """
    return event(message.message_id, message.sent_at, Kind.USER, message.text, past_meta(message, audience))


def encode_imported(window: Window, name: ImportedName, events: Iterable[Event]) -> tuple[bytes, tuple[int, ...]]:
    """Bytes of a whole imported log, and the line of each event's heading.

    Raises:
        ValueError: as `encode_event` and `encode_header`.
    """
    as_named = name.as_log_name
    header = Header(window=window, started_at=as_named.started_at, seq=as_named.seq or 1, opened_by=OPENED_BY)
    record, head = encode_header(header)
    records, lines, line = [record], list[int](), 1 + record.count(b"\n")
    for each in events:
        record, head = encode_event(each, head)
        records.append(record)
        lines.append(line)
        line += record.count(b"\n")
    return b"".join(records), tuple(lines)


def message_ids(kind: Kind, meta: Mapping[str, MetaValue]) -> Sequence[str]:
    """Ids of Discord messages with an event's words, held in the event or shown on the surface."""
    own, answer_ids = meta.get("message_id"), meta.get("message_ids")
    ids = [own] if isinstance(own, str) and kind is not Kind.TOMBSTONE else []
    return [*ids, *(str(each) for each in answer_ids)] if isinstance(answer_ids, list) else ids


def is_imported(meta_json: str) -> bool:
    """True if an event is a message of the past."""
    return f'"{IMPORTED}":true' in meta_json and meta_dict(meta_json).get(IMPORTED) is True
