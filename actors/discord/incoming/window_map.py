"""Map from Discord channels to windows, for channels that belong to the bot."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import Enum
from typing import TypeVar

import discord

from actors.discord.incoming.audience import audience_label
from actors.discord.incoming.seen import forget_oldest
from messages.base import Surface, Window

_REMEMBERED = 10_000
T = TypeVar("T")

AnyChannel = discord.abc.Messageable | discord.abc.GuildChannel | discord.abc.PrivateChannel
"""Whatever discord.py puts into a `channel` field."""


class NoWindow(Enum):
    """Reason for which a channel is no window of ours, as far as is known."""

    ELSEWHERE = "elsewhere"
    UNKNOWN = "unknown"
    """Not in discord.py's cache, such as an archived thread: Discord has to be asked."""


class WindowMap:
    """The configured channels, and the threads met below them; makes no calls."""

    def __init__(self, channels: Iterable[str], *, dms: bool = False) -> None:
        """With no thread met yet.

        Args:
            channels: Ids of the channels that the bot lives in.
            dms: True if direct messages are windows as well.
        """
        self.channels = frozenset(channels)
        self.hears_dms = dms
        self._known: dict[str, Window | NoWindow] = {}
        self._audiences: dict[str, str] = {}
        """Channel id -> label of its readers when it was last seen whole."""

    def window_of(self, channel: AnyChannel | None) -> Window | NoWindow:
        """The window that `channel` is, as far as can be said without asking."""
        match channel:
            case discord.DMChannel(id=id) if self.hears_dms:
                return dm_window(str(id))
            case None | discord.DMChannel() | discord.GroupChannel():
                return NoWindow.ELSEWHERE
            case discord.PartialMessageable(id=id):
                return self._known.get(str(id), NoWindow.UNKNOWN)
            case discord.Thread(id=id, parent_id=parent_id):
                ours = not self.channels.isdisjoint({str(id), str(parent_id)})
                return thread_window(str(id)) if ours else NoWindow.ELSEWHERE
            case discord.abc.GuildChannel(id=id):
                return channel_window(str(id)) if str(id) in self.channels else NoWindow.ELSEWHERE
            case _:
                return NoWindow.ELSEWHERE

    def learn(self, channel: AnyChannel) -> Window | NoWindow:
        """The window that `channel` is; remembered, since a thread never moves."""
        window = self.window_of(channel)
        if window is not NoWindow.UNKNOWN and isinstance(channel, discord.abc.Snowflake):
            _remember(self._known, str(channel.id), window)
            self.audience_of(channel)
        return window

    def audience_of(self, channel: object) -> str:
        """The label of who reads `channel`, as it is or, for a mere id, was last known; empty when it never was."""
        if not isinstance(channel, discord.abc.Snowflake):
            return ""
        label = audience_label(channel)
        if label:
            _remember(self._audiences, str(channel.id), sys.intern(label))  # The same for all threads of a channel.
        return label or self._audiences.get(str(channel.id), "")


def _remember(known: dict[str, T], key: str, value: T) -> None:
    known.pop(key, None)
    known[key] = value
    if len(known) > _REMEMBERED:
        forget_oldest(known)


def channel_window(channel_id: str) -> Window:
    """The window of a channel."""
    return Window(surface=Surface.DISCORD_CHANNEL, id=channel_id)


def dm_window(channel_id: str) -> Window:
    """The window of the direct messages with one person."""
    return Window(surface=Surface.DISCORD_DM, id=channel_id)


def thread_window(thread_id: str) -> Window:
    """The window of a thread."""
    return Window(surface=Surface.DISCORD_THREAD, id=thread_id)
