"""What people do in Discord, as values of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import discord

from actors.discord.places import AnyChannel
from messages.base import Address, Window
from messages.context import Attachment, UserMessage

_SPEECH = frozenset({discord.MessageType.default, discord.MessageType.reply})


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something that a person did, before it is known whether it is for us."""

    number: int
    """Its snowflake, which says when it was done."""
    channel: AnyChannel | None
    channel_id: str
    guild_id: int | None
    author: discord.User | discord.Member
    accept: Callable[[Window], None]
    """Called at most once, with the window that it is for."""
    refuse: Callable[[str], None]
    """Called instead of `accept`, with the reason for the person."""


def is_speech(message: discord.Message) -> bool:
    """Whether a person said something: no bot, no webhook, no notice of Discord's, not a blank."""
    if message.author.bot or message.webhook_id is not None or message.type not in _SPEECH:
        return False
    return bool(message.content or message.attachments)


def user_message(message: discord.Message, window: Window, reply_to: Address, audience: str) -> UserMessage:
    """What the window's actor is told of a message."""
    reference = message.reference if message.type is discord.MessageType.reply else None
    return UserMessage(
        window=window,
        message_id=str(message.id),
        author_id=str(message.author.id),
        author_name=message.author.display_name,
        text=message.content,
        sent_at=message.created_at,
        reply_to=reply_to,
        reply_to_message_id=str(reference.message_id or "") if reference is not None else "",
        attachments=tuple(
            Attachment(filename=file.filename, url=file.url, size_bytes=file.size) for file in message.attachments
        ),
        audience=audience,
    )


def guild_id_of(message: discord.Message) -> int | None:
    """The server that a message was written in, also when it isn't in discord.py's cache."""
    if message.guild is not None:
        return message.guild.id
    return message.channel.guild_id if isinstance(message.channel, discord.PartialMessageable) else None
