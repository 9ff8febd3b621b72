"""Records of the world: users, channels, messages. Mutable, and changed by `state.py` and the acts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from lab.playground.world import defaults
from lab.playground.world.history import History


class ChannelKind(IntEnum):
    """Channel types of Discord, as far as used here."""

    TEXT = 0
    DM = 1
    VOICE = 2
    CATEGORY = 4
    ANNOUNCEMENT = 5
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    STAGE = 13
    FORUM = 15
    MEDIA = 16

    @property
    def has_text(self) -> bool:
        """True if messages stand in the channel itself."""
        return self not in (ChannelKind.CATEGORY, ChannelKind.FORUM, ChannelKind.MEDIA)

    @property
    def may_have_threads(self) -> bool:
        """True if threads can be opened in the channel."""
        return self in (ChannelKind.TEXT, ChannelKind.ANNOUNCEMENT, ChannelKind.FORUM, ChannelKind.MEDIA)


class MessageKind(IntEnum):
    """Message types of Discord, as far as used here."""

    DEFAULT = 0
    PINS_ADD = 6
    THREAD_CREATED = 18
    REPLY = 19
    CHAT_INPUT_COMMAND = 20
    THREAD_STARTER = 21
    CONTEXT_MENU_COMMAND = 23


class MessageFlag(IntEnum):
    """Discord's message flags with a meaning here; bits of `Message.flags`, a plain integer."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SILENT = 1 << 12
    COMPONENTS_V2 = 1 << 15


@dataclass(slots=True)
class User:
    """Person or bot; everyone is a member of the one guild."""

    id: int
    name: str
    bot: bool = False
    joined_at: str = ""
    roles: list[int] = field(default_factory=list)
    nick: str | None = None
    """Nickname in the guilds."""
    payload: dict[str, Any] | None = None
    """Cached user object; set by `payloads.py`."""


@dataclass(slots=True)
class Role:
    """A role of the guild; `@everyone` has the guild's id."""

    id: int
    name: str
    permissions: int = 0
    bot_id: int | None = None
    """Bot for which Discord keeps the role."""


@dataclass(frozen=True, slots=True)
class Overwrite:
    """Permissions granted or denied to one role or member by a channel, apart from the guild; bits of permissions."""

    target_id: int
    is_member: bool = False
    allow: int = 0
    deny: int = 0


@dataclass(slots=True)
class Attachment:
    """File of a message; its bytes live in the `FileStore`."""

    id: int
    channel_id: int
    filename: str
    content_type: str
    size_bytes: int
    description: str | None = None
    duration_s: float | None = None
    """Of a voice message."""


@dataclass(slots=True)
class ThreadState:
    """State of a thread beyond a channel's."""

    owner_id: int
    created_at: str
    auto_archive_minutes: int = 1440
    archived: bool = False
    locked: bool = False
    archive_changed_at: str = ""
    message_count: int = 0
    members: dict[int, str] = field(default_factory=dict)
    """User id -> time of joining (ISO)."""


@dataclass(slots=True)
class Channel:
    """A text channel, forum, DM or thread with its messages."""

    id: int
    kind: ChannelKind
    name: str
    history: History[Message]
    guild_id: int = defaults.GUILD_ID
    """Without meaning for a DM."""
    position: int = 0
    topic: str | None = None
    parent_id: int | None = None
    """Channel of a thread, category of another channel."""
    recipient_id: int | None = None
    """The human end of a DM."""
    thread: ThreadState | None = None
    overwrites: dict[int, Overwrite] = field(default_factory=dict)
    """Overwrites by the id of their role or member, to decide on people's reading; the bot is admitted everywhere."""
    last_message_id: int | None = None
    typing_until: dict[int, float] = field(default_factory=dict)
    """User id -> end of the indicator (epoch seconds)."""

    @property
    def is_private(self) -> bool:
        """True if only members see the channel."""
        return self.kind in (ChannelKind.PRIVATE_THREAD, ChannelKind.DM)


@dataclass(slots=True)
class Message:
    """A message; `reference` is (channel id, message id or None)."""

    id: int
    channel_id: int
    author: User
    content: str
    created_at: str
    kind: MessageKind = MessageKind.DEFAULT
    flags: int = 0
    edited_at: str | None = None
    nonce: str | int | None = None
    embeds: list[dict[str, Any]] = field(default_factory=list)
    components: list[dict[str, Any]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    mentions: list[int] = field(default_factory=list)
    mention_roles: list[int] = field(default_factory=list)
    mention_everyone: bool = False
    pinned: bool = False
    reference: tuple[int, int | None] | None = None
    reactions: dict[str, list[int]] = field(default_factory=dict)
    interaction: dict[str, Any] | None = None
    """`interaction_metadata`, for answers to interactions."""
    position: int | None = None
    """Approximate place in a thread."""
    parts: dict[str, Any] = field(default_factory=dict)
    """Further fields in Discord's form: forwarded messages, polls, stickers, a webhook's id."""


@dataclass(frozen=True, slots=True)
class Upload:
    """File on the way into a message."""

    filename: str
    data: bytes
    content_type: str | None = None
    description: str | None = None
    duration_s: float | None = None
    """Of a voice message."""


@dataclass(slots=True, kw_only=True)
class Draft:
    """A message about to be posted; already validated."""

    author: User
    content: str = ""
    kind: MessageKind = MessageKind.DEFAULT
    flags: int = 0
    nonce: str | int | None = None
    enforce_nonce: bool = False
    embeds: list[dict[str, Any]] = field(default_factory=list)
    components: list[dict[str, Any]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    allowed_mentions: dict[str, Any] | None = None
    reference: tuple[int, int | None] | None = None
    interaction: dict[str, Any] | None = None
    parts: dict[str, Any] = field(default_factory=dict)
    message_id: int | None = None
    """Only for starters of forum posts, which share the thread's id, and for messages of the past."""
    created_at: str = ""
    """Only for messages of the past; empty for now."""
