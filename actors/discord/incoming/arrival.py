"""Events as values: author, place and action, and the message with which a window is told of the event."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from dataclasses import dataclass

import discord

from actors.discord.incoming.unpacking import Unpacked
from actors.discord.incoming.window_map import AnyChannel
from domain.policy.access import Standing
from messages.base import Address, ChannelId, MessageId, UserId, Window
from messages.context import Quote, UserMessage

log = logging.getLogger(__name__)

QUOTE_CHARS = 2_000
"""Most of a quoted message that is passed on."""
_SPEECH = frozenset({discord.MessageType.default, discord.MessageType.reply})


@dataclass(frozen=True, slots=True)
class Admitted:
    """Result of authorization: the window of an event, and the standing of its author there."""

    window: Window
    standing: Standing


@dataclass(frozen=True, slots=True)
class Hearing:
    """Result of admission: how a message is to be taken, as `UserMessage` words it."""

    may_run: bool = True
    wants_answer: bool = True
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Person, place and time of an event: what the rules judge by."""

    number: int
    """Snowflake of the event, which holds its time."""
    channel: AnyChannel | None
    channel_id: ChannelId
    guild_id: int | None
    author: discord.User | discord.Member

    @classmethod
    def of_message(cls, message: discord.Message) -> Origin:
        """Origin of a message."""
        return cls(message.id, message.channel, ChannelId(str(message.channel.id)), _guild_id(message), message.author)

    @classmethod
    def of_interaction(cls, interaction: discord.Interaction) -> Origin:
        """Of a command or a press of a button."""
        channel_id = ChannelId(str(interaction.channel_id))
        return cls(interaction.id, interaction.channel, channel_id, interaction.guild_id, interaction.user)


@dataclass(frozen=True, slots=True)
class MessageArrival:
    """Message of a person; a repeated message changes nothing, a refused message is ignored."""

    message: discord.Message
    origin: Origin
    is_live: bool = True
    """True if Discord sent the message at once, or as soon as the connection was there again."""

    @classmethod
    def of(cls, message: discord.Message, *, is_live: bool = True) -> MessageArrival:
        """`message` as an arrival."""
        return cls(message, Origin.of_message(message), is_live)

    @property
    def must_prepare(self) -> bool:
        """True if the message has files, which are read before the message is passed on."""
        return bool(self.message.attachments)

    def refuse(self, reason: str) -> None:
        """Ignore the message; the log says why."""
        log.debug("message %d was not taken: %s", self.message.id, reason)


class InteractionArrival(ABC):
    """Something that a person had done by a command or a button; exactly one of `accept` and `refuse` is called."""

    origin: Origin
    must_prepare: bool
    """True to await `prepare` before `accept`, while later arrivals of the channel wait."""

    @abstractmethod
    async def prepare(self) -> None:
        """Prepare the event; the method bounds its own time."""

    @abstractmethod
    def accept(self, admitted: Admitted) -> None:
        """Carry out the event in its window, as far as its author's standing permits."""

    @abstractmethod
    def refuse(self, reason: str) -> None:
        """Tell the person why not."""


Arrival = MessageArrival | InteractionArrival
"""Event of a person, before authorization."""


def is_speech(message: discord.Message) -> bool:
    """True if a person wrote the message: no bot, no webhook, no notice of Discord's, not blank."""
    if message.author.bot or message.webhook_id is not None or message.type not in _SPEECH:
        return False
    return bool(message.content or message.attachments)


def user_message(
    message: discord.Message,
    window: Window,
    reply_to: Address,
    audience: str,
    hearing: Hearing,
    unpacked: Unpacked | None = None,
) -> UserMessage:
    """Message for the window's actor about a Discord message; `unpacked` holds its files, if any."""
    reference = message.reference if message.type is discord.MessageType.reply else None
    return UserMessage(
        window=window,
        message_id=MessageId(str(message.id)),
        author_id=UserId(str(message.author.id)),
        author_name=message.author.display_name,
        text=message.content if unpacked is None else unpacked.text,
        sent_at=message.created_at,
        reply_to=reply_to,
        reply_to_message_id=MessageId(str(reference.message_id or "") if reference is not None else ""),
        attachments=() if unpacked is None else unpacked.files,
        typed_chars=None if unpacked is None else unpacked.typed_chars,
        audience=audience,
        may_run=hearing.may_run,
        wants_answer=hearing.wants_answer,
        refusal=hearing.refusal,
        quote=_quote(reference),
    )


def spoken(
    interaction: discord.Interaction, window: Window, reply_to: Address, audience: str, text: str
) -> UserMessage:
    """Message for the window's actor about a command that counts as a member's message, with `text` as its words."""
    return UserMessage(
        window=window,
        message_id=MessageId(str(interaction.id)),
        author_id=UserId(str(interaction.user.id)),
        author_name=interaction.user.display_name,
        text=text,
        sent_at=interaction.created_at,
        reply_to=reply_to,
        typed_chars=0,
        audience=audience,
    )


def _guild_id(message: discord.Message) -> int | None:
    """The server that a message was written in, also when it isn't in discord.py's cache."""
    if message.guild is not None:
        return message.guild.id
    return message.channel.guild_id if isinstance(message.channel, discord.PartialMessageable) else None


def _quote(reference: discord.MessageReference | None) -> Quote | None:
    """The answered message, where Discord sent it along."""
    if reference is None or not isinstance(reference.resolved, discord.Message):
        return None
    quoted = reference.resolved
    text = quoted.content[:QUOTE_CHARS]
    return Quote(
        message_id=MessageId(str(quoted.id)),
        author_id=UserId(str(quoted.author.id)),
        author_name=quoted.author.display_name,
        text=text,
    )
