"""Messages of DiscordChatExporter's JSON: their shape, and their words as those of the same message in Discord."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from messages.base import MessageId, Surface, UserId, Window, make_ready
from messages.past import PastMessage

Snowflake = Annotated[str, Meta(pattern=r"^[1-9][0-9]{14,19}\Z")]
_SURFACES = {
    **dict.fromkeys(("GuildTextChat", "GuildNews", "GuildVoiceChat", "GuildStageVoice"), Surface.DISCORD_CHANNEL),
    **dict.fromkeys(("GuildNewsThread", "GuildPublicThread", "GuildPrivateThread"), Surface.DISCORD_THREAD),
    "DirectTextChat": Surface.DISCORD_DM,
}
_SAID = ("Default", "Reply", "0", "19")
_NOTICES = frozenset(
    {
        *("RecipientAdd", "RecipientRemove", "Call", "ChannelNameChange", "ChannelIconChange"),
        *("ChannelPinnedMessage", "GuildMemberJoin", "ThreadCreated"),
    }
)


class _Part(msgspec.Struct, frozen=True, rename="camel"):
    """Part of an export; keys that are not named here are ignored."""


class ExportedChannel(_Part, frozen=True):
    """Channel of an export."""

    id: Snowflake
    type: str
    name: str = ""


class ExportHead(_Part, frozen=True):
    """All that stands before the messages."""

    channel: ExportedChannel


class ExportTail(_Part, frozen=True):
    """All that stands behind the messages."""

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
        ValueError: a kind of channel in which nothing is said.
    """
    surface = _SURFACES.get(head.channel.type)
    if surface is None:
        raise ValueError(f"channel.type {head.channel.type[:80]!r}: must be one of {', '.join(_SURFACES)}")
    return Window(surface=surface, id=head.channel.id)


def exported_message(message: ExportedMessage) -> PastMessage | None:
    """A message of an export; None for a notice of Discord's, or a message without words.

    Raises:
        ValueError: a kind that the format does not have, a time without a zone, or a time that UTC does not have.
    """
    if message.timestamp.tzinfo is None:
        raise ValueError(f"timestamp {message.timestamp.isoformat()!r}: a time zone is required")
    try:
        message.timestamp.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"timestamp {message.timestamp.isoformat()!r}: must be a time that UTC has, too") from None
    if message.type not in _SAID:
        if message.type not in _NOTICES and not (message.type.isascii() and message.type.isdecimal()):
            raise ValueError(f"type {message.type[:80]!r}: must be one of {', '.join((*_SAID[:2], *sorted(_NOTICES)))}")
        return None
    told = "\n".join(_told_lines(message))
    text = "\n\n".join(filter(None, (message.content, told)))
    if not text.strip():
        return None
    answered = message.reference.message_id if message.reference is not None and message.type in ("Reply", "19") else ""
    return PastMessage(
        message_id=MessageId(message.id),
        author_id=UserId(message.author.id),
        author_name=message.author.nickname or message.author.name,
        text=text,
        typed_chars=len(message.content),
        sent_at=message.timestamp,
        reply_to_message_id=MessageId(answered or ""),
    )


def _told_lines(message: ExportedMessage) -> Iterator[str]:
    """Lines about parts beside the typed words; foreign words in them stand behind `> `."""
    yield from (f"[sticker: {_one_line(each.name)}]" for each in message.stickers)
    yield from _embed_lines(message.embeds)
    if (forwarded := message.forwarded_message) is not None:
        yield "[forwarded message]"
        yield from (f"> {line}" for line in (forwarded.content or "").splitlines())
        yield from _embed_lines(forwarded.embeds)
        yield from _file_lines(forwarded.attachments)
    yield from _file_lines(message.attachments)


def _embed_lines(embeds: tuple[_Embed, ...]) -> Iterator[str]:
    for each in embeds:
        fields = [f"{field.name or ''}: {field.value or ''}" for field in each.fields]
        words = "\n".join(filter(None, (each.title, each.description, *fields, each.url)))
        if words:
            yield "[embed]"
            yield from (f"> {line}" for line in words.splitlines())


def _file_lines(files: tuple[_File, ...]) -> Iterator[str]:
    for each in files:
        yield f"[attachment: {_one_line(each.file_name)}, {each.file_size_bytes:,} bytes]"


def _one_line(text: str) -> str:
    return " ".join(text.split())


make_ready(__name__)
