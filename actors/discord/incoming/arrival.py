"""What people do in Discord, as values of ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import discord

from actors.discord.incoming.unpacking import Unpacked
from actors.discord.incoming.window_map import AnyChannel
from domain.policy.access import Standing
from messages.base import Address, Window
from messages.context import Quote, UserMessage

QUOTE_CHARS = 2_000
"""Most of a quoted message that is passed on."""
_SPEECH = frozenset({discord.MessageType.default, discord.MessageType.reply})


@dataclass(frozen=True, slots=True)
class Admitted:
    """Where something that a person did goes, and what they may do."""

    window: Window
    standing: Standing


@dataclass(frozen=True, slots=True)
class Hearing:
    """How a message is to be taken."""

    may_run: bool = True
    wants_answer: bool = True
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something that a person did, before it is known whether it is for us."""

    number: int
    """Its snowflake, which says when it was done."""
    channel: AnyChannel | None
    channel_id: str
    guild_id: int | None
    author: discord.User | discord.Member
    accept: Callable[[Admitted], None]
    """Called at most once, with the window that it is for and what its author may do there."""
    refuse: Callable[[str], None]
    """Called instead of `accept`, with the reason for the person."""
    prepare: Callable[[], Awaitable[None]] | None = None
    """Waited for before `accept`, while all that came later in the channel waits; it bounds its own time."""


def is_speech(message: discord.Message) -> bool:
    """Whether a person said something: no bot, no webhook, no notice of Discord's, not a blank."""
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
    """What the window's actor is told of a message; `unpacked` is what came with it, if anything did."""
    reference = message.reference if message.type is discord.MessageType.reply else None
    return UserMessage(
        window=window,
        message_id=str(message.id),
        author_id=str(message.author.id),
        author_name=message.author.display_name,
        text=message.content if unpacked is None else unpacked.text,
        sent_at=message.created_at,
        reply_to=reply_to,
        reply_to_message_id=str(reference.message_id or "") if reference is not None else "",
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
    """What the window's actor is told of a command that counts as a member's message, with `text` as what they say."""
    return UserMessage(
        window=window,
        message_id=str(interaction.id),
        author_id=str(interaction.user.id),
        author_name=interaction.user.display_name,
        text=text,
        sent_at=interaction.created_at,
        reply_to=reply_to,
        audience=audience,
    )


def guild_id_of(message: discord.Message) -> int | None:
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
    return Quote(message_id=str(quoted.id), author_name=quoted.author.display_name, text=text)
