"""What a log means: its turns, what the model has been shown of them, and what is still owed to people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from domain.log_event import Event, Kind
from domain.prompt import defuse, prompt_header, with_block
from domain.seen import Seen
from messages.base import EventId, TurnId
from messages.model import ChatMessage, Role, ToolCall

CHARS_PER_TOKEN = 4
KEEP_SHARE = 0.75
"""Share of the limit that is left after trimming, so that the request's prefix changes once in many turns."""


class TurnState(StrEnum):
    """How far a turn has come; all but `open` are final."""

    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"
    ABORTED = "aborted"


@dataclass(slots=True)
class Turn:
    """One message of a person and everything that was done to answer it."""

    id: TurnId
    message_id: str
    author_id: str
    author: str
    text: str
    at: datetime
    prompt: str
    """The text as the model is shown it, with its header and without an injected block."""
    steps: list[ChatMessage] = field(default_factory=list)
    """What came after the prompt, in the model's own form."""
    unanswered_calls: dict[str, ToolCall] = field(default_factory=dict)
    state: TurnState = TurnState.OPEN
    rounds: int = 0
    """Times that the model asked for tools."""
    was_resumed: bool = False
    size_chars: int = 0

    def add_step(self, step: ChatMessage) -> None:
        """Append to what the model will be shown."""
        self.steps.append(step)
        self.size_chars += len(step.text) + sum(len(call.arguments_json) for call in step.tool_calls)

    def messages(self, block: str = "") -> Iterable[ChatMessage]:
        """The turn as the model is shown it."""
        yield ChatMessage(role=Role.USER, text=with_block(block, self.prompt))
        yield from self.steps


@dataclass(frozen=True, slots=True)
class Debt:
    """A text that was logged to be shown and is not known to have been shown."""

    event_id: EventId
    text: str
    at: datetime
    answers_message_id: str


