"""What pin events mean: which events of a window somebody asked to keep in mind.

A pin event's metadata: `action` (`pin` or `unpin`), `request` (repeating one changes nothing), `by` and `by_name` (who
asked), and of another event that is meant `event`, `path` and `line`. Without `event` the pin event itself holds the
words as its content, with `author`, `author_id` and, for a message that no log has, `source` (its id).
"""

from __future__ import annotations

from dataclasses import dataclass

from domain.log.event import Event, Kind
from domain.log.metadata import MetaValue
from messages.base import EventId

PIN = "pin"
UNPIN = "unpin"


@dataclass(frozen=True, slots=True)
class Said:
    """An event that can be pinned, and where it stands."""

    event_id: EventId
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin that holds."""

    said: Said
    by: str
    """Id of the person."""


class PinBoard:
    """The fold of a window's events, oldest first, for questions about pins."""

    def __init__(self) -> None:
        self.pins: dict[EventId, Pin] = {}
        """By what is pinned, oldest pin first."""
        self.answered: dict[str, Said] = {}
        """Request -> what it was about."""
        self.last_said: Said | None = None
        """The newest event of a person or the agent that is not blank."""
        self._said: dict[EventId, Said] = {}
        self._of_message: dict[str, EventId] = {}

    def add(self, path: str, line: int, event: Event) -> None:
        """Take in the next event of the window's logs."""
        if event.kind in (Kind.USER, Kind.AGENT):
            self._add_said(Said(event.id, path, line, event.content), str(event.meta_dict().get("message_id", "")))
        elif event.kind is Kind.DELIVERY:
            self._add_delivery(event)
        elif event.kind is Kind.PIN:
            self._add_pin(path, line, event)

    def find(self, message_id: str) -> Said | None:
        """What the surface shows as that message; None if no log has it."""
        event_id = self._of_message.get(message_id)
        return None if event_id is None else self._said.get(event_id)

    def last_of(self, person: str) -> Pin | None:
        """The newest pin that `person` made and that holds."""
        return next((pin for pin in reversed(self.pins.values()) if pin.by == person), None)

    def _add_said(self, said: Said, message_id: str) -> None:
        self._said[said.event_id] = said
        if said.text.strip():
            self.last_said = said
        if message_id:
            self._of_message[message_id] = said.event_id

    def _add_delivery(self, event: Event) -> None:
        meta = event.meta_dict()
        shown = meta.get("message_ids")
        for message_id in shown if isinstance(shown, list) else ():
            self._of_message[str(message_id)] = EventId(str(meta.get("event", "")))

    def _add_pin(self, path: str, line: int, event: Event) -> None:
        meta = event.meta_dict()
        said = self._meant(path, line, event, meta)
        if said is None:
            return
        self.answered[str(meta.get("request", ""))] = said
        if meta.get("action") == UNPIN:
            self.pins.pop(said.event_id, None)
        elif meta.get("action") == PIN:
            self.pins[said.event_id] = Pin(said, by=str(meta.get("by", "")))

    def _meant(self, path: str, line: int, event: Event, meta: dict[str, MetaValue]) -> Said | None:
        other = EventId(str(meta.get("event", "")))
        if other:
            return self._said.get(other)
        said = Said(event.id, path, line, event.content)
        self._said[event.id] = said
        if source := str(meta.get("source", "")):
            self._of_message[source] = event.id
        return said


def pin_meta(request: str, by: str, by_name: str, said: Said | None, action: str = PIN) -> dict[str, MetaValue]:
    """Metadata of a pin event about `said`; about the pin event's own content if that is None."""
    meta: dict[str, MetaValue] = {"action": action, "request": request, "by": by, "by_name": by_name}
    if said is not None:
        meta |= {"event": said.event_id, "path": said.path, "line": said.line}
    return meta
