"""Protocol of the surface that people read: DiscordActor, or the command line in its place.

The second part is the readership of windows, as Discord states it now; actors that show one window's words in another
listen.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, MessageId, RequestId, UserId, Value, Window, make_ready

DISCORD = Address("discord")


class PostedButton(Value, frozen=True, kw_only=True, gc=False):
    """Something to press below a message."""

    label: str
    custom_id: str
    """A press's prefix and its subject, at most 100 characters."""


class PostMessage(Message, frozen=True, kw_only=True, gc=False):
    """Show `text` in the window, in as many messages as it needs."""

    request_id: RequestId
    reply_to: Address
    window: Window
    text: str
    nonce: str
    """At most 20 characters, stable for this text: posting twice shows it once."""
    answers_message_id: MessageId = MessageId("")
    """The message that this answers; empty for none."""
    look_first: bool = False
    """The message may have been sent in an earlier life: look into the channel before sending."""
    look_since: datetime | None = None
    """An earlier sending is no older than this; None for an hour, or for what came after the message it answers."""
    others: tuple[MessageId, ...] = ()
    """Messages that are known to show other texts, however like this one."""
    mark: str = ""
    """A part of the text by which an earlier sending is known though other words of it differ; empty for none."""
    mention_user_id: UserId = UserId("")
    """User who may be notified by a mention in the text; empty for no user."""
    turn_id: str = ""
    """The turn that the text ends: the text takes the place of the turn's `ShowProgress` display. Empty for no turn."""
    exact: str = ""
    """Exact characters, for a file beside a text that can only spell them out; empty for no file."""
    buttons: tuple[PostedButton, ...] = ()
    """Buttons below the text. With buttons, a post is refused whole where Discord refuses its buttons or its file."""


class EndButtons(Message, frozen=True, kw_only=True, gc=False):
    """Take the buttons of a posted message away, and make `text` its words."""

    window: Window
    message_id: MessageId
    text: str


class ShowProgress(Message, frozen=True, kw_only=True, gc=False):
    """Show how far a turn is; the newest counts, and the turn's `PostMessage` or `EndProgress` ends it."""

    window: Window
    turn_id: str
    text: str
    """The answer so far; empty while there is none."""
    status: str
    """Further work in progress, in one short line; empty for no line."""
    answers_message_id: MessageId = MessageId("")


class EndProgress(Message, frozen=True, kw_only=True, gc=False):
    """The turn ended without a text of its own: leave what was said of it, marked with `note`, or take it away."""

    window: Window
    turn_id: str
    note: str
    """Reason of the end; empty if nothing of the answer is to remain, such as after the question was deleted."""
    answers_message_id: MessageId = MessageId("")
    """The message that the turn answers; empty for none."""
    look_first: bool = False
    """An earlier life may have shown how far it was: look into the channel for that."""


class ShowTyping(Message, frozen=True, kw_only=True, gc=False):
    """Show that an answer is being written, for a while that each new one prolongs; or stop showing it."""

    window: Window
    on: bool


class ReactionKind(StrEnum):
    """Fate of a message, as a reaction shows it."""

    TAKEN = "taken"
    """The message is being worked on."""
    RESUMED = "resumed"
    """The message is being worked on again, after an interruption."""
    ANSWERED = "answered"
    FAILED = "failed"
    """There was no answer, and will be none."""


class ShowReaction(Message, frozen=True, kw_only=True, gc=False):
    """Show by a reaction what has become of a message; the newest counts, and it may come late or never."""

    window: Window
    message_id: MessageId
    kind: ReactionKind


class AttachFile(Message, frozen=True, kw_only=True, gc=False):
    """Post files of the window's working directory there, in one message; answered by `FileAttached` or `Refused`."""

    request_id: RequestId
    reply_to: Address
    window: Window
    path: Annotated[str, Meta(max_length=2_048)]
    """Below the working directory."""
    further: Annotated[tuple[Annotated[str, Meta(max_length=2_048)], ...], Meta(max_length=9)] = ()
    """Paths of the files behind the first file."""
    descriptions: Annotated[tuple[Annotated[str, Meta(max_length=1_024)], ...], Meta(max_length=10)] = ()
    """Description of each file, in order, for people who do not see the picture; empty for none."""
    is_spoiler: bool = False
    """True if Discord hides the files until a person presses them."""
    caption: Annotated[str, Meta(max_length=2_000)] = ""
    """Words above the files, at most one message's worth."""


class StopIntake(Message, frozen=True, kw_only=True, gc=False):
    """Take no more messages from people; what is to be posted still goes out."""


