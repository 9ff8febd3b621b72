"""Events as values: author, place and action, and the message that tells a window of the event."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import discord

from actors.discord.calls.parsing import WireMessage
from actors.discord.incoming.places.window_map import AnyChannel
from actors.discord.incoming.reading.names import NameBook, guild_of
from actors.discord.incoming.unpacking import Unpacked, only_words
from domain.policy.access import Standing
from domain.turn.discord.said import Manner, files_of, manner_of, quotation, words_of
from domain.turn.discord.wire import Wire, id_at, object_at
from messages.base import Address, ChannelId, MessageId, UserId, Window
from messages.context import Quote, RetractMessages, ReviseMessage, UserMessage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Admitted:
    """Result of authorization: the window of an event, and the standing of its author there."""

    window: Window
    standing: Standing


@dataclass(frozen=True, slots=True)
class Hearing:
    """Result of admission: the treatment of a message, in the terms of `UserMessage`."""

    may_run: bool = True
    wants_answer: bool = True
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """Readers and settings of the place in which a message is answered."""

    audience: str
    """Current readers, as a label of `domain.policy.audience`; empty when unknown."""
    tables: tuple[str, ...] = ()
    """Ids of the settings' channel tables in force there, the nearest first."""
    is_off_record: bool = False
    """True if memory is off there."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Person, place and time of an event, as a basis for the rules."""

    number: int
    """Snowflake of the event; contains its time."""
    channel: AnyChannel | None
    channel_id: ChannelId
    guild_id: int | None
    author: discord.User | discord.Member

    @classmethod
    def of_message(cls, message: discord.Message) -> Origin:
        """Origin of a message."""
        return cls(message.id, message.channel, ChannelId(str(message.channel.id)), guild_of(message), message.author)

    @classmethod
    def of_interaction(cls, interaction: discord.Interaction) -> Origin:
        """Of a command or a press of a button."""
        channel_id = ChannelId(str(interaction.channel_id))
        return cls(interaction.id, interaction.channel, channel_id, interaction.guild_id, interaction.user)


@dataclass(frozen=True, slots=True)
class MessageArrival:
    """Message of a person; a repeated message changes nothing, a refused message is ignored."""

    message: WireMessage
    origin: Origin
    is_live: bool = True
    """True if Discord sent the message at once, or as soon as the connection was there again."""

    @classmethod
    def of(cls, message: WireMessage, *, is_live: bool = True) -> MessageArrival:
        """`message` as an arrival."""
        return cls(message, Origin.of_message(message), is_live)

    @property
    def must_prepare(self) -> bool:
        """True if the message has files to read before the message is passed on."""
        return has_files(self.message)

    def refuse(self, reason: str) -> None:
        """Ignore the message; the log says why."""
        log.debug("message %d was not taken: %s", self.message.id, reason)


class InteractionArrival(ABC):
    """Action of a person by a command or a button; exactly one of `accept` and `refuse` is called."""

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


def is_heard(message: WireMessage) -> bool:
    """True if a window is told of a message: a person's, not blank, and no notice of Discord's."""
    return manner_of(message.wire) is not Manner.NOT_HEARD


def has_files(message: WireMessage) -> bool:
    """True if files came with a message or with a forwarded message in it."""
    return any(True for _ in files_of(message.wire))


def user_message(
    message: WireMessage,
    window: Window,
    reply_to: Address,
    setting: Setting,
    hearing: Hearing,
    names: NameBook,
    unpacked: Unpacked | None = None,
) -> UserMessage:
    """Message for the window's actor about a Discord message; `unpacked` holds its words and files, if any came."""
    reference = message.reference if message.type is discord.MessageType.reply else None
    if unpacked is None:
        unpacked = only_words(words_of(message.wire, names.name_of(message), with_files=False))
    return UserMessage(
        window=window,
        message_id=MessageId(str(message.id)),
        author_id=UserId(str(message.author.id)),
        author_name=names.author_name(message),
        text=unpacked.text,
        sent_at=message.created_at,
        reply_to=reply_to,
        reply_to_message_id=MessageId(str(reference.message_id or "") if reference is not None else ""),
        attachments=unpacked.files,
        typed_chars=unpacked.typed_chars,
        told_chars=unpacked.told_chars,
        audience=setting.audience,
        tables=setting.tables,
        is_off_record=setting.is_off_record,
        may_run=hearing.may_run,
        wants_answer=hearing.wants_answer and not unpacked.unheard,
        refusal=hearing.refusal or (unpacked.unheard if hearing.wants_answer else ""),
        quote=None if reference is None else _quote(message, object_at(message.wire, "referenced_message"), names),
    )


def revision(
    message: WireMessage, window: Window, names: NameBook, *, wants_answer: bool, is_off_record: bool
) -> ReviseMessage:
    """Message for the window's actor about an edit, or about the present words of a message."""
    name_of = names.name_of(message)
    words = words_of(message.wire, name_of, with_files=False)
    return ReviseMessage(
        window=window,
        message_id=MessageId(str(message.id)),
        text=words.typed,
        told=words.notes,
        whole=words_of(message.wire, name_of).all,
        files=sum(1 for _ in files_of(message.wire)),
        wants_answer=wants_answer,
        is_off_record=is_off_record,
    )


def retraction(window: Window, message_ids: Iterable[int]) -> RetractMessages:
    """Message for the window's actor about deleted messages."""
    ids = tuple(MessageId(str(message_id)) for message_id in message_ids)
    return RetractMessages(window=window, message_ids=ids)


def command_message(
    interaction: discord.Interaction, window: Window, reply_to: Address, setting: Setting, text: str
) -> UserMessage:
    """Message for the window's actor about a command counting as a member's message, with `text` as the words."""
    return UserMessage(
        window=window,
        message_id=MessageId(str(interaction.id)),
        author_id=UserId(str(interaction.user.id)),
        author_name=interaction.user.display_name,
        text=text,
        sent_at=interaction.created_at,
        reply_to=reply_to,
        typed_chars=0,
        audience=setting.audience,
        tables=setting.tables,
        is_off_record=setting.is_off_record,
    )


def _quote(message: WireMessage, quoted: Wire, names: NameBook) -> Quote | None:
    """Answered message, if Discord sent the message along."""
    if not (message_id := id_at(quoted, "id")):
        return None
    author = object_at(quoted, "author")
    return Quote(
        message_id=MessageId(message_id),
        author_id=UserId(id_at(author, "id")),
        author_name=names.user_name(message, author),
        text=quotation(quoted, names.name_of(message)),
    )
