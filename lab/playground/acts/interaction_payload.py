"""JSON of an interaction as sent to the bot, and of its trace on the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.playground.world import defaults
from lab.playground.world.interactions import Interaction
from lab.playground.world.objects import ALL_PERMISSIONS, Json, member_payload, user_payload
from lab.playground.world.payloads import Payloads
from lab.playground.world.records import ChannelKind, User
from lab.playground.world.rules import FILE_LIMIT_BYTES
from lab.playground.world.state import World


def metadata_of(interaction: Interaction) -> Json:
    """`interaction_metadata` of a message that answers `interaction`."""
    metadata: Json = {
        "id": str(interaction.id),
        "type": int(interaction.kind),
        "user": user_payload(interaction.user),
        "authorizing_integration_owners": {"0": str(interaction.channel.guild_id)},
    }
    if "name" in interaction.data:
        metadata["name"] = interaction.data["name"]
    if interaction.trigger is not None:
        metadata["triggering_interaction_metadata"] = metadata_of(interaction.trigger)
    elif interaction.source is not None:
        metadata["interacted_message_id"] = str(interaction.source.id)
    return metadata


def interaction_payload(interaction: Interaction, payloads: Payloads) -> Json:
    """The `d` of INTERACTION_CREATE."""
    channel = interaction.channel
    payload: Json = {
        "id": str(interaction.id),
        "application_id": str(defaults.APPLICATION_ID),
        "type": int(interaction.kind),
        "token": interaction.token,
        "version": 1,
        "data": interaction.data,
        "channel_id": str(channel.id),
        "channel": payloads.channel(channel),
        "locale": "en-US",
        "app_permissions": ALL_PERMISSIONS,
        "entitlements": [],
        "authorizing_integration_owners": {"0": str(channel.guild_id)},
        "context": 0,
        "attachment_size_limit": FILE_LIMIT_BYTES,
    }
    if channel.kind == ChannelKind.DM:
        payload |= {"user": user_payload(interaction.user), "context": 1}
    else:
        payload |= {"guild_id": str(channel.guild_id), "guild_locale": "en-US"}
        payload["guild"] = {"id": str(channel.guild_id), "locale": "en-US", "features": []}
        payload["member"] = member_payload(interaction.user) | {
            "permissions": payloads.permissions(interaction.user, channel)
        }
    if interaction.source is not None:
        payload["message"] = payloads.message(interaction.source)
    return payload


def add_resolved(data: Json, world: World, payloads: Payloads) -> None:
    """Add the users and channels named by id in options."""
    options = data["options"]
    while options and options[0]["type"] in (1, 2):
        options = options[0]["options"]
    resolved = dict[str, Any]()
    for option in options:
        if option["type"] == 6:
            resolved |= resolved_users([world.user(int(option["value"]))])
        elif option["type"] == 7:
            channel = world.channel(int(option["value"]))
            with_permissions = {**payloads.channel(channel), "permissions": ALL_PERMISSIONS}
            resolved["channels"] = {str(channel.id): with_permissions}
    if resolved:
        data["resolved"] = resolved


def resolved_users(users: Sequence[User]) -> Json:
    """`resolved` of users named by options or a context menu."""
    return {
        "users": {str(u.id): user_payload(u) for u in users},
        "members": {str(u.id): member_payload(u, with_user=False, permissions=True) for u in users},
    }
