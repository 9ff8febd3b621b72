"""JSON of the one server that the simulation has, with every key that discord.py needs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

EPOCH_MS = 1_420_070_400_000
GUILD, BOT, APPLICATION = 910_000_000_000_000_001, 910_000_000_000_000_002, 910_000_000_000_000_003
PEOPLE = (910_000_000_000_000_021, 910_000_000_000_000_022, 910_000_000_000_000_023)
_JOINED = "2026-01-01T00:00:00+00:00"


def user(number: int) -> Json:
    """A person, or the bot."""
    is_bot = number == BOT
    return {
        "id": str(number),
        "username": "agent" if is_bot else f"person{number % 100}",
        "global_name": "Agent" if is_bot else f"Person {number % 100}",
        "discriminator": "0",
        "avatar": None,
        "bot": is_bot,
        "system": False,
        "public_flags": 0,
    }


def member() -> Json:
    """Anybody's membership, without the user."""
    return {
        "roles": [],
        "joined_at": _JOINED,
        "premium_since": None,
        "nick": None,
        "avatar": None,
        "pending": False,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "communication_disabled_until": None,
    }


def application() -> Json:
    """What `/oauth2/applications/@me` answers."""
    return {
        "id": str(APPLICATION),
        "name": "Agent",
        "icon": None,
        "description": "",
        "bot_public": False,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": (1 << 15) | (1 << 19),
        "owner": user(PEOPLE[0]),
        "team": None,
    }


def guild(channels: list[Json], threads: list[Json]) -> Json:
    """The server as `GUILD_CREATE` describes it."""
    everyone = {
        "id": str(GUILD),
        "name": "@everyone",
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": 0,
        "permissions": str((1 << 50) - 1),
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }
    return {
        "id": str(GUILD),
        "name": "Server",
        "icon": None,
        "splash": None,
        "banner": None,
        "description": None,
        "owner_id": str(PEOPLE[0]),
        "region": "",
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
        "roles": [everyone],
        "joined_at": _JOINED,
        "large": False,
        "unavailable": False,
        "member_count": len(PEOPLE) + 1,
        "members": [{**member(), "user": user(BOT)}],
        "channels": channels,
        "threads": threads,
        "voice_states": [],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def text_channel(number: int, newest: int, position: int) -> Json:
    """A channel of the server."""
    return {
        "id": str(number),
        "guild_id": str(GUILD),
        "type": 0,
        "name": f"channel-{position}",
        "position": position,
        "permission_overwrites": [],
        "topic": None,
        "nsfw": False,
        "parent_id": None,
        "rate_limit_per_user": 0,
        "last_message_id": str(newest) if newest else None,
        "flags": 0,
    }


def thread(number: int, parent: int, newest: int, count: int) -> Json:
    """A public thread that is not archived."""
    return {
        "id": str(number),
        "guild_id": str(GUILD),
        "parent_id": str(parent),
        "owner_id": str(PEOPLE[0]),
        "type": 11,
        "name": f"thread-{number}",
        "last_message_id": str(newest) if newest else None,
        "message_count": count,
        "total_message_sent": count,
        "member_count": 1,
        "rate_limit_per_user": 0,
        "flags": 0,
        "thread_metadata": {
            "archived": False,
            "auto_archive_duration": 1440,
            "archive_timestamp": instant_of(number),
            "locked": False,
            "invitable": True,
            "create_timestamp": instant_of(number),
        },
    }


def dm_channel(number: int, person: int, newest: int) -> Json:
    """Direct messages with a person."""
    return {
        "id": str(number),
        "type": 1,
        "recipients": [user(person)],
        "last_message_id": str(newest) if newest else None,
        "flags": 0,
    }


def instant_of(number: int) -> str:
    """When a snowflake was made, as Discord writes it."""
    return datetime.fromtimestamp(((number >> 22) + EPOCH_MS) / 1000, UTC).isoformat()
