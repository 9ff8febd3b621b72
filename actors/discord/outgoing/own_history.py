"""The bot's own messages in channels, read back once for all texts of an earlier life that are owed there."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import discord

from actors.discord.calls.history import NEWEST, Page
from messages.base import ChannelId

_CHANNELS = 64
_MESSAGES = 5_000
"""Most messages of a channel to keep; a longer history is read anew for each text."""


@dataclass(slots=True)
class _Stretch:
    """Part of a channel's history, without gaps."""

    own: list[discord.Message] = field(default_factory=list)
    """The bot's messages, oldest first."""
    bottom: int = NEWEST
    """Least id read; messages from `bottom` to `top` were read."""
    top: int = 0
    """Greatest id at the newest look; 0 before the first."""
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


class OwnHistory:
    """Reader of the bot's messages; lives on the loop.

    Messages that this life sends need not be read: their sender knows the ids, unless a call's answer was lost.
    """

    def __init__(self, read_page: Callable[[ChannelId, int, int], Awaitable[Page]]) -> None:
        """Nothing was read yet.

        Args:
            read_page: Reads the newest page of a channel between two ids, with the bot's messages only.
        """
        self._read_page = read_page
        self._known: OrderedDict[ChannelId, _Stretch] = OrderedDict()

    async def read(
        self, channel_id: ChannelId, after: int, *, is_anew: bool = False
    ) -> AsyncIterator[list[discord.Message]]:
        """The bot's messages with greater ids than `after`, oldest first: those known, then more with each page.

        Args:
            channel_id: Channel or thread.
            after: Id of a message.
            is_anew: True to look for messages that came since the last look as well.

        Raises:
            CallRefusedError, CallFailedError: as the reader of pages does.
        """
        stretch = self._stretch(channel_id)
        if is_anew and stretch.top:
            await self._read_newer(channel_id, stretch)
        if stretch.top:
            yield _after(stretch, after)
        while stretch.bottom > after + 1:
            await self._read_older(channel_id, stretch, after)
            yield _after(stretch, after)
        if len(stretch.own) > _MESSAGES:
            self._known.pop(channel_id, None)

    def forget(self, channel_id: ChannelId) -> None:
        """Forget a channel's messages; the next text owed there reads the history anew."""
        self._known.pop(channel_id, None)

    def _stretch(self, channel_id: ChannelId) -> _Stretch:
        stretch = self._known.setdefault(channel_id, _Stretch())
        self._known.move_to_end(channel_id)
        if len(self._known) > _CHANNELS:
            self._known.popitem(last=False)
        return stretch

    async def _read_newer(self, channel_id: ChannelId, stretch: _Stretch) -> None:
        """Read messages above the top."""
        async with stretch.reading:
            newer: list[discord.Message] = []
            before, top = NEWEST, stretch.top
            while before > stretch.top + 1:
                page = await self._read_page(channel_id, stretch.top, before)
                newer = [*page.messages, *newer]
                before, top = (0 if page.is_last else page.oldest), max(top, page.newest)
            stretch.own += newer
            stretch.top = top

    async def _read_older(self, channel_id: ChannelId, stretch: _Stretch, after: int) -> None:
        """Read a page below the bottom."""
        async with stretch.reading:
            if stretch.bottom <= after + 1:
                return
            page = await self._read_page(channel_id, after, stretch.bottom)
            stretch.own = [*page.messages, *stretch.own]
            stretch.bottom = after + 1 if page.is_last else page.oldest
            stretch.top = stretch.top or max(page.newest, after)


def _after(stretch: _Stretch, after: int) -> list[discord.Message]:
    return [message for message in stretch.own if message.id > after]
