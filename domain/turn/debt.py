"""Debt: a text logged for display and not known to have been shown; a debt outlives its log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from domain.log.event import Event, Kind
from domain.log.metadata import MetaValue
from domain.log.redaction import OWED
from domain.turn.turn import Turn
from messages.base import EventId, TurnId

LOST = (
    "I was interrupted while answering this. Memory is off here, so I no longer know what you asked; please ask again."
)
"""Notice in place of an answer to words missing from all logs."""


@dataclass(frozen=True, slots=True)
class Debt:
    """A text logged for display and not known to have been shown."""

    event_id: EventId
    """Id of the first event that owed the text, in any log; marks the message, so the text is shown once."""
    text: str
    at: datetime
    answers_message_id: str
    turn: Turn | None
    """The turn that caused the text, as far as the present log has the turn."""
    ended_turn: TurnId
    """The turn that the text ends; empty without such a turn."""
    is_answer: bool = False
    """True if the text is the model's answer, and no notice."""


def owed(event: Event, text: str, turn: Turn | None, *, ends_turn: bool) -> Debt:
    """Undelivered text of an event of this log."""
    return Debt(
        event_id=event.id,
        text=text,
        at=event.at,
        answers_message_id=turn.message_id if turn else "",
        turn=turn,
        ended_turn=turn.id if turn is not None and ends_turn else TurnId(""),
        is_answer=event.kind is Kind.AGENT,
    )


def carried_meta(debt: Debt) -> dict[str, MetaValue]:
    """The metadata of the event that carries a debt over; the event's content is the text."""
    return {
        "what": OWED,
        "event": debt.event_id,
        "answers": debt.answers_message_id,
        "ended": debt.ended_turn,
        "answer": debt.is_answer,
        "since": debt.at.isoformat(),
    }


def carried_debt(event: Event, meta: dict[str, MetaValue]) -> Debt:
    """The debt carried over by an event."""
    try:
        since = datetime.fromisoformat(str(meta.get("since", "")))
    except ValueError:
        since = event.at
    return Debt(
        event_id=EventId(str(meta.get("event", ""))),
        text=event.content,
        at=since if since.tzinfo else event.at,
        answers_message_id=str(meta.get("answers", "")),
        turn=None,
        ended_turn=TurnId(str(meta.get("ended", ""))),
        is_answer=bool(meta.get("answer")),
    )
