"""Retraction: events of a window's logs with the words of deleted or edited messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from domain.log.event import Event, Kind
from domain.log.metadata import MetaValue
from domain.log.off_record import message_number
from domain.log.parser import ParsedEvent
from domain.log.redaction import EDITED, OWED, Tombstone, tombstone_of
from messages.base import EventId


class Unsaid(NamedTuple):
    """Message without its present words in any log."""

    event: Event
    """Event of the old words."""
    waits: bool
    """True if the message waits for an answer, and no turn has taken the message up."""


def list_tombstones(events: Iterable[tuple[str, ParsedEvent]], message_ids: Collection[str]) -> list[Tombstone]:
    """Events to withdraw for the messages and not yet withdrawn, each once.

    Args:
        events: Events of the window's logs, oldest first, each with the log's path.
        message_ids: Ids of people's messages, or of messages showing the agent's words.
    """
    tombstones: dict[tuple[EventId, bool], Tombstone] = {}
    places: dict[EventId, tuple[str, int]] = {}
    hosts: dict[EventId, EventId] = {}
    """Message that joined a running turn -> the turn."""
    for path, logged in events:
        event, meta = logged.event, logged.event.meta_dict()
        places[event.id] = path, logged.line
        if event.kind is Kind.SYSTEM and meta.get("what") == "joined":
            hosts[EventId(str(meta.get("message", "")))] = EventId(str(meta.get("turn", "")))
        if event.kind is Kind.TOMBSTONE and (done := tombstone_of(meta)) is not None:
            tombstones.pop((done.event_id, done.is_quote), None)
        for event_id, message_id, is_quote in _holders(event.kind, event.id, meta):
            if message_id in message_ids and event_id in places:
                there, line = places[event_id]
                tombstones[event_id, is_quote] = Tombstone(
                    event_id=event_id, path=there, line=line, message_id=message_id, is_quote=is_quote
                )
    for event_id, is_quote in tuple(tombstones):
        host = hosts.get(event_id)
        if host in places and not is_quote:  # what was answered to both cannot be told apart
            there, line = places[host]
            joined = tombstones[event_id, False]
            tombstones[host, False] = Tombstone(
                event_id=host, path=there, line=line, message_id=joined.message_id, is_quote=False
            )
    return list(tombstones.values())


def shown_for(events: Iterable[tuple[str, ParsedEvent]], message_ids: Collection[str]) -> dict[str, str]:
    """Message with an answer to one of the messages -> the answered message, with quotations to withdraw.

    Args:
        events: As of `list_tombstones`.
        message_ids: As of `list_tombstones`.
    """
    turns, answers, answered = dict[object, str](), dict[object, str](), dict[str, str]()
    for _, logged in events:
        event, meta = logged.event, logged.event.meta_dict()
        if event.kind is Kind.USER and meta.get("message_id") in message_ids:
            turns[event.id] = str(meta["message_id"])
        elif event.kind in (Kind.AGENT, Kind.SYSTEM) and meta.get("turn") in turns:
            answers[event.id] = turns[meta.get("turn")]
        elif event.kind is Kind.DELIVERY and meta.get("event") in answers:
            message_ids_of_answer = meta.get("message_ids")
            answered |= dict.fromkeys(
                map(str, message_ids_of_answer if isinstance(message_ids_of_answer, list) else ()),
                answers[meta.get("event")],
            )
    return answered


def unsaid(events: Iterable[tuple[str, ParsedEvent]], message_ids: Collection[str]) -> dict[str, Unsaid]:
    """Messages with old words withdrawn for an edit, and without an event for the new.

    Args:
        events: As of `list_tombstones`.
        message_ids: Ids of people's messages.
    """
    newest: dict[str, Event] = {}
    edited: set[tuple[str, EventId]] = set()
    taken_up: set[str] = set()
    for _, logged in events:
        event, meta = logged.event, logged.event.meta_dict()
        message_id, stops = str(meta.get("message_id", "")), meta.get("stops")
        taken_up.update(map(str, (meta.get("turn"), meta.get("message"), *(stops if isinstance(stops, list) else ()))))
        if event.kind is Kind.USER and message_id in message_ids:
            newest[message_id] = event
        elif event.kind is Kind.SYSTEM:
            newest.pop(message_number(event.kind, event.meta_json), None)  # the new words were asked off the record
        elif event.kind is Kind.TOMBSTONE and meta.get("why") == EDITED:
            done = tombstone_of(meta)
            if done is not None and not done.is_quote:
                edited.add((message_id, done.event_id))
    return {
        each: Unsaid(event, waits=event.id not in taken_up and not event.meta_dict().get("overheard"))
        for each, event in newest.items()
        if (each, event.id) in edited
    }


def _holders(kind: Kind, event_id: EventId, meta: dict[str, MetaValue]) -> Iterator[tuple[EventId, str, bool]]:
    """(event, message, is quotation) for words in an event, as far as one event tells."""
    if kind is Kind.USER:
        yield event_id, str(meta.get("message_id", "")), False
        quote = meta.get("quote")
        if isinstance(quote, dict):
            yield event_id, str(quote.get("message_id", "")), True
    elif kind is Kind.PIN:
        yield event_id, str(meta.get("source", "")), False
    elif kind is Kind.SYSTEM and meta.get("what") == OWED:
        yield event_id, str(meta.get("answers", "")), False
    elif kind is Kind.DELIVERY:
        answer_ids = meta.get("message_ids")
        for message_id in answer_ids if isinstance(answer_ids, list) else ():
            yield EventId(str(meta.get("event", ""))), str(message_id), False
