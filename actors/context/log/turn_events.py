"""Logged events of turns, as subscribers are told: of unfinished turns, and of turns whose end may be unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from actors.context.user_event import news_of
from domain.log.event import Kind
from domain.log.parser import ParsedEvent
from domain.log.redaction import tombstones_in
from domain.turn.conversation import Conversation
from domain.turn.turn import Turn, TurnState
from messages.base import EventId, TurnId
from messages.turn import LoggedEvent

_OWN_KINDS = (Kind.AGENT, Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.SYSTEM)
"""Kinds of events that name their turn."""
MOST_LAST = 50
"""Number of last events of a log among which retractions may be unknown to subscribers."""
_NO_TURN = TurnId("")
_ENDS = (TurnState.ANSWERED, TurnState.FAILED, TurnState.ABORTED)


class TurnEvents:
    """Events of some turns of a log, read at the log's opening; without retracted messages."""

    def __init__(self) -> None:
        """Begin without events."""
        self._events: dict[TurnId, list[LoggedEvent]] = {}
        self.retractions: tuple[LoggedEvent, ...] = ()
        """Retractions among the last events of the log."""

    def read(self, conversation: Conversation, logged: Sequence[ParsedEvent], path: str) -> None:
        """Find the events of turns without an ending, and of turns whose end was hardly known to anybody.

        Args:
            conversation: Conversation as of the log.
            logged: Events of the log.
            path: Path of the log below the data root.
        """
        last = logged[-MOST_LAST:]
        self.retractions = tuple(news_of(each.event, path, each.line) for each in last if _is_retraction(each))
        ends = _list_barely_ended(conversation)
        turns, ended = [*conversation.open_turns(), *ends], {turn.id for turn in ends}
        self._events = {turn.id: [] for turn in turns}
        if not turns:
            return
        turn_of = {name: turn.id for turn in turns for name in (EventId(turn.id), *turn.event_ids)}
        gone = {each.event_id for each in tombstones_in(each.event for each in logged) if not each.is_quote}
        for each in logged:
            event = each.event
            if event.kind is Kind.USER:
                turn_id = turn_of.get(event.id, _NO_TURN)
            elif ended and event.kind in _OWN_KINDS:
                turn_id = TurnId(str(event.meta_dict().get("turn", "")))
                turn_id = turn_id if turn_id in ended else _NO_TURN
            else:
                continue
            if turn_id in self._events and event.id not in gone:
                self._events[turn_id].append(news_of(event, path, each.line))

    def questions(self, conversation: Conversation) -> Iterator[tuple[TurnId, tuple[LoggedEvent, ...]]]:
        """People's words of each turn without an ending."""
        for turn in conversation.open_turns():
            if words := self._events.get(turn.id):
                yield turn.id, tuple(words)

    def take_ends(self, conversation: Conversation) -> Iterator[tuple[Turn, list[LoggedEvent]]]:
        """Turns whose end was hardly known to anybody at the log's opening, each once, with their events."""
        for turn in conversation.readable:
            if turn.state is not TurnState.OPEN and (events := self._events.pop(turn.id, None)):
                yield turn, events


def _is_retraction(logged: ParsedEvent) -> bool:
    return logged.event.kind is Kind.TOMBSTONE


def _list_barely_ended(conversation: Conversation) -> list[Turn]:
    """Turns with an end that is owed to people, and a last turn that was stopped, whose end owes no words."""
    owed = {debt.ended_turn for debt in conversation.debts()}
    ended = [turn for turn in conversation.readable if turn.state in _ENDS and not turn.stop_reason]
    return [
        turn
        for turn in ended
        if turn.id in owed or (turn is conversation.turns[-1] and turn.state is TurnState.ABORTED)
    ]