class SwitchMemory(Message, frozen=True, kw_only=True, gc=False):
    """Keep nothing of what is said in a window from now on, or everything again.

    Holds in the threads of a channel, too, as far as nothing was switched there. Answered by `MemorySwitched` or
    `Refused`.
    """

    request_id: RequestId
    """In Discord the snowflake of the command: the switch holds for later messages."""
    reply_to: Address
    window: Window
    is_off: bool
    asked_by: Annotated[UserId, Meta(max_length=64)] = UserId("")
    """Account that asks; empty for the operator."""
    manages_messages: bool = False
    """True if the account may manage messages in the window."""


class MemorySwitched(Message, frozen=True, kw_only=True, gc=False):
    """Memory is off in a window, or on."""

    request_id: RequestId
    is_off: bool
    is_new: bool
    """False if that was so before."""


class UserMessageLogged(Message, frozen=True, kw_only=True, gc=False):
    """A person's message is in its window's log, and on the disk: no actor needs to look for the message again."""

    window: Window
    message_id: MessageId


class UserMessageNotLogged(Message, frozen=True, kw_only=True, gc=False):
    """A message of a person could not be logged: the surface looks for it again, since the disk may work by then."""

    window: Window
    message_id: MessageId


class Delivered(Message, frozen=True, kw_only=True, gc=False):
    """The whole text is visible."""

    request_id: RequestId
    message_ids: tuple[MessageId, ...]


class FileAttached(Message, frozen=True, kw_only=True, gc=False):
    """The files are posted."""

    request_id: RequestId
    message_id: MessageId
    filename: str
    """Names as people see them, with commas between."""
    size_bytes: int
    """Bytes of all files."""


class DeliveryFailed(Message, frozen=True, kw_only=True, gc=False):
    """Not shown, or not known to be; the same request may work later."""

    request_id: RequestId
    reason: str


class DeliveryRefused(Message, frozen=True, kw_only=True, gc=False):
    """Not shown, and the same call will be refused again."""

    request_id: RequestId
    reason: str
    for_now: bool = False
    """People can undo the reason, such as a lock, a filter or a missing permission: the same request may work then."""


DiscordCommand = (
    PostMessage
    | ShowProgress
    | EndProgress
    | ShowTyping
    | ShowReaction
    | AttachFile
    | EndButtons
    | StopIntake
    | SwitchMemory
    | UserMessageLogged
    | UserMessageNotLogged
)
DiscordReply = Delivered | DeliveryFailed | DeliveryRefused | FileAttached | MemorySwitched


class Grant(Value, frozen=True, kw_only=True, gc=False):
    """Holders of one permission in one channel, with all overwrites counted in; owner and administrators apart."""

    is_default: bool
    """True if members not listed below have the permission."""
    giving_roles: frozenset[str] = frozenset()
    """Roles that give it in the whole server, where it is not the default and no overwrite of `@everyone` decides."""
    denied_roles: frozenset[str] = frozenset()
    allowed_roles: frozenset[str] = frozenset()
    """Allowed roles override denied roles."""
    denied_members: frozenset[str] = frozenset()
    allowed_members: frozenset[str] = frozenset()
    """An overwrite for a member overrides overwrites for roles."""


class Readers(Value, frozen=True, kw_only=True, gc=False):
    """Readers of a window: its channel's, by permission; a thread's channel is its parent."""

    guild_id: str
    channel_id: str
    sees: Grant
    """Members who see messages from now on."""
    reads: tuple[Grant, ...]
    """Permissions that a member needs, all of them, to read earlier messages."""
    is_private: bool = False
    """True if only invited members read the window."""


class WindowReaders(Value, frozen=True, kw_only=True, gc=False):
    """Readers of one window."""

    window: Window
    readers: Readers | None
    """None when the window is gone or its readers are unknown: its words are shown in no other window then."""


class TellReaders(Message, frozen=True, kw_only=True, gc=False):
    """Say who reads which window; answered by `ReadersListed` to `reply_to` as soon as that is known."""

    reply_to: Address


class DescribeReaders(Message, frozen=True, kw_only=True, gc=False):
    """Say who reads these windows now; answered by `ReadersDescribed`."""

    request_id: RequestId
    reply_to: Address
    windows: tuple[Window, ...]


class ReadersDescribed(Message, frozen=True, kw_only=True, gc=False):
    """Readers of the windows that were asked for, in that order."""

    request_id: RequestId
    windows: tuple[WindowReaders, ...]


class ReadersListed(Message, frozen=True, kw_only=True, gc=False):
    """Every window whose readers are known; those of all others are known no more."""

    windows: tuple[WindowReaders, ...]


class ReadersChanged(Message, frozen=True, kw_only=True, gc=False):
    """Windows that have other readers than were told before."""

    windows: tuple[WindowReaders, ...]


AudienceCommand = TellReaders | DescribeReaders
AudienceReply = ReadersDescribed
AudienceEvent = ReadersListed | ReadersChanged
make_ready(__name__)
