"""How to talk to a ContextActor, the owner of one window's log and history."""

from __future__ import annotations

from datetime import datetime

from messages.base import Address, Message, RequestId, TurnId, Value, Window
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused
from messages.model import ModelDelta, ModelFailed, ModelReply
from messages.shell import BashRefused, BashResult
from messages.turn import TurnContribution


class Attachment(Value, frozen=True, kw_only=True, gc=False):
    """A file that came with a message; only its address is kept."""

    filename: str
    url: str
    size_bytes: int


class UserMessage(Message, frozen=True, kw_only=True, gc=False):
    """Log what a person said and answer it; the same `message_id` again changes nothing."""

    window: Window
    message_id: str
    author_id: str
    author_name: str
    text: str
    sent_at: datetime
    reply_to: Address
    """The surface that shows the answer: gets `ShowTyping` and `PostMessage`."""
    reply_to_message_id: str = ""
    """The message that this one answers; empty for none."""
    attachments: tuple[Attachment, ...] = ()
    audience: str = ""
    """Who reads the window now, as a label of `domain.audience`; empty when that is not known."""


class StartNewWindow(Message, frozen=True, kw_only=True, gc=False):
    """Close this window and open the next one: empty history, a new log file."""

    request_id: RequestId
    reply_to: Address
    window: Window
    asked_by: str


class NewWindowStarted(Message, frozen=True, kw_only=True, gc=False):
    """The new window's log exists."""

    request_id: RequestId
    path: str


class NewWindowRefused(Message, frozen=True, kw_only=True, gc=False):
    """No new window; the old one goes on."""

    request_id: RequestId
    reason: str


class ResumeWindow(Message, frozen=True, kw_only=True, gc=False):
    """Open the log and finish what a crash cut short; a finished window does nothing."""

    window: Window
    reply_to: Address


class AbortTurn(Message, frozen=True, kw_only=True, gc=False):
    """Stop the running turn, if there is one; what was said so far stays in the log."""

    window: Window
    asked_by: str


class ContributionsDue(Message, frozen=True, kw_only=True, gc=False):
    """The deadline of one gathering has passed (the actor's own timer)."""

    turn_id: TurnId
    request_id: RequestId


class StepOverdue(Message, frozen=True, kw_only=True, gc=False):
    """The model or the shell has not answered for too long (the actor's own timer)."""

    request_id: RequestId


class DeliveryDue(Message, frozen=True, kw_only=True, gc=False):
    """Time to try once more to deliver what failed (the actor's own timer)."""

    request_id: RequestId


ContextCommand = UserMessage | StartNewWindow | ResumeWindow | AbortTurn
ContextReply = NewWindowStarted | NewWindowRefused
ContextMessage = (
    ContextCommand
    | TurnContribution
    | ContributionsDue
    | StepOverdue
    | DeliveryDue
    | ModelDelta
    | ModelReply
    | ModelFailed
    | BashResult
    | BashRefused
    | Delivered
    | DeliveryFailed
    | DeliveryRefused
)
