"""JSON objects made from a single record without the rest of the world: users, roles, files, emoji."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from lab import discord_json
from lab.playground.world.records import Attachment, Channel, Overwrite, Role, User
from lab.playground.world.state import thread_state

Json = discord_json.Json
ALL_PERMISSIONS = str((1 << 50) - 1)


def user_payload(user: User) -> Json:
    """User object; the same dict every time, so don't change it."""
    if user.payload is None:
        username = user.name.lower().replace(" ", "_")
        user.payload = discord_json.user(user.id, username, user.name, is_bot=user.bot)
    return user.payload


def member_payload(user: User, *, with_user: bool = True, permissions: bool = False) -> Json:
    """Guild member, with or without the user object."""
    member = discord_json.member(user.joined_at, user.roles) | {"nick": user.nick}
    if with_user:
        member["user"] = user_payload(user)
    if permissions:
        member["permissions"] = ALL_PERMISSIONS
    return member


def role_payload(role: Role, *, of_everyone: bool) -> Json:
    """Role object; the role of everyone is the lowest."""
    payload = discord_json.role(role.id, role.name, role.permissions, position=0 if of_everyone else 1)
    return payload if role.bot_id is None else payload | {"managed": True, "tags": {"bot_id": str(role.bot_id)}}


def overwrite_payload(overwrite: Overwrite) -> Json:
    """An overwrite of a channel."""
    return {
        "id": str(overwrite.target_id),
        "type": int(overwrite.is_member),
        "allow": str(overwrite.allow),
        "deny": str(overwrite.deny),
    }


def thread_member_payload(channel: Channel, user_id: int) -> Json:
    """Membership of a user in a thread."""
    joined_at = thread_state(channel).members[user_id]
    return {"id": str(channel.id), "user_id": str(user_id), "join_timestamp": joined_at, "flags": 0}


def attachment_payload(attachment: Attachment, address: Callable[[int, int, str], str]) -> Json:
    """File object; `address` gives the place of the bytes, from the channel, the id and the quoted name."""
    url = address(attachment.channel_id, attachment.id, quote(attachment.filename))
    payload: Json = {
        "id": str(attachment.id),
        "filename": attachment.filename,
        "size": attachment.size_bytes,
        "url": url,
        "proxy_url": url,
        "content_type": attachment.content_type,
        "flags": 0,
    }
    if attachment.description is not None:
        payload["description"] = attachment.description
    if attachment.duration_s is not None:
        payload |= {"duration_secs": attachment.duration_s, "waveform": "AAAA"}
    return payload


def emoji_payload(emoji: str) -> Json:
    """Emoji in a reaction's form; `name:id` for custom emoji."""
    name, _, emoji_id = emoji.partition(":")
    return {"name": name, "id": emoji_id or None}


def blank_content(payload: Json) -> Json:
    """Message in the form for a bot without the message content intent."""
    blank = {**payload, "content": "", "embeds": [], "attachments": [], "components": []}
    if payload.get("referenced_message"):
        blank["referenced_message"] = blank_content(payload["referenced_message"])
    return blank
