"""Fold of a log into a conversation: its turns, what the model is shown of them, and what is still owed to people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Any

import msgspec

from domain.log.event import Event, Kind
from domain.turn.attachments import attachment_lines, first_shown, images_of
from domain.turn.prompt import defuse, prompt_header, quoted, with_block
from domain.turn.seen import SeenMessages
from messages.base import EventId, TurnId
from messages.model import ChatMessage, ImageFile, Role, ToolCall, Usage

CHARS_PER_TOKEN = 4
IMAGE_CHARS = 4_800
"""What an image counts as."""
KEEP_SHARE = 0.75
"""Share of the limit that is left after trimming, so that the request's prefix changes once in many turns."""
TRIM_EVERY = 256
"""Messages that are only overheard, after which old turns are forgotten though no request is made."""


class TurnState(StrEnum):
    """State of a turn; all but `open` are final."""

    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"
    ABORTED = "aborted"
    OVERHEARD = "overheard"
    """Nothing is to be done about it."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Messages that only this turn's requests carry; no log has them."""

    after_steps: int
    """How many of the turn's steps stand before them."""
    messages: tuple[ChatMessage, ...]


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
    audience: str = ""
    """Who could read the window then, as a label of `domain.policy.audience`."""
    event_ids: list[EventId] = field(default_factory=list)
    """Of the agent's events, and of messages that joined."""
    images: tuple[ImageFile, ...] = ()
    """What came with the message for a model to see."""
    images_before: int = 0
    """How many images the conversation had had before."""
    may_run: bool = True
    """Whether the model may run commands to answer it."""
    message_ids: list[str] = field(default_factory=list)
    """Of the messages that are part of it: what people said, and what they were shown in answer."""
    joined: list[str] = field(default_factory=list)
    """Of those, the messages that came while it ran."""

    def add_step(self, step: ChatMessage) -> None:
        """Append to what the model will be shown."""
        self.steps.append(step)
        self.size_chars += len(step.text) + sum(len(call.arguments_json) for call in step.tool_calls)

    def may_be_joined_by(self, other: Turn) -> bool:
        """Whether another's message can become part of this turn: it may do as much, and as many read the answer.

        One with images can't: they are counted by turns.
        """
        return self.may_run == other.may_run and self.audience == other.audience and not other.images

    def messages(self, block: str = "", asides: Iterable[Aside] = (), images_from: int = 0) -> Iterable[ChatMessage]:
        """The turn as the model is shown it, without images whose number in the conversation is below `images_from`."""
        images = self.images[max(0, images_from - self.images_before) :]
        yield ChatMessage(role=Role.USER, text=with_block(block, self.prompt), images=images)
        position = 0
        for aside in asides:
            yield from self.steps[position : aside.after_steps]
            yield from aside.messages
            position = aside.after_steps
        yield from self.steps[position:]


