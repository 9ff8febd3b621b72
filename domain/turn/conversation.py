"""Fold of a log into a conversation: the turns, the part shown to the model, and the texts still owed to people."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Any

import msgspec

from domain.log.event import Event, Kind
from domain.log.off_record import MESSAGE_KEY, OFF_RECORD
from domain.log.redaction import (
    DELETED,
    DELETION_DEFERRED,
    EDIT_DEFERRED,
    EDITED,
    LOOKED_THROUGH,
    OWED,
    Tombstone,
    tombstone_of,
)
from domain.log.usage import usage_of
from domain.text.answer.ending import with_note
from domain.text.token_estimate import CHARS_PER_TOKEN, weighed_chars
from domain.turn.attachments import first_shown
from domain.turn.bash_tool import shown_arguments
from domain.turn.call_result import is_overgrown, shorten
from domain.turn.compaction import CUT, Compaction
from domain.turn.debt import Debt, carried_debt, owed
from domain.turn.opening import opening
from domain.turn.posting import POSTED
from domain.turn.prompt import no_answer, with_block
from domain.turn.seen import SeenMessages
from domain.turn.speaker import Speakers, shown_name
from domain.turn.turn import Aside, Turn, TurnState
from domain.turn.web_address import SeenAddresses
from domain.turn.worded import AS_LOGGED, Worded, call_shown
from domain.turn.wording import typed_words
from messages.base import EventId, MessageId, TurnId
from messages.model import ChatMessage, Role, ToolCall, Usage
from messages.turn import TurnShown

SHOWN_KEPT = 200
"""Messages of the agent to remember, so a message is not taken for another text with the same words."""
FORGET_EVERY = 256
"""Default of `Conversation.forget_every`."""


class Conversation:
    """The fold of a window's events. The same events give the same conversation, at once or event by event."""

    def __init__(
        self,
        max_history_tokens: int,
        counted_result_chars: int | None = None,
        *,
        awaits_cuts: bool = False,
        forget_every: int = FORGET_EVERY,
    ) -> None:
        """Begin with an empty conversation.

        Args:
            max_history_tokens: Bound on a request's content besides the newest turn, by the weight of the texts.
            counted_result_chars: Largest counted size of a result worded by another part; None without such a part.
            awaits_cuts: True if another part prepares each cut of the history.
            forget_every: Overheard messages after which old turns are forgotten although no request is made.
        """
        self._counted_result_chars = counted_result_chars
        self.make_empty = partial(Conversation, max_history_tokens, counted_result_chars, awaits_cuts=awaits_cuts)
        """Makes an empty conversation with the same bounds."""
        self.limit_chars = max_history_tokens * CHARS_PER_TOKEN
        """Bound on a request's content besides the newest turn."""
        self._turns: dict[TurnId, Turn] = {}
        self._debts: dict[EventId, Debt] = {}
        self._shown_ids: list[MessageId] = []
        """Messages that show texts no longer owed, the newest last."""
        self.compaction = Compaction(self._turns, self.limit_chars, awaits_cuts=awaits_cuts)
        self._images, self._overheard, self._forget_every = 0, 0, forget_every
        self._speakers = Speakers()
        self.seen = SeenMessages()
        self.pending: dict[str, str] = {}
        """Message whose words are still to be taken back -> `deleted` or `edited`; no request shows the message."""
        self.withdrawals = 0
        """Number of withdrawals of words, and of announcements of withdrawals."""
        self.addresses = SeenAddresses()
        """Web addresses written by people and not taken back."""
        self.model = ""
        """Model that a user chose; empty for the usual model."""
        self.tables: tuple[str, ...] = ()
        """Ids of the settings' channel tables in force for the newest message, the nearest first."""
        self.turns_asked = 0
        self.used = Usage()
        """Usage of all calls, as reported by providers."""

    def add(self, event: Event) -> None:
        """Take in the next event of the log; kinds without meaning for the model change nothing."""
        meta = event.meta_dict()
        turn = self._turns.get(TurnId(str(meta.get("turn", ""))))
        self.used += usage_of(meta)
        match event.kind:
            case Kind.USER:
                self._add_user(event, meta)
            case Kind.AGENT:
                self._add_agent(event, meta, turn)
            case Kind.TOOL_CALL:
                self._add_call(event, meta, turn)
            case Kind.TOOL_RESULT:
                self._add_result(event, meta, turn)
            case Kind.SYSTEM:
                self._add_system(event, meta, turn)
            case Kind.DELIVERY:
                self._add_delivery(meta)
            case Kind.TOMBSTONE:
                self._take_back(tombstone_of(meta))
            case Kind.PIN:
                return
        if turn is not None and turn.state is TurnState.OPEN and self._counted_result_chars is None:
            shorten(turn, self.limit_chars)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The remembered turns, the oldest first."""
        return tuple(self._turns.values())

    @property
    def readable(self) -> tuple[Turn, ...]:
        """Turns that neither have nor quote a message to be taken back."""
        withheld = self._withheld()
        return tuple(turn for turn in self._turns.values() if turn.id not in withheld and not turn.is_off_record)

    def open_turns(self) -> list[Turn]:
        """Turns without an ending, oldest first."""
        return [turn for turn in self._turns.values() if turn.state is TurnState.OPEN]

    def stopped_turns(self) -> list[Turn]:
        """Stopped turns without their last events in the log, the oldest first."""
        return [turn for turn in self._turns.values() if turn.stop_reason]

    def debts(self) -> list[Debt]:
        """Texts owed to people, the oldest first."""
        return list(self._debts.values())

    def unfinished_turns(self) -> tuple[TurnId, ...]:
        """Turns without an ending, or with an ending still owed to people."""
        ended = (debt.ended_turn for debt in self._debts.values() if debt.ended_turn)
        return tuple(dict.fromkeys((*(turn.id for turn in (*self.open_turns(), *self.stopped_turns())), *ended)))

    @property
    def open_count(self) -> int:
        """Number of open items: turns without an ending or their last events, and undelivered texts."""
        return len(self.open_turns()) + len(self.stopped_turns()) + len(self._debts)

    def shown_after(self, message_id: str) -> tuple[MessageId, ...]:
        """Messages newer than `message_id`, or all without an id, known to show texts; the newest 200 at most."""
        after = int(message_id) if message_id.isdecimal() else 0
        return tuple(each for each in self._shown_ids if int(each) > after)

    def has_shown(self, message_ids: Iterable[str]) -> bool:
        """True if any given message is among the newest 200 known to show texts."""
        return any(message_id in self._shown_ids for message_id in message_ids)

    def turn(self, turn_id: TurnId) -> Turn:
        """The turn with an id.

        Raises:
            KeyError: the turn is unknown, or was forgotten.
        """
        return self._turns[turn_id]

    def request(
        self,
        turn_id: TurnId,
        block: str = "",
        asides: Iterable[Aside] = (),
        worded: Worded = AS_LOGGED,
        head: str = "",
    ) -> tuple[ChatMessage, ...]:
        """Messages of a request for `turn_id`: `head`, earlier turns that fit, this turn with its block and asides.

        Oldest whole turns are left out, as one batch each time the limit is passed; an omitted turn stays omitted.
        """
        newest = self._turns[turn_id]
        images_from = first_shown(newest.images_before + len(newest.images))
        messages: list[ChatMessage] = []
        for turn in self.request_turns(turn_id):
            is_newest = turn is newest
            messages.extend(turn.messages(block if is_newest else "", asides if is_newest else (), images_from, worded))
        messages[0] = msgspec.structs.replace(messages[0], text=with_block(head, messages[0].text))
        return tuple(messages)

    def request_turns(self, turn_id: TurnId) -> list[Turn]:
        """The turns that a request for `turn_id` shows, this turn last; a turn off the record stands alone."""
        if self._turns[turn_id].is_off_record:
            return [self._turns[turn_id]]
        self.compaction.forget_old(turn_id)
        withheld = self._withheld()
        turns: list[Turn] = []
        for turn in self.compaction.in_requests():
            if turn.id == turn_id:
                return [*turns, turn]
            if turn.id not in withheld:
                turns.append(turn)
        return turns

    def drop(self, turn_id: TurnId) -> None:
        """Forget a turn off the record, and the addresses in its messages."""
        if (turn := self._turns.pop(turn_id, None)) is not None:
            self.addresses.forget(turn.message_ids)

    def calls(self, turn_id: TurnId | None = None) -> tuple[TurnShown, ...]:
        """Turns taken up by the agent, with their calls: the turns in a request for `turn_id`, or all readable ones."""
        turns = self.readable if turn_id is None else self.request_turns(turn_id)
        return tuple(turn.as_shown for turn in turns if turn.state is not TurnState.OVERHEARD)

    def is_overgrown(self, turn_id: TurnId, joining: TurnId | None = None) -> bool:
        """True if a turn exceeds the bound of a request, or would with the message `joining`."""
        further = self._turns[joining].prompt_chars if joining is not None else 0
        return is_overgrown(self._turns[turn_id], self.limit_chars - further)

    def _withheld(self) -> set[TurnId]:
        """Turns that have or quote a message to be taken back."""
        gone = self.pending.keys()
        if not gone:
            return set()
        return {turn.id for turn in self._turns.values() if not gone.isdisjoint((*turn.message_ids, *turn.quoted_ids))}

    def visible(self, turn_id: TurnId) -> tuple[EventId, ...]:
        """Ids of the user and agent events that a request for `turn_id` shows word for word."""
        self.compaction.forget_old(turn_id)
        return tuple(chain.from_iterable((EventId(each.id), *each.event_ids) for each in self.compaction.in_requests()))

    def shows(self, message_id: str) -> bool:
        """True if a Discord message is part of the beginning of later requests, as far as can be said now."""
        for newest in self._turns.values():
            if newest.state is TurnState.OPEN or newest.id == next(reversed(self._turns)):
                self.compaction.forget_old(newest.id)  # All before have ended.
                break
        return any(message_id in turn.message_ids for turn in self.compaction.in_requests())

    def _add_user(self, event: Event, meta: dict[str, Any]) -> None:
        message_id = str(meta.get("message_id", ""))
        if message_id.isdecimal():
            self.seen.add(message_id)
        self.addresses.add_from(typed_words(event.content, meta.get("typed")), message_id)
        opened = opening(event, meta, self._speakers, self._images)
        self._turns[TurnId(event.id)] = opened
        self.tables = opened.tables
        self._images += len(opened.images)
        self.compaction.bound()
        if opened.state is not TurnState.OVERHEARD:
            self.turns_asked += 1
            return
        self._stop(meta, f"stopped by {shown_name(str(meta.get('author', '')))}")
        if refusal := str(meta.get("refusal", "")):
            self._owe(owed(event, refusal, opened, ends_turn=False))
        self._overheard += 1
        if self._overheard % self._forget_every == 0:
            self.compaction.forget_old(TurnId(event.id))

    def _add_agent(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        final = bool(meta.get("final", True))
        if final:
            self._owe(owed(event, with_note(event.content, meta.get("stop")), turn, ends_turn=True))
        if turn is None:
            return
        turn.say(event.id, ChatMessage(role=Role.ASSISTANT, text=event.content))
        if final:
            turn.state = TurnState.ANSWERED
        else:
            turn.rounds += 1

    def _add_call(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        """Add a call to the assistant message that asked for the call, opened before by an agent event."""
        if turn is None or not turn.steps:
            return
        arguments = shown_arguments(event.content)
        call = ToolCall(id=str(meta.get("call_id", "")), name=str(meta.get("tool", "")), arguments_json=arguments)
        last = turn.steps.pop()
        turn.steps.append(msgspec.structs.replace(last, tool_calls=(*last.tool_calls, call)))
        turn.size_chars += weighed_chars(call.arguments_json)
        turn.unanswered_calls[call.id] = call
        turn.calls += 1
        turn.asked_at = event.at

    def _add_result(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        if turn is None:
            return
        call = turn.unanswered_calls.pop(str(meta.get("call_id", "")), None)
        if self._counted_result_chars is not None:
            turn.add_result(call_shown(event, meta, call, turn.asked_at), self._counted_result_chars)
            return
        where = str(meta.get("full_output", "")) or f"the record {event.id} in this conversation's newest log"
        turn.whole_results[len(turn.steps)] = where
        turn.add_step(ChatMessage(role=Role.TOOL, text=event.content, tool_call_id=str(meta.get("call_id", ""))))

    def _add_system(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        what = meta.get("what")
        if meta.get("notice"):
            self._owe(owed(event, event.content, turn, ends_turn=what == "failed"))
        if what == POSTED:
            self.note_shown(meta)
        if what == OWED:
            self._owe(carried_debt(event, meta))
            self.note_shown({"message_ids": meta.get("others")})
        if what == OFF_RECORD and (message_id := str(meta.get(MESSAGE_KEY, ""))).isdecimal():
            self.seen.add(message_id)
        if what == "model":
            self.model = str(meta.get("model", ""))
        if what == CUT:
            self.compaction.cut(TurnId(str(meta.get("first_kept", ""))))
        self._stop(meta, event.content)
        self._defer(what, meta)
        if turn is None:
            return
        if what == "resumed":
            turn.was_resumed = True
        elif what == "joined":
            self._join(turn, TurnId(str(meta.get("message", ""))))
        elif what in ("failed", "aborted"):
            ending = str(what)
            turn.state = TurnState(ending)
            turn.stop_reason = ""
            turn.add_step(ChatMessage(role=Role.ASSISTANT, text=no_answer(ending, event.content)))

    def _stop(self, meta: dict[str, Any], reason: str) -> None:
        """End the turns stopped by an event at once; their own last events follow."""
        for turn_id in meta.get("stops") or ():
            turn = self._turns.get(TurnId(str(turn_id)))
            if turn is not None and turn.state is TurnState.OPEN:
                turn.state, turn.stop_reason = TurnState.ABORTED, reason

    def _defer(self, what: object, meta: dict[str, Any]) -> None:
        """Note the messages to be taken back, or drop messages that the log has been searched for."""
        self.withdrawals += what in (EDIT_DEFERRED, DELETION_DEFERRED)
        if what == EDIT_DEFERRED:
            self.pending.setdefault(str(meta.get("message_id", "")), EDITED)
        elif what == DELETION_DEFERRED:
            gone = dict.fromkeys(map(str, meta.get("message_ids") or ()), DELETED)
            self.pending |= gone
            self.addresses.forget(gone)
        elif what == LOOKED_THROUGH:
            for message_id in meta.get("message_ids") or ():
                self.pending.pop(str(message_id), None)

    def _join(self, turn: Turn, message: TurnId) -> None:
        """Make a waiting message part of the running turn."""
        joining = self._turns.pop(message, None)
        if joining is None:
            return
        self.compaction.forget(message)
        self.turns_asked -= 1
        turn.join(joining)

    def _take_back(self, tombstone: Tombstone | None) -> None:
        """Leave out a withdrawn message: with the message that opened a turn, the turn's whole content."""
        if tombstone is None:
            return
        self.withdrawals += 1
        if self.pending.get(tombstone.message_id) == EDITED:
            del self.pending[tombstone.message_id]
        if not tombstone.is_quote:
            self.addresses.forget((tombstone.message_id,))
        if not tombstone.is_quote and self._turns.pop(TurnId(tombstone.event_id), None) is not None:
            self.compaction.forget(TurnId(tombstone.event_id))
            return
        for turn in self._turns.values():
            if tombstone.is_quote:
                turn.take_back_quotation(tombstone.event_id)
            else:
                turn.take_back(tombstone.event_id)

    def _add_delivery(self, meta: dict[str, Any]) -> None:
        debt = self._debts.pop(EventId(str(meta.get("event", ""))), None)
        message_ids = self.note_shown(meta)
        if debt is not None and debt.turn is not None:
            debt.turn.message_ids.extend(message_ids)

    def note_shown(self, meta: dict[str, Any]) -> list[str]:
        """Remember the messages that an event reports as seen."""
        message_ids = [str(message_id) for message_id in meta.get("message_ids") or ()]
        self._shown_ids.extend(MessageId(message_id) for message_id in message_ids if message_id.isdecimal())
        del self._shown_ids[:-SHOWN_KEPT]
        return message_ids

    def _owe(self, debt: Debt) -> None:
        self._debts[debt.event_id] = debt


def rebuild(events: Iterable[Event], max_history_tokens: int, counted_result_chars: int | None = None) -> Conversation:
    """Conversation by the events of one log."""
    return fold_events(Conversation(max_history_tokens, counted_result_chars), events)


def fold_events(conversation: Conversation, events: Iterable[Event]) -> Conversation:
    """Conversation after taking in further `events`."""
    for event in events:
        conversation.add(event)
    return conversation
