"""Archives of a channel: lists of threads archived while the bot was not connected."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import Enum, auto

import discord

ListThreads = Callable[[discord.Client], Awaitable[list[discord.Thread]]]

_PAGE = 100
"""Threads of a page, as many as Discord gives."""


class Archive(Enum):
    """Discord's list of archived threads."""

    PUBLIC = auto()
    PRIVATE = auto()
    """All private threads, for bots with the permission to manage threads."""
    JOINED = auto()
    """Private threads joined by the bot."""


def archives_of(channel: discord.TextChannel | discord.ForumChannel) -> tuple[Archive, ...]:
    """Lists that together hold every archived thread of a channel readable by the bot."""
    if channel.type is not discord.ChannelType.text:
        return (Archive.PUBLIC,)  # No other channel has private threads.
    me: discord.Member | None = channel.guild.me
    manages = me is not None and channel.permissions_for(me).manage_threads
    return (Archive.PUBLIC, Archive.PRIVATE if manages else Archive.JOINED)


async def archived_since(channel_id: int, archive: Archive, since: int, client: discord.Client) -> list[discord.Thread]:
    """Threads of a list, archived after the moment in the snowflake `since`."""
    channel = client.get_channel(channel_id)
    moment = discord.utils.snowflake_time(since)
    threads: list[discord.Thread] = []
    if not isinstance(channel, discord.TextChannel | discord.ForumChannel):
        return threads
    if isinstance(channel, discord.ForumChannel):
        listed = channel.archived_threads(limit=None)
    else:
        private, joined = archive is not Archive.PUBLIC, archive is Archive.JOINED
        listed = channel.archived_threads(private=private, joined=joined, limit=None)
    async for thread in listed:
        if thread.archive_timestamp >= moment:
            threads.append(thread)
        elif archive is not Archive.JOINED:
            break  # That list alone is in the order in which the threads were made.
    return threads


async def archive_page(
    channel_id: int, archive: Archive, before: discord.Thread | None, client: discord.Client
) -> list[discord.Thread]:
    """Threads of a list after `before`, or its first threads, up to a hundred by one call."""
    channel = client.get_channel(channel_id)
    if isinstance(channel, discord.ForumChannel):
        return [each async for each in channel.archived_threads(limit=_PAGE, before=_moment(before))]
    if not isinstance(channel, discord.TextChannel):
        return []
    private, joined = archive is not Archive.PUBLIC, archive is Archive.JOINED
    place = before if joined else _moment(before)
    return [each async for each in channel.archived_threads(private=private, joined=joined, limit=_PAGE, before=place)]


def _moment(thread: discord.Thread | None) -> datetime | None:
    """Time for the list's next page: the list is in order of archiving."""
    return None if thread is None else thread.archive_timestamp


async def active_threads(guild_id: int, client: discord.Client) -> list[discord.Thread]:
    """Active threads of a server, each with the id of the newest message; one call."""
    guild = client.get_guild(guild_id)
    return [] if guild is None else await guild.active_threads()