class Conversation:
    """The fold of a window's events. The same events give the same conversation, in one go or one by one."""

    def __init__(self, max_history_tokens: int) -> None:
        """An empty conversation.

        Args:
            max_history_tokens: Bound on what a request holds besides its newest turn, by the 4-characters rule.
        """
        self._limit_chars = max_history_tokens * CHARS_PER_TOKEN
        self._turns: dict[TurnId, Turn] = {}
        self._debts: dict[EventId, Debt] = {}
        self._sized: set[TurnId] = set()
        self.seen = Seen()

    def add(self, event: Event) -> None:
        """Take in the next event of the log; kinds that say nothing to the model change nothing."""
        meta = event.meta_dict()
        turn = self._turns.get(TurnId(str(meta.get("turn", ""))))
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
                self._debts.pop(EventId(str(meta.get("event", ""))), None)
            case Kind.PIN:
                return

    def open_turns(self) -> list[Turn]:
        """Turns without an ending, oldest first."""
        return [turn for turn in self._turns.values() if turn.state is TurnState.OPEN]

    def debts(self) -> list[Debt]:
        """Texts that are owed to people, oldest first."""
        return list(self._debts.values())

    def turn(self, turn_id: TurnId) -> Turn:
        """The turn of that id.

        Raises:
            KeyError: there is none, or it was trimmed.
        """
        return self._turns[turn_id]

    def request(self, turn_id: TurnId, block: str = "") -> tuple[ChatMessage, ...]:
        """What the model is shown for `turn_id`: earlier turns that fit, then this one with its block.

        Oldest whole turns are left out, as one batch each time the limit is passed; a turn that is left out stays so.
        """
        self._trim(turn_id)
        shown: list[ChatMessage] = []
        for turn in self._turns.values():
            if turn.id == turn_id:
                shown.extend(turn.messages(block))
                break
            shown.extend(turn.messages())
        return tuple(shown)

    def visible(self, turn_id: TurnId) -> tuple[EventId, ...]:
        """Ids of the user events that a request for `turn_id` shows word for word."""
        self._trim(turn_id)
        return tuple(EventId(turn) for turn in self._turns)

    def _trim(self, newest: TurnId) -> None:
        """Forget old turns, looking at each turn once, when its first request is made.

        Sizes are those that earlier turns ended with, so a conversation rebuilt from its log forgets the same ones.
        """
        for turn_id in list(self._turns):
            if turn_id not in self._sized:
                self._sized.add(turn_id)
                self._forget_before(turn_id)
            if turn_id == newest:
                return

    def _forget_before(self, turn_id: TurnId) -> None:
        older: list[Turn] = []
        for turn in self._turns.values():
            if turn.id == turn_id:
                break
            older.append(turn)
        total = sum(turn.size_chars for turn in older) + len(self._turns[turn_id].prompt)
        if total <= self._limit_chars:
            return
        for turn in older:
            if total <= self._limit_chars * KEEP_SHARE or turn.state is TurnState.OPEN:
                return
            total -= turn.size_chars
            del self._turns[turn.id]
            self._sized.discard(turn.id)

    def _add_user(self, event: Event, meta: dict[str, Any]) -> None:
        author = str(meta.get("author", ""))
        message_id = str(meta.get("message_id", ""))
        if message_id.isdecimal():
            self.seen.add(message_id)
        prompt = f"{prompt_header(author, event.at)}\n{defuse(event.content)}{_attachments(meta)}"
        self._turns[TurnId(event.id)] = Turn(
            id=TurnId(event.id),
            message_id=message_id,
            author_id=str(meta.get("author_id", "")),
            author=author,
            text=event.content,
            at=event.at,
            prompt=prompt,
            size_chars=len(prompt),
        )

    def _add_agent(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        final = bool(meta.get("final", True))
        if final:
            self._owe(event, turn)
        if turn is None:
            return
        turn.add_step(ChatMessage(role=Role.ASSISTANT, text=event.content))
        if final:
            turn.state = TurnState.ANSWERED
        else:
            turn.rounds += 1

    def _add_call(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        """A call joins the assistant message that asked for it, which an agent event opened before."""
        if turn is None or not turn.steps:
            return
        call = ToolCall(id=str(meta.get("call_id", "")), name=str(meta.get("tool", "")), arguments_json=event.content)
        last = turn.steps.pop()
        turn.steps.append(msgspec.structs.replace(last, tool_calls=(*last.tool_calls, call)))
        turn.size_chars += len(call.arguments_json)
        turn.unanswered_calls[call.id] = call

    def _add_result(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        if turn is None:
            return
        call_id = str(meta.get("call_id", ""))
        turn.unanswered_calls.pop(call_id, None)
        turn.add_step(ChatMessage(role=Role.TOOL, text=event.content, tool_call_id=call_id))

    def _add_system(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        if meta.get("notice"):
            self._owe(event, turn)
        if turn is None:
            return
        match meta.get("what"):
            case "resumed":
                turn.was_resumed = True
            case "failed" | "aborted" as ending:
                turn.state = TurnState(str(ending))
                turn.add_step(ChatMessage(role=Role.ASSISTANT, text=f"(no answer was given: {event.content})"))
            case _:
                return

    def _owe(self, event: Event, turn: Turn | None) -> None:
        self._debts[event.id] = Debt(
            event_id=event.id, text=event.content, at=event.at, answers_message_id=turn.message_id if turn else ""
        )


def _attachments(meta: dict[str, Any]) -> str:
    """Lines that name the files that came with a message."""
    files = meta.get("attachments") or ()
    return "".join(f"\n[attachment: {file['filename']}, {file['size']} bytes, {file['url']}]" for file in files)


def rebuilt(events: Iterable[Event], max_history_tokens: int) -> Conversation:
    """The conversation that `events` of one log make."""
    conversation = Conversation(max_history_tokens)
    for event in events:
        conversation.add(event)
    return conversation
