"""Acts of people on messages, channels and threads; Discord's own rules apply, and a refusal is an `ApiError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab.playground.hub import Hub
from lab.playground.world import rules
from lab.playground.world.defaults import GUILD_ID, YOU_ID
from lab.playground.world.records import Channel, ChannelKind, Draft, Message, MessageKind, Overwrite, Upload, User
from lab.playground.world.state import check_reference, thread_state

IS_VOICE_MESSAGE = 1 << 13
"""Discord's flag of a message that is a single recording."""
File = Upload | tuple[str, bytes]
"""File to attach; a pair is its name and its bytes."""


def place_user(hub: Hub, channel_id: int, user_id: int) -> tuple[Channel, User]:
    """Channel, and a user permitted to see the channel; a private thread takes in a speaking user."""
    channel, user = hub.world.channel(channel_id), hub.world.user(user_id)
    if channel.thread is not None:
        hub.add_to_thread(channel, user)
    return channel, user


def message_in(hub: Hub, channel_id: int, message_id: int) -> Message:
    """The message, else `ApiError`."""
    return hub.world.message(hub.world.channel(channel_id), message_id)


# messages


def say(
    hub: Hub,
    channel_id: int,
    text: str = "",
    *,
    user: int = YOU_ID,
    attachments: Sequence[File] = (),
    reply_to: int | None = None,
    nonce: str | None = None,
    parts: Mapping[str, Any] | None = None,
) -> int:
    """Post a message, with further fields of Discord's if given; return the message's id."""
    channel, author = place_user(hub, channel_id, user)
    uploads = [file if isinstance(file, Upload) else Upload(*file) for file in attachments]
    content = rules.clean_content(text)
    rules.check_not_empty(content, uploads, [parts] if parts else ())
    draft = Draft(author=author, content=content, nonce=nonce, enforce_nonce=nonce is not None, parts=dict(parts or {}))
    if reply_to is not None:
        check_reference(channel, reply_to, must_exist=True)
        draft.kind, draft.reference = MessageKind.REPLY, (channel.id, reply_to)
    draft.attachments = hub.attach(channel, uploads)
    return hub.post(channel, draft).id


def speak(hub: Hub, channel_id: int, audio: bytes, *, seconds: float = 1.0, user: int = YOU_ID) -> int:
    """Post a voice message; return the message's id."""
    recording = Upload("voice-message.ogg", audio, "audio/ogg", duration_s=seconds)
    return say(hub, channel_id, user=user, attachments=[recording], parts={"flags": IS_VOICE_MESSAGE})


def edit(hub: Hub, channel_id: int, message_id: int, text: str) -> None:
    """Change the text of a user's message."""
    message = message_in(hub, channel_id, message_id)
    content = rules.clean_content(text)
    rules.check_not_empty(content, message.attachments)
    hub.edit(message, content)


def delete(hub: Hub, channel_id: int, message_id: int) -> None:
    """Delete a message."""
    hub.delete(hub.world.channel(channel_id), message_id)


def delete_many(hub: Hub, channel_id: int, message_ids: Sequence[int]) -> None:
    """Delete several messages at once."""
    hub.delete_many(hub.world.channel(channel_id), message_ids)


def react(hub: Hub, channel_id: int, message_id: int, emoji: str, *, user: int = YOU_ID, remove: bool = False) -> None:
    """Add or remove a reaction."""
    hub.react(message_in(hub, channel_id, message_id), hub.world.user(user), emoji, remove=remove)


def type_in(hub: Hub, channel_id: int, *, user: int = YOU_ID) -> None:
    """Show a user as typing."""
    hub.type_in(*place_user(hub, channel_id, user))


# users and roles


def add_user(hub: Hub, name: str, *, bot: bool = False) -> int:
    """Add a member of the guild, or another bot; return the user id."""
    return hub.add_user(name, bot=bot).id


def name_in_guilds(hub: Hub, user_id: int, nick: str | None) -> None:
    """Give a user a nickname."""
    hub.world.user(user_id).nick = nick


def add_role(hub: Hub, name: str, *user_ids: int, permissions: int = 0, bot_id: int | None = None) -> int:
    """Create a role, or a role that Discord keeps for a bot, and give the role to users; return the role's id."""
    role = hub.world.add_role(name, permissions)
    role.bot_id = bot_id
    for user_id in user_ids:
        hub.world.user(user_id).roles.append(role.id)
    hub.tell_role("GUILD_ROLE_CREATE", role)
    return role.id


def change_role(hub: Hub, role_id: int, permissions: int) -> None:
    """Change the permissions of a role, or of a guild's `@everyone`."""
    role = hub.world.role(role_id)
    role.permissions = permissions
    hub.tell_role("GUILD_ROLE_UPDATE", role)


def remove_role(hub: Hub, role_id: int) -> None:
    """Delete a role."""
    hub.remove_role(hub.world.role(role_id))


# channels and threads


def create_guild(hub: Hub, name: str, guild_id: int) -> None:
    """Add a guild with all users and no channel; the bot learns of the guild at its next IDENTIFY."""
    hub.create_guild(name, guild_id)


def create_channel(
    hub: Hub,
    name: str,
    *,
    kind: ChannelKind = ChannelKind.TEXT,
    forum: bool = False,
    guild_id: int = GUILD_ID,
    parent_id: int | None = None,
) -> int:
    """Create a channel or category, in a category if given; return the channel's id."""
    return hub.create_channel(name, ChannelKind.FORUM if forum else ChannelKind(kind), guild_id, parent_id).id


def move_channel(hub: Hub, channel_id: int, parent_id: int | None) -> None:
    """Put a channel into a category, or take the channel out."""
    channel = hub.world.channel(channel_id)
    channel.parent_id = parent_id
    hub.update_channel(channel)


def delete_channel(hub: Hub, channel_id: int) -> None:
    """Delete a channel with its threads, or a thread."""
    hub.delete_channel(hub.world.channel(channel_id))


def overwrite(
    hub: Hub, channel_id: int, target_id: int, *, allow: int = 0, deny: int = 0, is_member: bool = False
) -> None:
    """Have a channel permit or deny permissions to a role or a member; without bits, remove the overwrite."""
    hub.overwrite(hub.world.channel(channel_id), Overwrite(target_id, is_member, allow, deny))


def create_thread(
    hub: Hub,
    channel_id: int,
    name: str,
    *,
    user: int = YOU_ID,
    message_id: int | None = None,
    private: bool = False,
    with_bot: bool = True,
) -> int:
    """Start a thread, from a message if given; return the thread's id.

    A private thread without the bot is invisible to the bot.
    """
    parent, owner = place_user(hub, channel_id, user)
    starter = hub.world.message(parent, message_id) if message_id is not None else None
    thread = hub.create_thread(parent, rules.clean_channel_name(name), owner, starter=starter, private=private)
    if private and with_bot:
        hub.add_to_thread(thread, hub.world.bot)
    return thread.id


def change_thread(hub: Hub, thread_id: int, *, archived: bool | None = None, locked: bool | None = None) -> None:
    """Archive, un-archive, lock or unlock a thread; None leaves the state unchanged."""
    thread = hub.world.channel(thread_id)
    state = thread_state(thread)
    state.locked = state.locked if locked is None else locked
    hub.world.set_archived(thread, state.archived if archived is None else archived)
    hub.update_channel(thread)


def open_dm(hub: Hub, *, user: int = YOU_ID) -> int:
    """Open the DM between a user and the bot, unless already open; return the channel's id."""
    return hub.world.dm_with(hub.world.user(user)).id
