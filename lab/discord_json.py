"""JSON of Discord's objects, for whatever imitates Discord: each with every key that discord.py needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]


def user(number: int, username: str, name: str, *, is_bot: bool) -> Json:
    """Somebody."""
    return {
        "id": str(number),
        "username": username,
        "global_name": name,
        "discriminator": "0",
        "avatar": None,
        "bot": is_bot,
        "system": False,
        "public_flags": 0,
    }


def member(joined_at: str, roles: Sequence[int] = ()) -> Json:
    """A membership of a guild, without the user."""
    return {
        "roles": [str(role) for role in roles],
        "joined_at": joined_at,
        "premium_since": None,
        "nick": None,
        "avatar": None,
        "pending": False,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "communication_disabled_until": None,
    }


def role(number: int, name: str, permissions: int, position: int) -> Json:
    """A role; the one of everyone is the lowest."""
    return {
        "id": str(number),
        "name": name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": position,
        "permissions": str(permissions),
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }


def guild(number: int, name: str, owner: int, region: str, roles: list[Json]) -> Json:
    """A guild as REST describes it."""
    return {
        "id": str(number),
        "name": name,
        "icon": None,
        "splash": None,
        "banner": None,
        "description": None,
        "owner_id": str(owner),
        "region": region,
        "afk_channel_id": None,
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "premium_progress_bar_enabled": False,
        "preferred_locale": "en-US",
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "features": [],
        "emojis": [],
        "stickers": [],
        "roles": roles,
    }


def guild_extras(
    joined_at: str, member_count: int, members: list[Json], *, channels: list[Json], threads: list[Json]
) -> Json:
    """What `GUILD_CREATE` has of a guild besides."""
    return {
        "joined_at": joined_at,
        "large": member_count > 250,
        "unavailable": False,
        "member_count": member_count,
        "members": members,
        "channels": channels,
        "threads": threads,
        "voice_states": [],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def channel(number: int, guild_id: int, kind: int, name: str, *, position: int, newest: int | None) -> Json:
    """A channel of a guild, without overwrites and topic."""
    return {
        "id": str(number),
        "guild_id": str(guild_id),
        "type": kind,
        "name": name,
        "position": position,
        "permission_overwrites": [],
        "topic": None,
        "nsfw": False,
        "parent_id": None,
        "rate_limit_per_user": 0,
        "last_message_id": _id_or_none(newest),
        "flags": 0,
    }


def dm_channel(number: int, recipient: Json, newest: int | None) -> Json:
    """Direct messages with somebody."""
    return {
        "id": str(number),
        "type": 1,
        "recipients": [recipient],
        "last_message_id": _id_or_none(newest),
        "flags": 0,
    }


def thread(number: int, place: tuple[int, int], owner: int, kind: int, name: str, newest: int | None) -> Json:
    """A thread of a channel, `place` being the guild and the channel, without its counts and its state."""
    return {
        "id": str(number),
        "guild_id": str(place[0]),
        "parent_id": str(place[1]),
        "owner_id": str(owner),
        "type": kind,
        "name": name,
        "last_message_id": _id_or_none(newest),
    }


def thread_state(messages: int, members: int, changed_at: str, created_at: str, **state: object) -> Json:
    """What a thread has besides: counts, and `state`, which says what differs from a thread that is open."""
    return {
        "message_count": messages,
        "total_message_sent": messages,
        "member_count": members,
        "rate_limit_per_user": 0,
        "flags": 0,
        "thread_metadata": {
            "archived": False,
            "auto_archive_duration": 1440,
            "archive_timestamp": changed_at,
            "locked": False,
            "invitable": True,
            "create_timestamp": created_at,
        }
        | state,
    }


def application(number: int, name: str, description: str, owner: Json) -> Json:
    """What `/oauth2/applications/@me` answers."""
    return {
        "id": str(number),
        "name": name,
        "icon": None,
        "description": description,
        "bot_public": False,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": (1 << 15) | (1 << 19),
        "owner": owner,
        "team": None,
    }


def _id_or_none(snowflake: int | None) -> str | None:
    return str(snowflake) if snowflake else None
