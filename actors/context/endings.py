"""Endings of turns that do not run: stopped or left before their time came, cut short by a crash, or given up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from actors.context.deliveries import Deliveries
from actors.context.host import WindowHost
from actors.context.log.journal import Journal
from actors.context.news import News
from actors.context.presence import Presence
from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from domain.log.off_record import OVER, InterruptedTurn
from domain.turn.call_result import INTERRUPTED, KILLED, NOT_RUN_ABORTED
from domain.turn.conversation import Conversation
from domain.turn.debt import LOST, Debt, carried_meta
from domain.turn.turn import Turn, TurnState
from messages.base import EventId, TurnId
from messages.discord import ReactionKind


class Endings:
    """Writer of the last events of turns that the driver does not run."""

    def __init__(self, host: WindowHost, *, presence: Presence, news: News, deliveries: Deliveries) -> None:
        self._host = host
        self._presence = presence
        self._news = news
        self._deliveries = deliveries

    def take_up(self, begun: TurnId | None, *, may_wait: bool) -> list[TurnId]:
        """Take up turns without an ending; the turn that was begun is noted as resumed, or given up the second time.

        Calls of the turns are answered, and not run again.

        Args:
            begun: Turn in hand at the interruption, empty for no turn; None for the oldest, after an earlier life.
            may_wait: True if the calls may still wait for a person's approval; then they stay, after one interruption.

        Returns:
            Turns to be answered, the oldest first.

        Raises:
            LogUnwritable: as the journal.
        """
        turns = {turn.id: turn for turn in self._host.conversation.open_turns()}
        for turn in turns.values():
            if not may_wait or turn.was_resumed:
                self._interrupt(turn)
        first = turns.get(next(iter(turns), TurnId("")) if begun is None else begun)
        if first is not None and first.was_resumed:
            self._give_up(turns.pop(first.id))
        elif first is not None:
            resumed: dict[str, MetaValue] = {"turn": first.id, "what": "resumed"}
            self._host.record(Kind.SYSTEM, "picked up after an interruption", resumed, sync=True)
        return list(turns)

    def _interrupt(self, turn: Turn) -> None:
        for call_id in tuple(turn.unanswered_calls):
            meta = _result_meta(turn, call_id, "interrupted")
            self._host.record(Kind.TOOL_RESULT, INTERRUPTED, meta, sync=False)

    def _give_up(self, turn: Turn) -> None:
        """Close a turn that was interrupted again after its resumption."""
        notice = "I was interrupted twice while answering this, so I stopped trying. Please ask again."
        meta: dict[str, MetaValue] = {"turn": turn.id, "what": "failed", "notice": True}
        logged = self._host.record(Kind.SYSTEM, notice, meta, sync=True)
        self._deliveries.begin(logged.id)
        self._presence.react([turn.message_id, *turn.joined], ReactionKind.FAILED)
        self._news.turn_ended(turn.id, "failed", turn.audience, [logged])

    def leave_unanswered(self, turn_ids: Iterable[TurnId], reason: str) -> None:
        """Close turns that have not begun.

        Raises:
            LogUnwritable: as the journal.
        """
        for turn_id in turn_ids:
            self._abort(self._host.conversation.turn(turn_id), f"unanswered: {reason}")

    def drop_words(self, event_ids: Collection[EventId]) -> None:
        """Deliver no text of forgotten events, and tell no subscriber of forgotten questions."""
        self._news.drop(event_ids)
        self._deliveries.drop(event_ids)

    def tell_again(self, journal: Journal, begun: TurnId | None) -> None:
        """Tell subscribers of ends and retractions that they may have missed, through a kill or the loss of the log.

        Args:
            journal: Journal of the window, just opened.
            begun: Turn in hand at the loss of the log, empty for no turn; None in a new life, whose subscribers are
                told again of every end that people may not have seen.
        """
        for turn, events in journal.turn_events.take_ends(self._host.conversation):
            if turn.id == begun or (begun is None and turn.state is not TurnState.ABORTED):
                self._news.turn_ended(turn.id, turn.state.value, turn.audience, events)
        if retractions := journal.turn_events.retractions:
            self._news.events_logged(retractions, "")

    def finish_stopped(self) -> None:
        """Log the last events of stopped turns, left unfinished by an earlier life or by the loss of the log.

        A turn whose last event turns out to be in the log ends for people as well.

        Raises:
            LogUnwritable: as the journal.
        """
        conversation, dropped = self._host.conversation, self._presence.dropped
        ended = [each for each in conversation.turns if each.id == dropped and each.state is TurnState.ABORTED]
        for turn in conversation.stopped_turns():
            reason = turn.stop_reason
            for text, meta in _stopped_calls(turn):
                self._host.record(Kind.TOOL_RESULT, text, meta, sync=False)
            self._presence.end_earlier(turn, reason)
            self._abort(turn, reason if turn.steps else f"unanswered: {reason}")
            ended = [each for each in ended if each is not turn]
        for turn in ended:
            self._presence.end_earlier(turn, "stopped")
            self._presence.react([turn.message_id, *turn.joined], ReactionKind.FAILED)
        self._presence.dropped = TurnId("")

    def pay_debts(self, turns: Iterable[InterruptedTurn]) -> None:
        """Show all undelivered texts of an earlier life, and a notice for each answer whose words are lost.

        An answer already shown counts as its notice.

        Raises:
            LogUnwritable: as the journal.
        """
        for turn in turns:
            debt = Debt(
                event_id=EventId(turn.text_id),
                text=LOST,
                at=self._host.now(),
                answers_message_id=turn.message_id,
                turn=None,
                ended_turn=turn.turn_id,
            )
            self._host.record(Kind.SYSTEM, LOST, carried_meta(debt), sync=False)
            self._host.record(Kind.SYSTEM, "", {"what": OVER, "turn": turn.turn_id, "open": 1}, sync=True)
            self._presence.react([turn.message_id], ReactionKind.FAILED)
        self._deliveries.begin_all()

    def end_off_record(self, journal: Journal) -> None:
        """Forget finished off-record turns, and note their end in the log.

        Raises:
            LogUnwritable: as the journal.
        """
        conversation, off_record = self._host.conversation, journal.off_record
        owed = {debt.event_id for debt in conversation.debts()}
        for turn_id in off_record.over(conversation.unfinished_turns(), owed):
            conversation.drop(turn_id)
            if meta := off_record.end(turn_id):
                self._host.record(Kind.SYSTEM, "", {**meta, "open": conversation.open_count}, sync=True)

    def last_words(self, before: Conversation) -> list[Event]:
        """Last events for a window's superseded log, for turns not ended there; the turns end for people as well."""
        events = []
        for turn in (*before.stopped_turns(), *before.open_turns()):
            reason = turn.stop_reason or "a new window was started"
            self._presence.end_earlier(turn, reason)
            self._presence.react([turn.message_id, *turn.joined], ReactionKind.FAILED)
            results = [(Kind.TOOL_RESULT, text, meta) for text, meta in _stopped_calls(turn)]
            ending: dict[str, MetaValue] = {"turn": turn.id, "what": "aborted"}
            for kind, text, meta in (*results, (Kind.SYSTEM, reason, ending)):
                events.append(event(self._host.new_id(), self._host.now(), kind, text, meta))
        return events

    def _abort(self, turn: Turn, reason: str) -> None:
        meta: dict[str, MetaValue] = {"turn": turn.id, "what": "aborted"}
        logged = self._host.record(Kind.SYSTEM, reason, meta, sync=True)
        self._presence.react([turn.message_id, *turn.joined], ReactionKind.FAILED)
        self._news.turn_ended(turn.id, "aborted", turn.audience, [logged])


def _stopped_calls(turn: Turn) -> Iterator[tuple[str, dict[str, MetaValue]]]:
    """Results, with metadata, for the calls of a stopped turn: the first call was running."""
    for number, call_id in enumerate(tuple(turn.unanswered_calls)):
        text, outcome = (NOT_RUN_ABORTED, "not-run") if number else (KILLED, "aborted")
        yield text, _result_meta(turn, call_id, outcome)


def _result_meta(turn: Turn, call_id: str, outcome: str) -> dict[str, MetaValue]:
    tool = turn.unanswered_calls[call_id].name
    return {"turn": turn.id, "call_id": call_id, "tool": tool, "error": True, "outcome": outcome}
