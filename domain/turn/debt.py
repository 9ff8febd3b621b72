"""Debt: a text that was logged to be shown and is not known to have been shown; it outlives the log that has it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from domain.log.event import Event, Kind
from domain.log.metadata import MetaValue
from domain.log.redaction import OWED
from domain.turn.turn import Turn
from messages.base import EventId, TurnId


@dataclass(frozen=True, slots=True)
class Debt:
    """A text that was logged to be shown and is not known to have been shown."""

    event_id: EventId
    """Of the event that owed it first, whichever log that stands in; marks the message, so that it is shown once."""
    text: str
    at: datetime
    answers_message_id: str
    turn: Turn | None
    """The turn that it came of, as far as the present log has it."""
    ended_turn: TurnId
    """The turn that the text ends; empty for none."""
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
    """The metadata of the event that carries a debt over; its content is the text."""
    return {
        "what": OWED,
        "event": debt.event_id,
        "answers": debt.answers_message_id,
        "ended": debt.ended_turn,
        "answer": debt.is_answer,
        "since": debt.at.isoformat(),
    }


def carried_debt(event: Event, meta: dict[str, MetaValue]) -> Debt:
    """The debt that an event carried over."""
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
