"""Fold of pin events: events of a window pinned by users.

A pin event's metadata: `action` (`pin` or `unpin`), `request` (a repetition has no effect), `by` and `by_name` (the
requesting user), and `event`, `path` and `line` of another event to pin. Without `event` the pin event holds the
words as content, with `author`, `author_id` and, for a message outside every log, `source` (the message's id).
"""

from __future__ import annotations

from dataclasses import dataclass

from domain.log.event import Event, Kind
from domain.log.metadata import MetaValue
from domain.log.redaction import Tombstone, tombstone_of
from messages.base import EventId

PIN = "pin"
UNPIN = "unpin"


@dataclass(frozen=True, slots=True)
class Utterance:
    """Event that can be pinned, and the event's place."""

    event_id: EventId
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Pin:
    """One valid pin."""

    utterance: Utterance
    by: str
    """Id of the person."""


class PinBoard:
    """The fold of a window's events, oldest first, for questions about pins."""

    def __init__(self) -> None:
        self.pins: dict[EventId, Pin] = {}
        """Pins by the pinned event, oldest pin first."""
        self.answered: dict[str, Utterance] = {}
        """Request -> event of the request."""
        self._utterances: dict[EventId, Utterance] = {}
        self._event_ids: list[EventId] = []
        """Events of people's and the agent's words, oldest first."""
        self._of_message: dict[str, EventId] = {}

    def add(self, path: str, line: int, event: Event) -> None:
        """Take in the next event of the window's logs."""
        if event.kind in (Kind.USER, Kind.AGENT):
            self._add_utterance(
                Utterance(event.id, path, line, event.content), str(event.meta_dict().get("message_id", ""))
            )
        elif event.kind is Kind.DELIVERY:
            self._add_delivery(event)
        elif event.kind is Kind.PIN:
            self._add_pin(path, line, event)
        elif event.kind is Kind.TOMBSTONE:
            self._take_back(tombstone_of(event.meta_dict()))

    @property
    def last_utterance(self) -> Utterance | None:
        """Newest event of a person or the agent, neither blank nor withdrawn."""
        utterances = (
            self._utterances[event_id] for event_id in reversed(self._event_ids) if event_id in self._utterances
        )
        return next((utterance for utterance in utterances if utterance.text.strip()), None)

    def find(self, message_id: str) -> Utterance | None:
        """Utterance shown on the surface as the message; None if no log has the message."""
        event_id = self._of_message.get(message_id)
        return None if event_id is None else self._utterances.get(event_id)

    def last_of(self, person: str) -> Pin | None:
        """Newest valid pin made by `person`."""
        return next((pin for pin in reversed(self.pins.values()) if pin.by == person), None)

    def _add_utterance(self, utterance: Utterance, message_id: str) -> None:
        self._utterances[utterance.event_id] = utterance
        self._event_ids.append(utterance.event_id)
        if message_id:
            self._of_message[message_id] = utterance.event_id

    def _add_delivery(self, event: Event) -> None:
        meta = event.meta_dict()
        message_ids = meta.get("message_ids")
        for message_id in message_ids if isinstance(message_ids, list) else ():
            self._of_message[str(message_id)] = EventId(str(meta.get("event", "")))

    def _add_pin(self, path: str, line: int, event: Event) -> None:
        meta = event.meta_dict()
        utterance = self._utterance_meant(path, line, event, meta)
        if utterance is None:
            return
        self.answered[str(meta.get("request", ""))] = utterance
        if meta.get("action") == UNPIN:
            self.pins.pop(utterance.event_id, None)
        elif meta.get("action") == PIN:
            self.pins[utterance.event_id] = Pin(utterance, by=str(meta.get("by", "")))

    def _take_back(self, tombstone: Tombstone | None) -> None:
        if tombstone is not None and not tombstone.is_quote:
            self._utterances.pop(tombstone.event_id, None)
            self.pins.pop(tombstone.event_id, None)
            self.answered = {
                request: utterance
                for request, utterance in self.answered.items()
                if utterance.event_id != tombstone.event_id
            }

    def _utterance_meant(self, path: str, line: int, event: Event, meta: dict[str, MetaValue]) -> Utterance | None:
        other = EventId(str(meta.get("event", "")))
        if other:
            return self._utterances.get(other)
        utterance = Utterance(event.id, path, line, event.content)
        self._utterances[event.id] = utterance
        if source := str(meta.get("source", "")):
            self._of_message[source] = event.id
        return utterance


def pin_meta(
    request: str, by: str, by_name: str, utterance: Utterance | None, action: str = PIN
) -> dict[str, MetaValue]:
    """Metadata of a pin event about `utterance`; about the pin event's own content if `utterance` is None."""
    meta: dict[str, MetaValue] = {"action": action, "request": request, "by": by, "by_name": by_name}
    if utterance is not None:
        meta |= {"event": utterance.event_id, "path": utterance.path, "line": utterance.line}
    return meta


def crowding(pins: int, room: int) -> str:
    """Remark for a user with more pins than have room; empty while all pins have room.

    Args:
        pins: Number of pins that may be shown in a window.
        room: Number of pins given to a turn.
    """
    if pins <= room:
        return ""
    return (
        f"{pins} pins are more than there is room for: a turn is given {room} of them, those that bear most on what "
        "is said, and keeps a quarter of the room for other memories. `/unremember` takes one back."
    )
