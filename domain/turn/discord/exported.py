"""Messages of DiscordChatExporter's JSON: the shape, and the words as in the same message of Discord."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from domain.text.mention import Mentioned
from domain.turn.discord.said import says_something, words_of
from messages.base import MessageId, Surface, UserId, Window, make_ready
from messages.past import PastMessage

Snowflake = Annotated[str, Meta(pattern=r"^[1-9][0-9]{14,19}\Z")]
_Number = Annotated[str, Meta(pattern=r"^[0-9]{1,20}\Z")]
_SURFACES = {
    **dict.fromkeys(("GuildTextChat", "GuildNews", "GuildVoiceChat", "GuildStageVoice"), Surface.DISCORD_CHANNEL),
    **dict.fromkeys(("GuildNewsThread", "GuildPublicThread", "GuildPrivateThread"), Surface.DISCORD_THREAD),
    **dict.fromkeys(("DirectTextChat", "DirectGroupTextChat"), Surface.DISCORD_DM),
}
_NUMBERED_SURFACES = {
    **dict.fromkeys(("0", "2", "5", "13"), Surface.DISCORD_CHANNEL),
    **dict.fromkeys(("10", "11", "12"), Surface.DISCORD_THREAD),
}
"""Kinds of channels by Discord's numbers: an exporter older than a kind writes the number in the place of a name."""
_REPLY, _POLL_RESULT = 19, 46
_KINDS = {
    "Default": 0,
    "RecipientAdd": 1,
    "RecipientRemove": 2,
    "Call": 3,
    "ChannelNameChange": 4,
    "ChannelIconChange": 5,
    "ChannelPinnedMessage": 6,
    "GuildMemberJoin": 7,
    "ThreadCreated": 18,
    "Reply": _REPLY,
}
"""Names for kinds of messages -> Discord's numbers; the exporter writes the number of any other kind."""
_LONGEST_NUMBER = 9
_FIRST_YEAR, _LAST_YEAR = 2015, 9998
"""Years of possible messages; the exporter writes the year 1 for an unknown time."""


class _Part(msgspec.Struct, frozen=True, rename="camel"):
    """Part of an export; unknown keys are ignored."""


class ExportedChannel(_Part, frozen=True):
    """Channel of an export."""

    id: Snowflake
    type: str
    category_id: _Number | None = None
    """Category of a channel; channel of a thread."""


class ExportHead(_Part, frozen=True):
    """The part of an export before the messages."""

    channel: ExportedChannel
    exported_at: datetime | None = None

    @property
    def exported_s(self) -> float:
        """Time of the export in seconds; 0 if unknown, as of old exporters."""
        moment = self.exported_at
        return 0.0 if moment is None or moment.tzinfo is None else moment.timestamp()


class ExportTail(_Part, frozen=True):
    """The part of an export behind the messages."""

    message_count: int | None = None


class _User(_Part, frozen=True):
    id: _Number
    name: str
    nickname: str | None = None


class _File(_Part, frozen=True):
    file_name: str
    file_size_bytes: int = 0


class _Field(_Part, frozen=True):
    name: str | None = None
    value: str | None = None


class _EmbedAuthor(_Part, frozen=True):
    name: str | None = None


class _EmbedFooter(_Part, frozen=True):
    text: str | None = None


class _Embed(_Part, frozen=True):
    title: str | None = None
    description: str | None = None
    url: str | None = None
    author: _EmbedAuthor | None = None
    footer: _EmbedFooter | None = None
    fields: tuple[_Field, ...] = ()


class _Sticker(_Part, frozen=True):
    name: str


class _Reference(_Part, frozen=True):
    message_id: str | None = None


class _Forwarded(_Part, frozen=True):
    timestamp: datetime | None = None
    content: str | None = None
    attachments: tuple[_File, ...] = ()
    embeds: tuple[_Embed, ...] = ()
    stickers: tuple[_Sticker, ...] = ()


class ExportedMessage(_Part, frozen=True):
    """One message of an export."""

    id: Snowflake
    type: str
    timestamp: datetime
    content: str
    author: _User
    attachments: tuple[_File, ...] = ()
    embeds: tuple[_Embed, ...] = ()
    stickers: tuple[_Sticker, ...] = ()
    mentions: tuple[_User, ...] = ()
    reference: _Reference | None = None
    forwarded_message: _Forwarded | None = None


def exported_window(head: ExportHead) -> Window:
    """Window of an export's channel.

    Raises:
        ValueError: a kind of channel without messages.
    """
    kind = head.channel.type
    surface = _SURFACES.get(kind) or _NUMBERED_SURFACES.get(kind)
    if surface is None:
        raise ValueError(f"channel.type {kind[:80]!r}: must be one of {', '.join(_SURFACES)}")
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
    wire = _wire(message, _kind_of(message.type))
    words = words_of(wire, _no_name)
    if not says_something(wire) or not words.all.strip():
        return None
    answered = message.reference.message_id if message.reference is not None and wire["type"] == _REPLY else None
    return PastMessage(
        message_id=MessageId(message.id),
        author_id=UserId(message.author.id),
        author_name=message.author.nickname or message.author.name,
        text=words.all,
        typed_chars=len(words.typed),
        sent_at=message.timestamp,
        reply_to_message_id=MessageId(answered or ""),
    )


def _kind_of(name: str) -> int:
    """Discord's number of a kind of messages."""
    if name in _KINDS:
        return _KINDS[name]
    if name.isascii() and name.isdecimal() and len(name) <= _LONGEST_NUMBER:
        return int(name)
    raise ValueError(f"type {name[:80]!r}: must be one of {', '.join(_KINDS)}, or a number")


def _wire(message: ExportedMessage, kind: int) -> dict[str, Any]:
    """A message in the form that Discord itself would send."""
    wire = {"type": kind, **_parts(message)}
    wire["mentions"] = [
        {"id": each.id, "username": each.name, "global_name": each.nickname} for each in message.mentions
    ]
    if kind == _POLL_RESULT:
        wire["embeds"] = [{**each, "type": "poll_result"} for each in wire["embeds"]]
    if (forwarded := message.forwarded_message) is not None:
        wire["message_reference"] = {"type": 1}
        wire["message_snapshots"] = [{"message": {**_parts(forwarded), "timestamp": _utc(forwarded.timestamp)}}]
    return wire


def _parts(message: ExportedMessage | _Forwarded) -> dict[str, Any]:
    """Text, files, embeds and stickers of a message in Discord's form."""
    return {
        "content": message.content or "",
        "attachments": [{"filename": each.file_name, "size": each.file_size_bytes} for each in message.attachments],
        "embeds": [msgspec.to_builtins(each) for each in message.embeds],
        "sticker_items": [{"id": str(place), "name": each.name} for place, each in enumerate(message.stickers)],
    }


def _utc(moment: datetime | None) -> str:
    """A time as Discord writes it; empty for an unknown time."""
    if moment is None or moment.tzinfo is None or not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        return ""
    return moment.astimezone(UTC).isoformat()


def _no_name(_kind: Mentioned, _number: str) -> str:
    """Give no further name: the words of an export, or the list of mentioned people, have all names."""
    return ""


make_ready(__name__)
