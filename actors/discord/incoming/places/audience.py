"""Read permissions of a Discord channel, from discord.py's cache."""

from __future__ import annotations

import discord

from domain.policy.audience import Audience, Reach, is_open
from messages.discord import Grant, Readers

_ADMINISTRATOR = discord.Permissions(administrator=True).value
_VIEW = discord.Permissions(view_channel=True).value
_HISTORY = discord.Permissions(read_message_history=True).value
_CONNECT = discord.Permissions(connect=True).value
"""Permission to connect; without it, even the text of a voice channel is unreadable."""


def audience_label(channel: object) -> str:
    """The label of `channel`'s place; empty when discord.py doesn't know the channel."""
    audience = audience_of(channel)
    return "" if audience is None else str(audience)


def audience_of(channel: object) -> Audience | None:
    """Place of `channel` and the present readers; None when discord.py doesn't know the channel."""
    if isinstance(channel, discord.Thread):
        guild_id, parent_id = str(channel.guild.id), str(channel.parent_id)
        if channel.is_private():
            return Audience(guild_id, parent_id, Reach.PRIVATE)
        return Audience(guild_id, parent_id, _reach(channel.parent))
    if isinstance(channel, discord.DMChannel):
        return Audience("0", str(channel.id), Reach.PRIVATE)
    if isinstance(channel, discord.abc.GuildChannel):
        return Audience(str(channel.guild.id), str(channel.id), _reach(channel))
    return None


def readers_of(channel: discord.abc.GuildChannel, *, private: bool = False) -> Readers | None:
    """Readers of a channel, or of a private thread in it; None while its server is unknown.

    The server's owner and administrators are left out: they may read everything.
    """
    guild = channel.guild
    if guild.unavailable or guild.get_role(guild.id) is None:
        return None
    permissions = [_VIEW, _HISTORY]
    if isinstance(channel, discord.VoiceChannel | discord.StageChannel):
        permissions.append(_CONNECT)
    reads = tuple(_grant(channel, permission) for permission in permissions)
    return Readers(guild_id=str(guild.id), channel_id=str(channel.id), sees=reads[0], reads=reads, is_private=private)


def _reach(channel: discord.abc.GuildChannel | None) -> Reach:
    """Reach of `channel`: everyone if the whole server may read it; an unknown channel counts as closed."""
    readers = None if channel is None else readers_of(channel)
    return Reach.EVERYONE if readers is not None and is_open(readers) else Reach.CHANNEL


def _grant(channel: discord.abc.GuildChannel, permission: int) -> Grant:
    """Holders of one permission in a channel, in Discord's order: the server's roles, then the channel's overwrites."""
    guild = channel.guild
    everyone, administrators, giving = guild.default_role, set[int](), set[str]()
    for role in guild.roles:
        if role.permissions.value & _ADMINISTRATOR:
            administrators.add(role.id)
        elif role.permissions.value & permission:
            giving.add(str(role.id))
    if everyone.id in administrators:
        return Grant(is_default=True)
    is_default = str(everyone.id) in giving
    allowed, denied = (set[str](), set[str]()), (set[str](), set[str]())
    for overwrite in channel._overwrites:
        side = allowed if overwrite.allow & permission else denied if overwrite.deny & permission else None
        if side is None or overwrite.id in administrators or overwrite.id == guild.owner_id:
            continue
        if overwrite.id == everyone.id:
            is_default, giving = side is allowed, set()
        else:
            side[not overwrite.is_role()].add(str(overwrite.id))
    return Grant(
        is_default=is_default,
        giving_roles=frozenset() if is_default else frozenset(giving),
        denied_roles=frozenset(denied[0]),
        allowed_roles=frozenset(allowed[0]),
        denied_members=frozenset(denied[1]),
        allowed_members=frozenset(allowed[1]),
    )
