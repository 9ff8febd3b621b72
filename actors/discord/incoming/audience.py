"""Read permissions of a Discord channel as an audience, from what discord.py holds of it."""

from __future__ import annotations

import discord

from domain.policy.audience import Audience, Reach


def audience_label(channel: object) -> str:
    """The label of `channel`'s readers; empty when discord.py doesn't know the channel."""
    audience = audience_of(channel)
    return "" if audience is None else str(audience)


def audience_of(channel: object) -> Audience | None:
    """The readers of `channel`; None when discord.py doesn't know it."""
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


def _reach(channel: discord.abc.GuildChannel | None) -> Reach:
    """Whether everyone in the server may read `channel`; one that is not known is taken for a closed one."""
    if channel is None:
        return Reach.CHANNEL
    may = channel.permissions_for(channel.guild.default_role)
    return Reach.EVERYONE if may.view_channel and may.read_message_history else Reach.CHANNEL
