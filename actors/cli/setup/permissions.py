"""Permissions needed by the bot, and the bot's permissions in a channel. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.policy.discord_world import PERMISSIONS

NEEDED: Mapping[str, int] = PERMISSIONS
"""Name shown to people by Discord -> bit."""
ALL_NEEDED = 274_878_008_384
"""All needed permissions together."""
_ADMINISTRATOR = 1 << 3
_CONTENT_INTENT = (1 << 18) | (1 << 19)
_CATEGORY, _TEXT, _NEWS, _FORUM = 4, 0, 5, 15
READABLE = (_TEXT, _NEWS, _FORUM)
"""Types of channels where the bot can be heard, in the channel or its threads."""


def invite_link(application_id: str) -> str:
    """Address at which a server's owner admits the bot, with exactly these permissions and the slash commands."""
    scope = "bot+applications.commands"
    return f"https://discord.com/oauth2/authorize?client_id={application_id}&scope={scope}&permissions={ALL_NEEDED}"


def has_content_intent(application: Mapping[str, Any]) -> bool:
    """True if the bot may read messages of people."""
    return bool(int(application.get("flags") or 0) & _CONTENT_INTENT)


def missing(permissions: int) -> tuple[str, ...]:
    """Names of the needed permissions missing from `permissions`."""
    if permissions & _ADMINISTRATOR:
        return ()
    return tuple(name for name, bit in NEEDED.items() if not permissions & bit)


def in_channel(guild: Mapping[str, Any], member: Mapping[str, Any], channel: Mapping[str, Any]) -> int:
    """Permissions of a member in a channel, by Discord's rule: the server's roles, then the channel's exceptions.

    Args:
        guild: With `id` and `roles`.
        member: With `user` and `roles`, ids of the member's roles besides everyone's.
        channel: With `permission_overwrites`.
    """
    mine = {str(guild["id"]), *map(str, member.get("roles", ()))}
    base = _sum(int(role.get("permissions") or 0) for role in guild.get("roles", ()) if str(role["id"]) in mine)
    if base & _ADMINISTRATOR:
        return base
    exceptions = {str(each["id"]): each for each in channel.get("permission_overwrites") or ()}
    everyone = exceptions.pop(str(guild["id"]), None)
    own = exceptions.pop(str(member["user"]["id"]), None)
    of_roles = [each for key, each in exceptions.items() if key in mine]
    for group in ([everyone] if everyone else [], of_roles, [own] if own else []):
        base = base & ~_sum(int(each["deny"]) for each in group) | _sum(int(each["allow"]) for each in group)
    return base


def readable_channels(channels: Iterable[Mapping[str, Any]]) -> list[tuple[str, Mapping[str, Any]]]:
    """Channels the bot can hear, each with the category's name (empty without a category), in Discord's order."""
    rows = list(channels)
    categories = {str(each["id"]): each for each in rows if each.get("type") == _CATEGORY}

    def place(channel: Mapping[str, Any]) -> tuple[int, int, int]:
        parent = categories.get(str(channel.get("parent_id")))
        return (-1 if parent is None else int(parent.get("position") or 0), int(channel.get("position") or 0), 0)

    readable = sorted((each for each in rows if each.get("type") in READABLE), key=place)
    return [(str(categories.get(str(each.get("parent_id")), {}).get("name", "")), each) for each in readable]


def _sum(bits: Iterable[int]) -> int:
    total = 0
    for each in bits:
        total |= each
    return total
