"""Turn of a conversation: one message of a person, and all steps to answer the message."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import msgspec

from domain.text.token_estimate import weighed_chars
from domain.turn.prompt import with_block
from domain.turn.worded import AS_LOGGED, Worded
from messages.base import EventId, TurnId
from messages.model import ChatMessage, ImageFile, Role, ToolCall
from messages.turn import CallShown, TurnShown

TAKEN_BACK = "(taken back: this message was deleted or edited)"
"""Stands for withdrawn words of a turn."""


class TurnState(StrEnum):
    """State of a turn; all but `open` are final."""

    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"
    ABORTED = "aborted"
    OVERHEARD = "overheard"
    """The message needs no answer."""


@dataclass(frozen=True, slots=True)
class Aside:
    """Messages carried only by this turn's requests; no log has asides."""

    after_steps: int
    """Number of the turn's steps before the asides."""
    messages: tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """Latest message that joined a running turn: the query for memories, and the step that memories precede."""

    step: int
    """Index of the turn's step."""
    author_id: str
    author: str
    text: str
    """Text with the words directly before; empty once any of the text was taken back."""


@dataclass(slots=True)
class Turn:
    """One message of a person and all steps to answer the message."""

    id: TurnId
    message_id: str
    author_id: str
    author: str
    text: str
    at: datetime
    prompt: str
    """The text as shown to the model, with its header and without an injected block."""
    steps: list[ChatMessage] = field(default_factory=list)
    """Messages after the prompt, in the model's own form."""
    unanswered_calls: dict[str, ToolCall] = field(default_factory=dict)
    state: TurnState = TurnState.OPEN
    rounds: int = 0
    """Number of the model's requests for tools."""
    was_resumed: bool = False
    stop_reason: str = ""
    """Reason of the stop, until the turn's last events are logged; empty for a turn that was not stopped."""
    calls: int = 0
    """Number of tool calls of the model."""
    size_chars: int = 0
    """Size by the weights of `domain.text.token_estimate`."""
    opening_chars: int = 0
    """Part of `size_chars` for the message that opened the turn."""
    whole_results: dict[int, str] = field(default_factory=dict)
    """Index of each step with a whole result -> the result's place in the log, for a shortened form."""
    results: dict[int, CallShown] = field(default_factory=dict)
    """Index of each step with a result worded by another part -> the call with its result, for this part."""
    asked_at: datetime | None = None
    """Time of the newest call's request."""
    audience: str = ""
    """Readers of the window at the turn's beginning, as a label of `domain.policy.audience`."""
    tables: tuple[str, ...] = ()
    """Ids of the settings' channel tables in force at the turn's beginning, the nearest first."""
    event_ids: list[EventId] = field(default_factory=list)
    """Ids of the agent's events, and of messages that joined."""
    images: tuple[ImageFile, ...] = ()
    """Images of the message for the model."""
    images_before: int = 0
    """Number of earlier images in the conversation."""
    may_run: bool = True
    """True if the model may run commands to answer the message."""
    is_off_record: bool = False
    """True if no log has the turn's words; no other turn's request shows the turn."""
    message_ids: list[str] = field(default_factory=list)
    """Ids of the turn's messages: people's messages, and the messages shown in answer."""
    quoted_ids: list[str] = field(default_factory=list)
    """Ids of the quoted messages."""
    joined: list[str] = field(default_factory=list)
    """Ids of the messages received while the turn ran."""
    newest: Joined | None = None
    """The last message that joined."""
    step_of: dict[EventId, int] = field(default_factory=dict)
    """Event -> index of the event's step: an answer of the agent, or a message that joined."""
    unquoted: dict[EventId, str] = field(default_factory=dict)
    """Text of each message that quotes another message, without the quotation."""

    @property
    def is_unfinished(self) -> bool:
        """True if the log will have further events of the turn."""
        return self.state is TurnState.OPEN or bool(self.stop_reason)

    @property
    def as_shown(self) -> TurnShown:
        """The turn's calls, in the form for the part that words results."""
        return TurnShown(turn_id=self.id, calls=tuple(self.results.values()))

    @property
    def prompt_chars(self) -> int:
        """Weight of the prompt, without images."""
        return weighed_chars(self.prompt)

    @property
    def grown_chars(self) -> int:
        """Characters added to the message that opened the turn."""
        return self.size_chars - self.opening_chars

    @property
    def said_last(self) -> Turn | Joined:
        """Latest message that joined the turn, unless withdrawn; else the turn."""
        return self.newest if self.newest is not None and self.newest.text else self

    def add_step(self, step: ChatMessage) -> None:
        """Append a step to the model's view of the turn."""
        self.steps.append(step)
        self.size_chars += weighed_chars(step.text)
        self.size_chars += sum(weighed_chars(call.arguments_json) for call in step.tool_calls)

    def add_result(self, call: CallShown, counted_chars: int) -> None:
        """Append a result worded by another part: at most `counted_chars` of the text count."""
        self.results[len(self.steps)] = call
        self.steps.append(ChatMessage(role=Role.TOOL, text=call.text, tool_call_id=call.call_id))
        self.size_chars += weighed_chars(call.text[:counted_chars])

    def say(self, event_id: EventId, step: ChatMessage) -> None:
        """Append the words of an event."""
        self.event_ids.append(event_id)
        self.step_of[event_id] = len(self.steps)
        self.add_step(step)

    def join(self, other: Turn) -> None:
        """Take in another turn, whose message came during this turn."""
        step, text = len(self.steps), other.text
        if self.newest is not None and self.newest.step == step - 1:
            text = f"{self.newest.text}\n\n{text}"
        self.newest = Joined(step, other.author_id, other.author, text)
        self.say(EventId(other.id), ChatMessage(role=Role.USER, text=other.prompt))
        self.unquoted |= other.unquoted
        self.message_ids.extend(other.message_ids)
        self.joined.extend(other.message_ids)
        self.quoted_ids.extend(other.quoted_ids)

    def take_back(self, event_id: EventId) -> None:
        """Leave out the words of an event among the turn's steps."""
        self.unquoted.pop(event_id, None)
        self._reword(event_id, TAKEN_BACK)

    def take_back_quotation(self, event_id: EventId) -> None:
        """Leave out the quotation of a message of the turn."""
        words = self.unquoted.pop(event_id, None)
        if words is None:
            return
        if event_id == EventId(self.id):
            self.prompt = words
        else:
            self._reword(event_id, words)

    def _reword(self, event_id: EventId, text: str) -> None:
        place = self.step_of.get(event_id)
        if place is not None:
            self.steps[place] = msgspec.structs.replace(self.steps[place], text=text)
            if self.newest is not None and place <= self.newest.step:
                self.newest = dataclasses.replace(self.newest, text="")

    def may_be_joined_by(self, other: Turn) -> bool:
        """True if another turn's message can join this turn: same right to run commands, same readers.

        A message with images can't join: images are counted by turns. A turn off the record stands alone. A turn that
        an earlier life began goes on by itself, with the results of the commands.
        """
        if self.is_off_record or other.is_off_record or other.steps:
            return False
        return self.may_run == other.may_run and self.audience == other.audience and not other.images

    def messages(
        self, block: str = "", asides: Iterable[Aside] = (), images_from: int = 0, worded: Worded = AS_LOGGED
    ) -> Iterable[ChatMessage]:
        """The turn as shown to the model.

        Args:
            block: Text immediately before the latest message.
            asides: Messages among the steps.
            images_from: Number in the conversation of the first image shown.
            worded: Texts in the places of results, and the note at the turn's head.
        """
        images = self.images[max(0, images_from - self.images_before) :]
        prompt, steps = self.prompt, self._steps_worded(worded)
        if self.newest is None:
            prompt = with_block(block, prompt)
        elif block:
            steps = steps.copy()
            joined = steps[self.newest.step]
            steps[self.newest.step] = msgspec.structs.replace(joined, text=with_block(block, joined.text))
        yield ChatMessage(role=Role.USER, text=with_block(worded.notes.get(self.id, ""), prompt), images=images)
        position = 0
        for aside in asides:
            yield from steps[position : aside.after_steps]
            yield from aside.messages
            position = aside.after_steps
        yield from steps[position:]

    def _steps_worded(self, worded: Worded) -> list[ChatMessage]:
        """The steps, with another part's texts for results, and with the model's thoughts."""
        if not (self.results and worded.results) and not worded.thoughts:
            return self.steps
        steps = self.steps.copy()
        for event_id, thoughts in worded.thoughts.items():
            own = self.step_of.get(event_id)
            if own is not None and steps[own].tool_calls:
                steps[own] = msgspec.structs.replace(steps[own], thoughts=thoughts)
        for place, call in self.results.items():
            text = worded.results.get(call.event)
            if text is not None:
                steps[place] = msgspec.structs.replace(steps[place], text=text)
        return steps


def messages_before(turns: Sequence[Turn]) -> tuple[int, int]:
    """Numbers of messages in a request before its last turn, and before the last answered turn."""
    count, count_before_last = 0, 0
    for turn in turns[:-1]:
        if turn.state is not TurnState.OVERHEARD:
            count_before_last = count
        count += 1 + len(turn.steps)
    return count, count_before_last


def asked_before(message_id: str, turns: Iterable[Turn]) -> tuple[TurnId, ...]:
    """Turns without a newer message than the given one; a message without a number to compare counts as older."""
    number = int(message_id) if message_id.isdecimal() else None
    newest = ((turn.id, max(map(_number, (turn.message_id, *turn.joined)))) for turn in turns)
    return tuple(turn_id for turn_id, question in newest if number is None or question <= number)


def _number(message_id: str) -> int:
    return int(message_id) if message_id.isdecimal() else 0
