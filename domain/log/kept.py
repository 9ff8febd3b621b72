"""Kept messages: Discord messages with words in a window's logs, in the shortest comparable form."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from domain.log.event import Event, Kind
from domain.log.forgotten import Forgotten
from domain.log.metadata import meta_dict
from domain.log.off_record import OFF_RECORD, message_number
from domain.log.redaction import EDITED, tombstone_of
from domain.text.mention import without_names
from messages.base import EventId
from messages.context import KeptMessage

_LONGEST_ID = 20
"""Digits of a snowflake."""
OWED_WORDS = "owed"
"""Placeholder digest of an edited message without the new words in any log; no digest is as short."""


FORGOTTEN_WORDS = "forgotten"
"""Placeholder digest of a message forgotten, or said off the record: logged, and never compared with Discord."""


def digest(words: str) -> str:
    """Digest for comparing a message's typed words, without names beside ids: 16 hexadecimal digits."""
    return hashlib.blake2b(without_names(words).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def list_kept(logs: Iterable[Iterable[Event | Forgotten]], most: int, after: int = 0) -> list[KeptMessage]:
    """Messages with words still in the logs: people's messages, the agent's messages, quotations and pins.

    An edited message whose new words were lost with the process counts with `OWED_WORDS`. A message that was forgotten,
    or said off the record, counts with `FORGOTTEN_WORDS`. Commands counted as messages are left out, since no history
    shows commands.

    Args:
        logs: Logs of one window, the newest first, each with the records in order; iteration stops at the bound.
        most: Number of messages to return: the newest.
        after: Quotations and pins of messages up to this message are left out: the messages are in another channel.

    Returns:
        The newest message first.
    """
    messages: dict[int, KeptMessage] = {}
    gone: set[tuple[EventId, bool]] = set()
    edited: set[tuple[EventId, str]] = set()
    newest: dict[int, tuple[EventId, KeptMessage]] = {}
    for log in logs:
        records = tuple(log)
        events = [each for each in records if isinstance(each, Event)]
        messages |= _forgotten_messages(each for each in records if isinstance(each, Forgotten))
        for meta in (event.meta_dict() for event in events if event.kind is Kind.TOMBSTONE):
            if (each := tombstone_of(meta)) is not None:
                gone.add((each.event_id, each.is_quote))
                if meta.get("why") == EDITED and not each.is_quote:
                    edited.add((each.event_id, each.message_id))
        newest = _typed_messages(events) | newest
        for event in events:
            for holder, is_quote, message in _messages(event):
                number = _number(message.message_id)
                is_own = bool(message.words) or event.kind is Kind.DELIVERY
                if ((is_own and number) or number > after) and (holder, is_quote) not in gone:
                    messages[number] = max(messages.get(number, message), message, key=_rank)
        if len(messages) >= most:
            break
    for number, (holder, message) in newest.items():
        if (holder, message.message_id) in edited and not (number in messages and messages[number].words):
            messages[number] = msgspec.structs.replace(message, words=OWED_WORDS)
    return [messages[number] for number in sorted(messages, reverse=True)[:most]]


def _forgotten_messages(records: Iterable[Forgotten]) -> dict[int, KeptMessage]:
    """Forgotten messages of people, by number."""
    ids = (str(meta_dict(each.meta_json).get("message_id", "")) for each in records if each.kind is Kind.USER)
    return {number: KeptMessage(message_id=each, words=FORGOTTEN_WORDS) for each in ids if (number := _number(each))}


def _typed_messages(events: Iterable[Event]) -> dict[int, tuple[EventId, KeptMessage]]:
    """Newest event with a message's own words, by the message's number."""
    return {
        number: (holder, message)
        for event in events
        for holder, _, message in _messages(event)
        if message.words and (number := _number(message.message_id))
    }


def _messages(event: Event) -> Iterator[tuple[EventId, bool, KeptMessage]]:
    """Messages with words in one event, or named by the event as shown.

    Yields:
        The event with the words, True for a quotation, and the message.
    """
    if event.kind is Kind.SYSTEM and OFF_RECORD in event.meta_json:
        yield event.id, False, _message(event, message_number(event.kind, event.meta_json), FORGOTTEN_WORDS)
    if event.kind not in (Kind.USER, Kind.PIN, Kind.DELIVERY):
        return
    meta = event.meta_dict()
    if event.kind is Kind.USER:
        attachments, typed = meta.get("attachments"), meta.get("typed")
        files = len(attachments) if isinstance(attachments, list) else 0
        words = event.content[:typed] if isinstance(typed, int) else event.content
        # A command that counts as a message has no files or other parts, and nothing of it was typed.
        if files or typed != 0 or meta.get("told"):
            yield event.id, False, _message(event, meta.get("message_id"), digest(words), files)
        if isinstance(quote := meta.get("quote"), dict):
            yield event.id, True, _message(event, quote.get("message_id"))
    elif event.kind is Kind.PIN:
        yield event.id, False, _message(event, meta.get("source"))
    else:
        answer_ids = meta.get("message_ids")
        for message_id in answer_ids if isinstance(answer_ids, list) else ():
            yield EventId(str(meta.get("event", ""))), False, _message(event, message_id)


def _message(event: Event, message_id: object, words: str = "", files: int = 0) -> KeptMessage:
    return KeptMessage(
        message_id=str(message_id or ""),
        words=words,
        files=files,
        logged_at_ms=int(event.at.timestamp() * 1000),
    )


def _number(message_id: str) -> int:
    """A snowflake; 0 for any other text."""
    return int(message_id) if message_id.isdecimal() and len(message_id) <= _LONGEST_ID else 0


def _rank(message: KeptMessage) -> tuple[bool, int]:
    """Sort key: typed text before quoted text, then the newer before the older."""
    return message.words != "", message.logged_at_ms
