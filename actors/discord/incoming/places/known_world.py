"""Survey of Discord from the gateway's events: channels, roles and servers, without a call."""

from __future__ import annotations

import discord

from domain.policy.discord_world import KINDS, DiscordWorld, Person, Place, PlaceKind, RoleOf


def known_world(client: discord.Client) -> DiscordWorld:
    """Knowledge of a client whose session is complete; of people, only the fact that some are bots."""
    guilds = [guild for guild in client.guilds if not guild.unavailable]
    every = [channel for guild in guilds for channel in (*guild.channels, *guild.threads)]
    roles = [role for guild in guilds for role in guild.roles if not role.is_default()]
    bots = {str(role.tags.bot_id): role.name for role in roles if role.tags is not None and role.tags.bot_id}
    return DiscordWorld(
        bot_id=str(client.user.id) if client.user is not None else "",
        guilds={str(guild.id): guild.name for guild in client.guilds},
        places={str(channel.id): _place(channel) for channel in every},
        roles={str(role.id): _role(role) for role in roles},
        persons={bot_id: Person(name=name, is_bot=True) for bot_id, name in bots.items()},
        out=len(client.guilds) - len(guilds),
    )


def _place(channel: discord.abc.GuildChannel | discord.Thread) -> Place:
    guild = channel.guild
    me = guild.get_member(guild._state.self_id or 0)
    parent_id: int | None
    judged: discord.abc.GuildChannel | None
    if isinstance(channel, discord.Thread):
        parent_id, judged = channel.parent_id, channel.parent
    else:
        parent_id, judged = channel.category_id, channel
    return Place(
        name=channel.name,
        kind=KINDS.get(channel.type.value, PlaceKind.OTHER),
        guild_id=str(guild.id),
        parent_id=str(parent_id or ""),
        permissions=-1 if me is None or judged is None else judged.permissions_for(me).value,
    )


def _role(role: discord.Role) -> RoleOf:
    bot_id = role.tags.bot_id if role.tags is not None else None
    return RoleOf(name=role.name, guild_id=str(role.guild.id), bot_id=str(bot_id or ""))
