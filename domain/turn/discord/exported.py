"""Messages of DiscordChatExporter's JSON: the shape, and the words as in the same message of Discord."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from domain.text.mention import Mentioned
from domain.turn.discord.said import words_of
from messages.base import MessageId, Surface, UserId, Window, make_ready
from messages.past import PastMessage

Snowflake = Annotated[str, Meta(pattern=r"^[1-9][0-9]{14,19}\Z")]
_SURFACES = {
    **dict.fromkeys(("GuildTextChat", "GuildNews", "GuildVoiceChat", "GuildStageVoice"), Surface.DISCORD_CHANNEL),
    **dict.fromkeys(("GuildNewsThread", "GuildPublicThread", "GuildPrivateThread"), Surface.DISCORD_THREAD),
    "DirectTextChat": Surface.DISCORD_DM,
}
_SPEECH_TYPES = ("Default", "Reply", "0", "19")
_NOTICES = frozenset(
    {
        *("RecipientAdd", "RecipientRemove", "Call", "ChannelNameChange", "ChannelIconChange"),
        *("ChannelPinnedMessage", "GuildMemberJoin", "ThreadCreated"),
    }
)


class _Part(msgspec.Struct, frozen=True, rename="camel"):
    """Part of an export; unknown keys are ignored."""


class ExportedChannel(_Part, frozen=True):
    """Channel of an export."""

    id: Snowflake
    type: str
    name: str = ""


class ExportHead(_Part, frozen=True):
    """The part of an export before the messages."""

    channel: ExportedChannel


class ExportTail(_Part, frozen=True):
    """The part of an export behind the messages."""

    message_count: int | None = None


class _Author(_Part, frozen=True):
    id: Annotated[str, Meta(pattern=r"^[0-9]{1,20}\Z")]
    name: str
    nickname: str | None = None


class _File(_Part, frozen=True):
    file_name: str
    file_size_bytes: int = 0


class _Field(_Part, frozen=True):
    name: str | None = None
    value: str | None = None


class _Embed(_Part, frozen=True):
    title: str | None = None
    description: str | None = None
    url: str | None = None
    fields: tuple[_Field, ...] = ()


class _Sticker(_Part, frozen=True):
    name: str


class _Reference(_Part, frozen=True):
    message_id: str | None = None


class _Forwarded(_Part, frozen=True):
    content: str | None = None
    attachments: tuple[_File, ...] = ()
    embeds: tuple[_Embed, ...] = ()


class ExportedMessage(_Part, frozen=True):
    """One message of an export."""

    id: Snowflake
    type: str
    timestamp: datetime
    content: str
    author: _Author
    attachments: tuple[_File, ...] = ()
    embeds: tuple[_Embed, ...] = ()
    stickers: tuple[_Sticker, ...] = ()
    reference: _Reference | None = None
    forwarded_message: _Forwarded | None = None


def exported_window(head: ExportHead) -> Window:
    """Window of an export's channel.

    Raises:
        ValueError: a kind of channel without messages.
    """
    surface = _SURFACES.get(head.channel.type)
    if surface is None:
        raise ValueError(f"channel.type {head.channel.type[:80]!r}: must be one of {', '.join(_SURFACES)}")
    return Window(surface=surface, id=head.channel.id)


def exported_message(message: ExportedMessage) -> PastMessage | None:
    """A message of an export; None for a notice of Discord, or a message without words.

    Raises:
        ValueError: a kind unknown to the format, a time without a zone, or a time outside of UTC's range.
    """
    if message.timestamp.tzinfo is None:
        raise ValueError(f"timestamp {message.timestamp.isoformat()!r}: a time zone is required")
    try:
        message.timestamp.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"timestamp {message.timestamp.isoformat()!r}: must be a time that UTC has, too") from None
    if message.type not in _SPEECH_TYPES:
        if message.type not in _NOTICES and not (message.type.isascii() and message.type.isdecimal()):
            raise ValueError(
                f"type {message.type[:80]!r}: must be one of {', '.join((*_SPEECH_TYPES[:2], *sorted(_NOTICES)))}"
            )
        return None
    words = words_of(_wire(message.content, message), _no_name)
    if not words.all.strip():
        return None
    answered = message.reference.message_id if message.reference is not None and message.type in ("Reply", "19") else ""
    return PastMessage(
        message_id=MessageId(message.id),
        author_id=UserId(message.author.id),
        author_name=message.author.nickname or message.author.name,
        text=words.all,
        typed_chars=len(words.typed),
        sent_at=message.timestamp,
        reply_to_message_id=MessageId(answered or ""),
    )


def _wire(content: str | None, message: ExportedMessage | _Forwarded) -> dict[str, Any]:
    """A message in the form that Discord itself would send."""
    wire: dict[str, Any] = {
        "content": content or "",
        "attachments": [{"filename": each.file_name, "size": each.file_size_bytes} for each in message.attachments],
        "embeds": [msgspec.to_builtins(each) for each in message.embeds],
    }
    if isinstance(message, ExportedMessage):
        wire["sticker_items"] = [{"id": str(place), "name": each.name} for place, each in enumerate(message.stickers)]
        forwarded = message.forwarded_message
        if forwarded is not None:
            wire["message_reference"] = {"type": 1}
            wire["message_snapshots"] = [{"message": _wire(forwarded.content, forwarded)}]
    return wire


def _no_name(_kind: Mentioned, _number: str) -> str:
    """Give no further name: the exporter wrote all names into the words."""
    return ""


make_ready(__name__)