@dataclass(frozen=True, slots=True)
class Debt:
    """A text that was logged to be shown and is not known to have been shown."""

    event_id: EventId
    text: str
    at: datetime
    answers_message_id: str
    turn: Turn | None
    ends_turn: bool
    """Whether the text is the end of that turn."""


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
        self._images = 0
        self._overheard = 0
        self.seen = SeenMessages()
        self.model = ""
        """The model that somebody chose; empty for the usual one."""
        self.turns_asked = 0
        self.used = Usage()
        """What providers told of all calls."""

    def add(self, event: Event) -> None:
        """Take in the next event of the log; kinds that say nothing to the model change nothing."""
        meta = event.meta_dict()
        turn = self._turns.get(TurnId(str(meta.get("turn", ""))))
        self._count_usage(meta)
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

    def request(self, turn_id: TurnId, block: str = "", asides: Iterable[Aside] = ()) -> tuple[ChatMessage, ...]:
        """What the model is shown for `turn_id`: earlier turns that fit, then this one with its block and asides.

        Oldest whole turns are left out, as one batch each time the limit is passed; a turn that is left out stays so.
        """
        self._trim(turn_id)
        newest = self._turns[turn_id]
        images_from = first_shown(newest.images_before + len(newest.images))
        messages: list[ChatMessage] = []
        for turn in self._turns.values():
            if turn.id == turn_id:
                messages.extend(turn.messages(block, asides, images_from))
                break
            messages.extend(turn.messages(images_from=images_from))
        return tuple(messages)

    def visible(self, turn_id: TurnId) -> tuple[EventId, ...]:
        """Ids of the user and agent events that a request for `turn_id` shows word for word."""
        self._trim(turn_id)
        return tuple(chain.from_iterable((EventId(turn.id), *turn.event_ids) for turn in self._turns.values()))

    def shows(self, message_id: str) -> bool:
        """Whether a message of Discord's is part of what later requests begin with, as far as can be said now."""
        for newest in self._turns.values():
            if newest.state is TurnState.OPEN or newest.id == next(reversed(self._turns)):
                self._trim(newest.id)  # All before it have ended, so this forgets what its own request will, too.
                break
        return any(message_id in turn.message_ids for turn in self._turns.values())

    def _trim(self, newest: TurnId) -> None:
        """Forget old turns, looking at each turn once, when its first request is made.

        Sizes are those that earlier turns ended with, so a conversation rebuilt from its log forgets the same ones.
        """
        total = 0
        for turn in list(self._turns.values()):
            if turn.id not in self._sized:
                self._sized.add(turn.id)
                total = self._forget_before(turn, total)
            if turn.id == newest:
                return
            total += turn.size_chars

    def _forget_before(self, newest: Turn, total: int) -> int:
        """Forget turns before `newest` if they are too long; how long those that stay are, given how long all are."""
        if total + len(newest.prompt) <= self._limit_chars:
            return total
        for turn in list(self._turns.values()):
            fits = total + len(newest.prompt) <= self._limit_chars * KEEP_SHARE
            if fits or turn is newest or turn.state is TurnState.OPEN:
                break
            total -= turn.size_chars
            del self._turns[turn.id]
            self._sized.discard(turn.id)
        return total

    def _add_user(self, event: Event, meta: dict[str, Any]) -> None:
        author = str(meta.get("author", ""))
        message_id = str(meta.get("message_id", ""))
        if message_id.isdecimal():
            self.seen.add(message_id)
        words = defuse(_quotation(meta) + event.content + attachment_lines(meta))
        prompt = f"{prompt_header(author, event.at)}\n{words}"
        images = images_of(meta)
        is_overheard = bool(meta.get("overheard"))
        self._turns[TurnId(event.id)] = Turn(
            id=TurnId(event.id),
            message_id=message_id,
            author_id=str(meta.get("author_id", "")),
            author=author,
            text=event.content,
            at=event.at,
            prompt=prompt,
            state=TurnState.OVERHEARD if is_overheard else TurnState.OPEN,
            size_chars=len(prompt) + IMAGE_CHARS * len(images),
            images=images,
            images_before=self._images,
            audience=str(meta.get("audience", "")),
            may_run=not meta.get("viewer"),
            message_ids=[message_id] if message_id else [],
        )
        self._images += len(images)
        if not is_overheard:
            self.turns_asked += 1
            return
        self._overheard += 1
        if self._overheard % TRIM_EVERY == 0:
            self._trim(TurnId(event.id))

    def _add_agent(self, event: Event, meta: dict[str, Any], turn: Turn | None) -> None:
        final = bool(meta.get("final", True))
        if final:
            self._owe(event, turn, ends_turn=True)
        if turn is None:
            return
        turn.add_step(ChatMessage(role=Role.ASSISTANT, text=event.content))
        turn.event_ids.append(event.id)
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
        what = meta.get("what")
        if meta.get("notice"):
            self._owe(event, turn, ends_turn=what == "failed")
        if what == "model":
            self.model = str(meta.get("model", ""))
        if turn is None:
            return
        match what:
            case "resumed":
                turn.was_resumed = True
            case "joined":
                self._join(turn, TurnId(str(meta.get("message", ""))))
            case "failed" | "aborted" as ending:
                turn.state = TurnState(str(ending))
                turn.add_step(ChatMessage(role=Role.ASSISTANT, text=f"(no answer was given: {event.content})"))
            case _:
                return

    def _join(self, turn: Turn, message: TurnId) -> None:
        """Make a message that waited part of the turn that runs."""
        joining = self._turns.pop(message, None)
        if joining is None:
            return
        self._sized.discard(message)
        self.turns_asked -= 1
        turn.add_step(ChatMessage(role=Role.USER, text=joining.prompt))
        turn.event_ids.append(EventId(joining.id))
        turn.message_ids.extend(joining.message_ids)
        turn.joined.extend(joining.message_ids)

    def _add_delivery(self, meta: dict[str, Any]) -> None:
        debt = self._debts.pop(EventId(str(meta.get("event", ""))), None)
        if debt is not None and debt.turn is not None:
            debt.turn.message_ids.extend(str(message_id) for message_id in meta.get("message_ids") or ())

    def _count_usage(self, meta: dict[str, Any]) -> None:
        if "prompt_tokens" in meta:
            self.used = Usage(
                prompt_tokens=self.used.prompt_tokens + int(meta["prompt_tokens"]),
                completion_tokens=self.used.completion_tokens + int(meta.get("completion_tokens", 0)),
                cost_usd=self.used.cost_usd + float(meta.get("cost_usd", 0.0)),
            )

    def _owe(self, event: Event, turn: Turn | None, *, ends_turn: bool) -> None:
        self._debts[event.id] = Debt(
            event_id=event.id,
            text=event.content,
            at=event.at,
            answers_message_id=turn.message_id if turn else "",
            turn=turn,
            ends_turn=ends_turn and turn is not None,
        )


def _quotation(meta: dict[str, Any]) -> str:
    """What a message answers, where the conversation did not show that when it was logged; with a newline at the end.

    Whether it was shown stands in the log, so that what a request says of it never changes.
    """
    quote = meta.get("quote")
    if not isinstance(quote, dict) or quote.get("shown"):
        return ""
    return quoted(str(quote.get("author", "")), str(quote.get("text", "")))


def rebuilt(events: Iterable[Event], max_history_tokens: int) -> Conversation:
    """The conversation that `events` of one log make."""
    conversation = Conversation(max_history_tokens)
    for event in events:
        conversation.add(event)
    return conversation
