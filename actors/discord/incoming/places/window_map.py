"""Map from Discord channels to windows, for the bot's channels."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

import discord

from actors.discord.calls.forgetting import forget_oldest
from actors.discord.incoming.places.audience import audience_label, audience_of
from domain.policy.audience import Reach
from messages.base import Surface, Window

_REMEMBERED = 10_000
T = TypeVar("T")

AnyChannel = discord.abc.Messageable | discord.abc.GuildChannel | discord.abc.PrivateChannel
"""Whatever discord.py puts into a `channel` field."""


class NoWindow(Enum):
    """Reason for which a channel is no window of the bot's, as far as known."""

    ELSEWHERE = "elsewhere"
    UNKNOWN = "unknown"
    """Channel outside discord.py's cache, for example an archived thread: Discord has to be asked."""


@dataclass(frozen=True, slots=True)
class Place:
    """Position of a channel in the server."""

    ids: tuple[str, ...]
    """Parents of the channel, the nearest first: for a thread, the channel and the channel's category if any."""
    owner_id: int | None = None
    """Account that opened a thread; None for other channels."""


class WindowMap:
    """The configured channels, the channels of configured categories, and threads met below; makes no calls."""

    def __init__(self, channels: Iterable[str], *, dms: bool = False) -> None:
        """With no category surveyed and no thread met yet.

        Args:
            channels: Ids of the channels that the bot lives in, or of their categories.
            dms: True if direct messages are windows as well.
        """
        self.configured = frozenset(channels)
        self.channels = self.configured
        """Ids of the channels, each category replaced by its channels where known."""
        self.hears_dms = dms
        self._known: dict[str, Window | NoWindow] = {}
        self._places: dict[str, Place] = {}
        """Id of a thread -> place of the thread when last fully known."""
        self._channels: dict[str, Place] = {}
        """Id of another channel -> place of the channel when last fully known."""
        self._audiences: dict[str, str] = {}
        """Channel id -> label of the readers when the channel was last fully known."""

    def survey(self, guilds: Iterable[discord.Guild]) -> bool:
        """Look up the channels now in configured categories; True if the channels have changed."""
        every = [channel for guild in guilds for channel in guild.channels]
        categories = {str(each.id) for each in every if isinstance(each, discord.CategoryChannel)}
        ours = [each for each in every if self._is_listed(each)]
        for each in ours:
            self._remember_place(each)  # A channel may have moved into another category.
        listed = {str(each.id) for each in ours}
        before, self.channels = self.channels, frozenset(listed | (self.configured - categories))
        if before == self.channels:
            return False
        self._known.clear()  # A thread goes with its channel, and stays there.
        return True

    def window_of(self, channel: AnyChannel | None) -> Window | NoWindow:
        """Window of `channel`, as far as known without asking."""
        match channel:
            case discord.DMChannel(id=id) if self.hears_dms:
                return dm_window(str(id))
            case None | discord.DMChannel() | discord.GroupChannel():
                return NoWindow.ELSEWHERE
            case discord.PartialMessageable(id=id):
                return self._known.get(str(id), NoWindow.UNKNOWN)
            case discord.Thread(id=id, parent_id=parent_id, parent=parent):
                ours = not self.channels.isdisjoint({str(id), str(parent_id)}) or self._is_listed(parent)
                return thread_window(str(id)) if ours else NoWindow.ELSEWHERE
            case discord.abc.GuildChannel(id=id):
                return channel_window(str(id)) if self._is_listed(channel) else NoWindow.ELSEWHERE
            case _:
                return NoWindow.ELSEWHERE

    def learn(self, channel: AnyChannel) -> Window | NoWindow:
        """Window of `channel`; remembered, since a thread never moves."""
        window = self.window_of(channel)
        if window is not NoWindow.UNKNOWN and isinstance(channel, discord.abc.Snowflake):
            _remember(self._known, str(channel.id), window)
            self._remember_place(channel)
            self.audience_of(channel)
        return window

    def place_of(self, channel: object) -> Place:
        """Place of `channel`: the present place or, for a mere id, the last known place."""
        if isinstance(channel, discord.Thread | discord.abc.GuildChannel):
            return _place_of(channel)
        if not isinstance(channel, discord.abc.Snowflake):
            return Place(())
        channel_id = str(channel.id)
        place = self._places.get(channel_id) or self._channels.get(channel_id) or Place((channel_id,))
        around = self._channels.get(place.ids[1]) if len(place.ids) > 1 else None
        return place if around is None else Place((channel_id, *around.ids), place.owner_id)

    def knows_place(self, channel_id: str) -> bool:
        """True if the parent of a thread or of another channel is known."""
        return channel_id in self._places or channel_id in self._channels

    def place_of_message(self, window_id: str, message_id: str) -> str:
        """Channel of a message in a window: a thread's first message stands in the parent channel."""
        ids = self._places[window_id].ids if window_id == message_id and window_id in self._places else ()
        return ids[1] if len(ids) > 1 else window_id

    def audience_of(self, channel: object) -> str:
        """Label of the readers of `channel`, present or, for a mere id, last known; empty when never known."""
        if not isinstance(channel, discord.abc.Snowflake):
            return ""
        label = audience_label(channel)
        if label:
            _remember(self._audiences, str(channel.id), sys.intern(label))  # The same for all threads of a channel.
        return label or self._audiences.get(str(channel.id), "")

    def _remember_place(self, channel: object) -> None:
        if isinstance(channel, discord.Thread):
            _remember(self._places, str(channel.id), _place_of(channel))
        elif isinstance(channel, discord.abc.GuildChannel):
            _remember(self._channels, str(channel.id), _place_of(channel))

    def _is_listed(self, channel: object) -> bool:
        """True if the settings name a channel or its category; a category itself is no place to talk."""
        if not isinstance(channel, discord.abc.GuildChannel) or isinstance(channel, discord.CategoryChannel):
            return False
        return not self.configured.isdisjoint({str(channel.id), str(channel.category_id)})


def is_open_to_all(channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    """True if all members of the server may read `channel`."""
    audience = audience_of(channel)
    return audience is not None and audience.reach is Reach.EVERYONE


def _place_of(channel: discord.Thread | discord.abc.GuildChannel) -> Place:
    if isinstance(channel, discord.Thread):
        ids = (channel.id, channel.parent_id, channel.parent.category_id if channel.parent is not None else None)
        return Place(tuple(str(each) for each in ids if each), channel.owner_id)
    return Place(tuple(str(each) for each in (channel.id, channel.category_id) if each))


def _remember(known: dict[str, T], key: str, value: T) -> None:
    known.pop(key, None)
    known[key] = value
    if len(known) > _REMEMBERED:
        forget_oldest(known)


def channel_window(channel_id: str) -> Window:
    """The window of a channel."""
    return Window(surface=Surface.DISCORD_CHANNEL, id=channel_id)


def dm_window(channel_id: str) -> Window:
    """Window of the direct messages with one person."""
    return Window(surface=Surface.DISCORD_DM, id=channel_id)


def thread_window(thread_id: str) -> Window:
    """The window of a thread."""
    return Window(surface=Surface.DISCORD_THREAD, id=thread_id)
