"""Protocol of the surface for people: DiscordActor, or the command line in its place.

The second part is the readership of windows, as reported by Discord now, for actors that show one window's words in
another.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from messages.base import Address, Message, MessageId, RequestId, UserId, Value, Window, make_ready

DISCORD = Address("discord")


class PostedButton(Value, frozen=True, kw_only=True, gc=False):
    """Button below a message."""

    label: str
    custom_id: str
    """A press's prefix and its subject, at most 100 characters."""


class PostMessage(Message, frozen=True, kw_only=True, gc=False):
    """Show `text` in the window, in as many messages as needed."""

    request_id: RequestId
    reply_to: Address
    window: Window
    text: str
    nonce: str
    """At most 20 characters, stable for this text: posted twice, the text appears once."""
    answers_message_id: MessageId = MessageId("")
    """The answered message; empty for none."""
    look_first: bool = False
    """The message may have been sent in an earlier life: look into the channel before sending."""
    look_since: datetime | None = None
    """Earliest time of an earlier sending; None for an hour, or for the time since the answered message."""
    others: tuple[MessageId, ...] = ()
    """Messages known to show other texts, however similar."""
    mark: str = ""
    """A part of the text that identifies an earlier sending with differing words elsewhere; empty for no part."""
    mention_user_id: UserId = UserId("")
    """User who may be notified by a mention in the text; empty for no user."""
    turn_id: str = ""
    """The turn that the text ends: the text takes the place of the turn's `ShowProgress` display. Empty for no turn."""
    exact: str = ""
    """Exact characters, for a file beside a text that can only spell them out; empty for no file."""
    buttons: tuple[PostedButton, ...] = ()
    """Buttons below the text. With buttons, a post is refused whole if Discord refuses the buttons or the file."""


class EndButtons(Message, frozen=True, kw_only=True, gc=False):
    """Take the buttons of a posted message away, and make `text` the message's words."""

    window: Window
    message_id: MessageId
    text: str


class ShowProgress(Message, frozen=True, kw_only=True, gc=False):
    """Show a turn's progress; the newest counts, and the turn's `PostMessage` or `EndProgress` ends the display."""

    window: Window
    turn_id: str
    text: str
    """The answer so far; empty before the first words."""
    status: str
    """Further work in progress, in one short line; empty for no line."""
    answers_message_id: MessageId = MessageId("")


class EndProgress(Message, frozen=True, kw_only=True, gc=False):
    """The turn ended without a text of its own: leave the shown words, marked with `note`, or take them away."""

    window: Window
    turn_id: str
    note: str
    """Reason of the end; empty to remove the whole answer, such as after the question was deleted."""
    answers_message_id: MessageId = MessageId("")
    """The message answered by the turn; empty for none."""
    look_first: bool = False
    """An earlier life may have shown progress: search the channel for the earlier display."""


class ShowTyping(Message, frozen=True, kw_only=True, gc=False):
    """Show typing for a while, prolonged by each new message; or stop the display."""

    window: Window
    on: bool


class ReactionKind(StrEnum):
    """Fate of a message, shown as a reaction."""

    TAKEN = "taken"
    """The message is being worked on."""
    RESUMED = "resumed"
    """The message is being worked on again, after an interruption."""
    ANSWERED = "answered"
    FAILED = "failed"
    """No answer exists or will follow."""


class ShowReaction(Message, frozen=True, kw_only=True, gc=False):
    """Show a message's fate by a reaction; the newest counts, and the reaction may come late or never."""

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
    """Take no more messages from people; waiting posts still go out."""


class SwitchMemory(Message, frozen=True, kw_only=True, gc=False):
    """Keep no words of a window from now on, or all words again.

    Holds in the threads of a channel, too, except threads with a switch of their own. Answered by `MemorySwitched` or
    `Refused`.
    """

    request_id: RequestId
    """In Discord the snowflake of the command: the switch holds for later messages."""
    reply_to: Address
    window: Window
    is_off: bool
    asked_by: Annotated[UserId, Meta(max_length=64)] = UserId("")
    """Account of the asker; empty for the operator."""
    manages_messages: bool = False
    """True if the account may manage messages in the window."""


class MemorySwitched(Message, frozen=True, kw_only=True, gc=False):
    """Memory is off in a window, or on."""

    request_id: RequestId
    is_off: bool
    is_new: bool
    """False without a change."""


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
    """Names for people, separated by commas."""
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
    """Roles that give the permission in the whole server, if neither the default nor an overwrite of `@everyone`
    decides."""
    denied_roles: frozenset[str] = frozenset()
    allowed_roles: frozenset[str] = frozenset()
    """Allowed roles override denied roles."""
    denied_members: frozenset[str] = frozenset()
    allowed_members: frozenset[str] = frozenset()
    """An overwrite for a member overrides overwrites for roles."""


class Readers(Value, frozen=True, kw_only=True, gc=False):
    """Readers of a window: the channel's, by permission; a thread's channel is its parent."""

    guild_id: str
    channel_id: str
    sees: Grant
    """Members who see messages from now on."""
    reads: tuple[Grant, ...]
    """Permissions, all needed by a member, to read earlier messages."""
    is_private: bool = False
    """True if only invited members read the window."""


class WindowReaders(Value, frozen=True, kw_only=True, gc=False):
    """Readers of one window."""

    window: Window
    readers: Readers | None
    """None for a window that is gone or has unknown readers: no other window then shows its words."""


class TellReaders(Message, frozen=True, kw_only=True, gc=False):
    """List the readers of each window; answered by `ReadersListed` to `reply_to` once known."""

    reply_to: Address


class DescribeReaders(Message, frozen=True, kw_only=True, gc=False):
    """List the present readers of these windows; answered by `ReadersDescribed`."""

    request_id: RequestId
    reply_to: Address
    windows: tuple[Window, ...]


class ReadersDescribed(Message, frozen=True, kw_only=True, gc=False):
    """Readers of the requested windows, in the same order."""

    request_id: RequestId
    windows: tuple[WindowReaders, ...]


class ReadersListed(Message, frozen=True, kw_only=True, gc=False):
    """Every window with known readers; all other windows' readers are unknown from now on."""

    windows: tuple[WindowReaders, ...]


class ReadersChanged(Message, frozen=True, kw_only=True, gc=False):
    """Windows with new readers."""

    windows: tuple[WindowReaders, ...]


AudienceCommand = TellReaders | DescribeReaders
AudienceReply = ReadersDescribed
AudienceEvent = ReadersListed | ReadersChanged
make_ready(__name__)
