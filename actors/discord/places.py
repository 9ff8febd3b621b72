"""Which window a Discord channel is, if it is one of ours."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from enum import Enum
from typing import Final

import discord

from messages.base import Surface, Window

_REMEMBERED: Final = 10_000

AnyChannel = discord.abc.Messageable | discord.abc.GuildChannel | discord.abc.PrivateChannel
"""Whatever discord.py puts into a `channel` field."""


class Whereabouts(Enum):
    """What a channel is when it is no window of ours."""

    ELSEWHERE = "elsewhere"
    UNKNOWN = "unknown"
    """Not in discord.py's cache, such as an archived thread: somebody has to ask Discord."""


class Places:
    """The configured channels, and the threads below them as far as they were met.

    Args:
        channels: Ids of the channels that the bot lives in.
    """

    def __init__(self, channels: Iterable[str]) -> None:
        self.channels = frozenset(channels)
        self._known: OrderedDict[str, Window | Whereabouts] = OrderedDict()

    def window_of(self, channel: AnyChannel | None) -> Window | Whereabouts:
        """The window that `channel` is, as far as can be said without asking."""
        match channel:
            case None | discord.DMChannel() | discord.GroupChannel():
                return Whereabouts.ELSEWHERE
            case discord.PartialMessageable(id=id):
                return self._known.get(str(id), Whereabouts.UNKNOWN)
            case discord.Thread(id=id, parent_id=parent_id):
                ours = not self.channels.isdisjoint({str(id), str(parent_id)})
                return thread_window(str(id)) if ours else Whereabouts.ELSEWHERE
            case discord.abc.GuildChannel(id=id):
                return channel_window(str(id)) if str(id) in self.channels else Whereabouts.ELSEWHERE
            case _:
                return Whereabouts.ELSEWHERE

    def learn(self, channel: AnyChannel) -> Window | Whereabouts:
        """The window that `channel` is; remembered, since a thread never moves."""
        place = self.window_of(channel)
        if place is not Whereabouts.UNKNOWN and isinstance(channel, discord.abc.Snowflake):
            self._known[str(channel.id)] = place
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return place


def channel_window(channel_id: str) -> Window:
    """The window of a channel."""
    return Window(surface=Surface.DISCORD_CHANNEL, id=channel_id)


def thread_window(thread_id: str) -> Window:
    """The window of a thread."""
    return Window(surface=Surface.DISCORD_THREAD, id=thread_id)
