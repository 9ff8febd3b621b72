"""Retractions in a window's logs after a message is deleted or edited."""

from __future__ import annotations

from datetime import UTC, datetime

from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from domain.log.parser import ParsedEvent
from domain.log.redaction import EDITED, OWED, tombstone_meta
from domain.log.retraction import list_tombstones
from messages.base import EventId

AT = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)
PATH = "logs/a.md"


def log_events(*events: Event) -> list[tuple[str, ParsedEvent]]:
    return [(PATH, ParsedEvent(event=each, line=10 * number, offset=0)) for number, each in enumerate(events, 1)]


def make_event(name: str, kind: Kind, meta: dict[str, MetaValue]) -> Event:
    return event(EventId(name), AT, kind, "words", meta)


def test_a_text_that_is_owed_to_the_message_goes_with_it_and_nothing_else_of_the_system_does() -> None:
    events = log_events(
        make_event("owed", Kind.SYSTEM, {"what": OWED, "answers": "7"}),
        make_event("owed_elsewhere", Kind.SYSTEM, {"what": OWED, "answers": "8"}),
        make_event("no_debt", Kind.SYSTEM, {"what": "resumed", "answers": "7"}),
    )
    assert [(each.event_id, each.line) for each in list_tombstones(events, {"7"})] == [("owed", 10)]


def test_what_was_taken_back_is_not_taken_back_again() -> None:
    question = make_event("said", Kind.USER, {"message_id": "7"})
    (tombstone,) = list_tombstones(log_events(question), {"7"})
    gone = make_event("gone", Kind.TOMBSTONE, tombstone_meta(tombstone, EDITED))
    assert list_tombstones(log_events(question, gone), {"7"}) == []
