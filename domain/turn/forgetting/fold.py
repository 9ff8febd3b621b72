"""Fold of forgotten records: a message stays seen, an answer stays given, a stop stays a stop; no words are left."""

from __future__ import annotations

from domain.log.event import Event, Kind
from domain.log.forgotten import Forgotten
from domain.log.metadata import meta_dict
from domain.log.off_record import message_number
from domain.log.parser import ParsedEvent, ParsedLog
from domain.turn.conversation import Conversation
from domain.turn.posting import POSTED
from domain.turn.prompt import no_answer
from domain.turn.turn import Turn, TurnState
from messages.base import TurnId
from messages.model import ChatMessage, Role

FORGOTTEN = "(forgotten: these words were taken out of the log)"
"""Substitute for the forgotten words of a turn whose question still exists."""


def fold_log(conversation: Conversation, log: ParsedLog) -> Conversation:
    """Conversation after taking in a log's events and forgotten records, in order."""
    records: list[ParsedEvent | Forgotten] = [*log.events, *log.forgotten]
    for each in sorted(records, key=lambda record: record.offset):
        if isinstance(each, ParsedEvent):
            conversation.add(each.event)
            _end_joined(conversation, each.event)
        elif not each.is_quote:
            _fold(conversation, each)
    return conversation


def _end_joined(conversation: Conversation, event: Event) -> None:
    """Expect no answer to a message that joined a turn whose question is forgotten."""
    meta = event.meta_dict() if event.kind is Kind.SYSTEM else {}
    if meta.get("what") == "joined" and _turn(conversation, str(meta.get("turn", ""))) is None:
        joined = _turn(conversation, str(meta.get("message", "")))
        if joined is not None:
            joined.state = TurnState.OVERHEARD


def message_id_of(forgotten: Forgotten) -> str:
    """Message of a forgotten record; empty without a message."""
    return message_number(forgotten.kind, forgotten.meta_json)


def _fold(conversation: Conversation, forgotten: Forgotten) -> None:
    if message_id := message_id_of(forgotten):
        conversation.seen.add(message_id)
    meta = meta_dict(forgotten.meta_json)
    if meta.get("what") == POSTED:
        conversation.note_shown(meta)
    stops = meta.get("stops")
    for stopped in map(str, stops if isinstance(stops, list) else ()):
        turn = _turn(conversation, stopped)
        if turn is not None and turn.state is TurnState.OPEN:
            turn.state, turn.stop_reason = TurnState.ABORTED, FORGOTTEN
    turn, what = _turn(conversation, str(meta.get("turn", ""))), meta.get("what")
    if turn is None:
        return
    if forgotten.kind is Kind.AGENT and meta.get("final", True):
        turn.say(forgotten.id, ChatMessage(role=Role.ASSISTANT, text=FORGOTTEN))
        turn.state = TurnState.ANSWERED
    elif forgotten.kind is Kind.SYSTEM and what in (TurnState.FAILED, TurnState.ABORTED):
        turn.state, turn.stop_reason = TurnState(what), ""
        turn.add_step(ChatMessage(role=Role.ASSISTANT, text=no_answer(str(what), FORGOTTEN)))


def _turn(conversation: Conversation, turn_id: str) -> Turn | None:
    try:
        return conversation.turn(TurnId(turn_id))
    except KeyError:
        return None
