"""How to talk to the surface that people read: DiscordActor, or the command line in its place."""

from __future__ import annotations

from messages.base import Address, Message, RequestId, Window


class PostMessage(Message, frozen=True, kw_only=True, gc=False):
    """Show `text` in the window, in as many messages as it needs."""

    request_id: RequestId
    reply_to: Address
    window: Window
    text: str
    nonce: str
    """At most 20 characters, stable for this text: posting twice shows it once."""
    answers_message_id: str = ""
    """The message that this answers; empty for none."""
    look_first: bool = False
    """It may have been sent in an earlier life: look into the channel before sending."""


class ShowTyping(Message, frozen=True, kw_only=True, gc=False):
    """Show, or stop showing, that an answer is being written."""

    window: Window
    on: bool


class StopIntake(Message, frozen=True, kw_only=True, gc=False):
    """Take no more messages from people; what is to be posted still goes out."""


class Delivered(Message, frozen=True, kw_only=True, gc=False):
    """The whole text is visible."""

    request_id: RequestId
    message_ids: tuple[str, ...]


class DeliveryFailed(Message, frozen=True, kw_only=True, gc=False):
    """Not shown, or not known to be; the same request may work later."""

    request_id: RequestId
    reason: str


class DeliveryRefused(Message, frozen=True, kw_only=True, gc=False):
    """Not shown and never will be: the channel is gone or closed to us."""

    request_id: RequestId
    reason: str


DiscordCommand = PostMessage | ShowTyping | StopIntake
DiscordReply = Delivered | DeliveryFailed | DeliveryRefused
