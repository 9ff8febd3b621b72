"""JSON of Discord's objects, for imitations of Discord: each object with every key needed by discord.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
APPLICATION_FLAGS = (1 << 15) | (1 << 19)
"""Members and message content are permitted to a bot in few servers."""


def user(number: int, username: str, name: str, *, is_bot: bool) -> Json:
    """A person or a bot."""
    return {
        "id": str(number),
        "username": username,
        "global_name": name,
        "discriminator": "0",
        "avatar": None,
        "bot": is_bot,
        "system": False,
        "public_flags": 0,
        "flags": 0,
        "primary_guild": None,
    }


def member(joined_at: str, roles: Sequence[int] = ()) -> Json:
    """A membership of a guild, without the user."""
    return {
        "roles": [str(role) for role in roles],
        "joined_at": joined_at,
        "premium_since": None,
        "nick": None,
        "avatar": None,
        "banner": None,
        "pending": False,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "communication_disabled_until": None,
    }


def role(number: int, name: str, permissions: int, position: int) -> Json:
    """Role object; the role of everyone is the lowest."""
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
    """Guild object, as in REST."""
    return {
        "id": str(number),
        "name": name,
        "icon": None,
        "splash": None,
        "discovery_splash": None,
        "home_header": None,
        "banner": None,
        "description": None,
        "owner_id": str(owner),
        "application_id": None,
        "region": region,
        "afk_channel_id": None,
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw": False,
        "nsfw_level": 0,
        "hub_type": None,
        "vanity_url_code": None,
        "incidents_data": None,
        "widget_enabled": False,
        "widget_channel_id": None,
        "max_presences": None,
        "max_members": 500_000,
        "max_video_channel_users": 25,
        "max_stage_video_channel_users": 50,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "premium_progress_bar_enabled": False,
        "preferred_locale": "en-US",
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "safety_alerts_channel_id": None,
        "features": [],
        "emojis": [],
        "stickers": [],
        "roles": roles,
    }


def guild_extras(
    joined_at: str, member_count: int, members: list[Json], *, channels: list[Json], threads: list[Json]
) -> Json:
    """Additions of `GUILD_CREATE` to a guild."""
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
    """Direct messages with one person."""
    return {
        "id": str(number),
        "type": 1,
        "recipients": [recipient],
        "last_message_id": _id_or_none(newest),
        "flags": 0,
    }


def thread(number: int, place: tuple[int, int], owner: int, kind: int, name: str, newest: int | None) -> Json:
    """Thread of a channel, without counts and state; `place` is the guild and the channel."""
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
    """Counts and state of a thread; `state` holds the differences from an open thread."""
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


def application_flags(flags: int) -> Json:
    """Flags of an application, as a number and, for more than 32 flags, as text."""
    return {"flags": flags, "flags_new": str(flags)}


def application(number: int, name: str, description: str, owner: Json) -> Json:
    """Answer to `/oauth2/applications/@me`."""
    return {
        "id": str(number),
        "name": name,
        "icon": None,
        "description": description,
        "type": None,
        "bot_public": False,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        **application_flags(APPLICATION_FLAGS),
        "owner": owner,
        "team": None,
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "approximate_guild_count": 1,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "eligible_oauth2_scopes": [],
    }


def _id_or_none(snowflake: int | None) -> str | None:
    return str(snowflake) if snowflake else None
